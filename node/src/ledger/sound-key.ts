import { Fault, type FaultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import {
  type CheckpointKeyBody,
  checkpointKeyMessage,
  checkpointPromiseMessage,
} from '@assay/core/kind/checkpoint-key';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { unfitCheckpointKey } from '@assay/core/view/checkpoint-key-changes';
import type { ViewState } from '@assay/core/view/view';
import { Findings } from '@assay/verifier/verdict/finding';
import { checkKeyEntry, keySignings } from '@assay/verifier/check/key-check';
import { isTorsionFreeKey } from '@assay/verifier/ed25519/signature';
import { nodeVerifySignature } from '../platform/node-signature.ts';

/** The place of a key entry. */
export interface KeyPosition {
  readonly log: HashHex;
  readonly seq: number;
}

/**
 * Throws `code` unless a report key may come into force in this place, by the same checks as the verifier's: by
 * the rows before it, and by its two signatures, which the fold does not check.
 */
export function requireSoundKey(
  code: FaultCode,
  entry: KeyEntry,
  position: KeyPosition,
  state: ViewState,
  sha256: Sha256,
): void {
  const findings = new Findings(1);
  checkKeyEntry(entry, `entry ${position.seq}`, state, sha256, findings);
  const [unfit] = findings.list;
  if (unfit !== undefined) throw unsound(code, unfit.place, unfit.expected, unfit.found);
  requireKeySignatures(code, entry, position);
}

/**
 * Throws `code` unless a checkpoint key may come into force, or be promised, in this place: by the rows before it, and by
 * its signatures.
 */
export function requireSoundCheckpointKey(
  code: FaultCode,
  body: CheckpointKeyBody,
  { log, seq }: KeyPosition,
  state: ViewState,
  sha256: Sha256,
): void {
  const title = 'checkpoint key';
  const unfit = unfitCheckpointKey(state, body, seq, sha256);
  if (unfit !== undefined) {
    const { at, expected, found } = unfit;
    throw new Fault(code, title, { at: `entry ${seq}/${at}`, expected, found });
  }
  const shown = [body.recovery_key, body.type === 'checkpoint-key' ? body.key : null];
  for (const key of shown) {
    if (key === null || isTorsionFreeKey(parseHex(key, 32))) continue;
    const expected = 'an Ed25519 key of the prime-order group';
    throw new Fault(code, title, { at: `entry ${seq}`, expected, found: key });
  }
  const message =
    body.type === 'checkpoint-promise'
      ? checkpointPromiseMessage(log, body)
      : checkpointKeyMessage(log, body);
  for (const [name, key, signature] of signingsOf(body)) {
    if (key === null || signature === null) continue;
    if (nodeVerifySignature(parseHex(key, 32), message, parseHex(signature, 64))) continue;
    throw new Fault(code, title, {
      at: `entry ${seq}/${name}`,
      expected: `a signature by ${key}`,
      found: 'one that does not verify',
    });
  }
}

function signingsOf(
  body: CheckpointKeyBody,
): readonly (readonly [string, string | null, string | null])[] {
  if (body.type === 'checkpoint-promise') return [['signature', body.recovery_key, body.signature]];
  const { old, new: own, recovery } = body.signatures;
  return [
    ['signatures/old', body.replaces, old],
    ['signatures/new', body.key, own],
    ['signatures/recovery', body.recovery_key, recovery],
  ];
}

/** Throws `code` unless both signatures of a key entry verify. */
export function requireKeySignatures(
  code: FaultCode,
  entry: KeyEntry,
  { log, seq }: KeyPosition,
): void {
  const message = keyMessage(log, entry);
  for (const { name, key, signature } of keySignings(entry)) {
    if (nodeVerifySignature(parseHex(key, 32), message, parseHex(signature, 64))) continue;
    const at = `entry ${seq}/signatures/${name}`;
    throw unsound(code, at, `a signature by ${key}`, 'one that does not verify');
  }
}

function unsound(code: FaultCode, at: string, expected: string, found: string): Fault {
  return new Fault(code, 'report key', { at, expected, found });
}
