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

/** The checkpoint keys of a log, by what each has to do with one head. */
export interface HeadKeys {
  /** Each of them must have signed it: the key in force for its size, and at the end of a rotated key's term two. */
  readonly signers: readonly NoteKey[];
  /** All keys of the log, by name and key id: a line of one that is no signer does not belong on this head. */
  readonly all: ReadonlyMap<string, NoteKey>;
}

/** Reads the note of a checkpoint; undefined with a finding where it is not one. `place` is for findings. */
export function openCheckpoint(
  bytes: Uint8Array,
  findings: Findings,
  place = 'checkpoint',
): OpenCheckpoint | undefined {
  try {
    const note = parseNote(bytes);
    const checkpoint = parseCheckpoint(note.text);
    if (formatCheckpoint(checkpoint) !== note.text) throw new Error('another spelling');
    return { note, checkpoint };
  } catch (error) {
    findings.add('checkpoint_malformed', place, 'a signed tlog-checkpoint', messageOf(error));
    return undefined;
  }
}

/**
 * Checks the signature lines of a checkpoint. A line of a key of the log, or of another key that the policy lists, must
 * verify, whatever other lines there are; one of a key of the log that does not sign heads of this size is a finding.
 * Lines of other keys are findings in strict mode and reservations otherwise. Lines of its witnesses are left to
 * `checkWitnesses`. Returns the valid lines of the log's own keys that must have signed; without one of each, the head
 * is not signed. `place` is for findings.
 */
export async function checkSignatures(
  { note, checkpoint }: OpenCheckpoint,
  { signers, all }: HeadKeys,
  policy: Policy,
  environment: Environment,
  findings: Findings,
  notChecked: NotCheckedList,
  place = 'checkpoint',
): Promise<number> {
  const [own] = signers;
  if (own !== undefined && checkpoint.origin !== own.name) {
    findings.add('checkpoint_origin', place, own.name, checkpoint.origin);
  }
  const named = policy.checkpoint_keys.map((each) => parseNoteKey(environment.sha256, each));
  const witnesses = new Set(
    policy.witnesses.map(({ vkey }) => lineOf(witnessKey(environment.sha256, vkey))),
  );
  const text = formatUtf8(note.text);
  const seen = new Set<string>();
  const signed = new Set<NoteKey>();
  let good = 0;
  for (const { name, keyId, signature } of note.signatures) {
    const line = lineOf({ name, keyId });
    const isOf = (each: NoteKey): boolean => each.name === name && each.keyId === keyId;
    const other = all.get(line);
    const signer = signers.find(isOf) ?? other ?? named.find(isOf);
    if (policy.strict && seen.has(line)) {
      findings.add('checkpoint_unlisted_signature', place, 'each key once', `${line} again`);
    }
    seen.add(line);
    if (witnesses.has(line)) continue;
    if (signer === undefined && policy.strict) {
      findings.add('checkpoint_unlisted_signature', place, 'only listed keys', line);
    } else if (signer === undefined) {
      notChecked.add(
        'trust',
        `checkpoint signature of ${line}`,
        'the policy does not list this key',
        'witnesses',
      );
    } else if (!(await environment.verifySignature(signer.publicKey, text, signature))) {
      const found = 'a signature that does not verify';
      findings.add('checkpoint_bad_signature', place, `a signature by ${line}`, found);
    } else if (signers.includes(signer)) {
      signed.add(signer);
      good += 1;
    } else if (signer === other) {
      const expected = `no line of ${line}, which does not sign heads of ${checkpoint.size} entries`;
      findings.add('key_not_in_force', place, expected, 'a good one');
    }
  }
  for (const key of signers) {
    if (signed.has(key)) continue;
    findings.add(
      'checkpoint_unsigned',
      place,
      `a signature by ${lineOf(key)}`,
      `signature lines: ${note.signatures.length}, none good and of that key`,
    );
  }
  return good;
}

/** The name and the key id of a line, which its key has too. */
export function lineOf({ name, keyId }: Pick<NoteKey, 'name' | 'keyId'>): string {
  return `${name}+${keyId}`;
}
