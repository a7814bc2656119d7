import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/checkpoint';
import { messageOf } from '@assay/core/fault';
import { type Note, type NoteKey, parseNote } from '@assay/core/note';
import { formatUtf8 } from '@assay/core/utf8';
import type { Environment } from './environment.ts';
import type { Findings } from './finding.ts';
import type { NotCheckedList } from './verdict.ts';

/** A note read, before any key is believed. */
export interface OpenCheckpoint {
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

/** Reads a checkpoint's note; undefined with a finding when it is none. */
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
 * Checks the signature lines of a checkpoint against the log's key. A bad line of that key is a
 * finding beside a good one; lines of other keys are findings in strict mode and are named otherwise.
 */
export async function checkSignatures(
  { note, checkpoint }: OpenCheckpoint,
  key: NoteKey,
  strict: boolean,
  environment: Environment,
  findings: Findings,
  notChecked: NotCheckedList,
): Promise<number> {
  if (checkpoint.origin !== key.name) {
    findings.add('checkpoint_origin', 'checkpoint', key.name, checkpoint.origin);
  }
  const text = formatUtf8(note.text);
  let good = 0;
  for (const { name, keyId, signature } of note.signatures) {
    if (name !== key.name || keyId !== key.keyId) {
      const line = `${name}+${keyId}`;
      if (strict) {
        findings.add('checkpoint_unlisted_signature', 'checkpoint', 'only listed keys', line);
      } else {
        notChecked.add(`checkpoint signature of ${line}`, 'the policy does not list this key');
      }
    } else if (await environment.verifySignature(key.publicKey, text, signature)) {
      good += 1;
    } else {
      findings.add(
        'checkpoint_bad_signature',
        'checkpoint',
        `a signature by ${name}+${keyId}`,
        'a signature that does not verify',
      );
    }
  }
  if (good === 0) {
    findings.add(
      'checkpoint_unsigned',
      'checkpoint',
      `a signature by ${key.name}+${key.keyId}`,
      `signature lines: ${note.signatures.length}, none good and of that key`,
    );
  } else if (good > 1 && strict) {
    findings.add('checkpoint_unlisted_signature', 'checkpoint', 'each key once', `${good} times`);
  }
  return good;
}
