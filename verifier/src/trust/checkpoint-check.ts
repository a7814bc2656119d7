import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { messageOf } from '@assay/core/fault';
import { type Note, type NoteKey, parseNote, parseNoteKey } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { type Policy, witnessKey } from '../verdict/policy.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** A note that was parsed, before any key is believed. */
export interface OpenCheckpoint {
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

/** Reads the note of a checkpoint; undefined with a finding where it is not one. */
export function openCheckpoint(bytes: Uint8Array, findings: Findings): OpenCheckpoint | undefined {
  try {
    const note = parseNote(bytes);
    const checkpoint = parseCheckpoint(note.text);
    if (formatCheckpoint(checkpoint) !== note.text) throw new Error('another spelling');
    return { note, checkpoint };
  } catch (error) {
    findings.add(
      'checkpoint_malformed',
      'checkpoint',
      'a signed tlog-checkpoint',
      messageOf(error),
    );
    return undefined;
  }
}

/**
 * Checks the signature lines of a checkpoint. A line of the log's key, or of another key that the policy lists, must
 * verify, whatever other lines there are. Lines of other keys are findings in strict mode and reservations otherwise.
 * Lines of its witnesses are left to `checkWitnesses`. Returns the valid lines of the log's own key; without one,
 * nothing is signed.
 */
export async function checkSignatures(
  { note, checkpoint }: OpenCheckpoint,
  key: NoteKey,
  policy: Policy,
  environment: Environment,
  findings: Findings,
  notChecked: NotCheckedList,
): Promise<number> {
  if (checkpoint.origin !== key.name) {
    findings.add('checkpoint_origin', 'checkpoint', key.name, checkpoint.origin);
  }
  const listed = [
    key,
    ...policy.checkpoint_keys.map((each) => parseNoteKey(environment.sha256, each)),
  ];
  const witnesses = new Set(
    policy.witnesses.map(({ vkey }) => lineOf(witnessKey(environment.sha256, vkey))),
  );
  const text = formatUtf8(note.text);
  const seen = new Set<string>();
  let good = 0;
  for (const { name, keyId, signature } of note.signatures) {
    const line = lineOf({ name, keyId });
    const signer = listed.find((each) => each.name === name && each.keyId === keyId);
    if (policy.strict && seen.has(line)) {
      findings.add('checkpoint_unlisted_signature', 'checkpoint', 'each key once', `${line} again`);
    }
    seen.add(line);
    if (witnesses.has(line)) continue;
    if (signer === undefined && policy.strict) {
      findings.add('checkpoint_unlisted_signature', 'checkpoint', 'only listed keys', line);
    } else if (signer === undefined) {
      notChecked.add(
        'trust',
        `checkpoint signature of ${line}`,
        'the policy does not list this key',
        'witnesses',
      );
    } else if (!(await environment.verifySignature(signer.publicKey, text, signature))) {
      const found = 'a signature that does not verify';
      findings.add('checkpoint_bad_signature', 'checkpoint', `a signature by ${line}`, found);
    } else if (signer === key) {
      good += 1;
    }
  }
  if (good === 0) {
    findings.add(
      'checkpoint_unsigned',
      'checkpoint',
      `a signature by ${key.name}+${key.keyId}`,
      `signature lines: ${note.signatures.length}, none good and of that key`,
    );
  }
  return good;
}

function lineOf({ name, keyId }: Pick<NoteKey, 'name' | 'keyId'>): string {
  return `${name}+${keyId}`;
}
