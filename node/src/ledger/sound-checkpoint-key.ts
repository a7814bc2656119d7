import { Fault, type FaultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { CheckpointKeyBody } from '@assay/core/kind/checkpoint-key';
import { unfitCheckpointKey } from '@assay/core/view/key/checkpoint-key-changes';
import type { ViewState } from '@assay/core/view/view';
import { checkpointKeySignings } from '@assay/verifier/check/checkpoint-key-check';
import { isTorsionFreeKey } from '@assay/verifier/ed25519/signature';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { KeyPosition } from './sound-key.ts';

/**
 * Throws `code` unless a checkpoint key, or the promise of one, may be recorded in this place: by the rows before it, by
 * the group that its keys are in, and by its signatures, none of which but the first the fold checks.
 */
export function requireSoundCheckpointKey(
  code: FaultCode,
  body: CheckpointKeyBody,
  position: KeyPosition,
  state: ViewState,
  sha256: Sha256,
): void {
  const { seq } = position;
  const unfit = unfitCheckpointKey(state, body, seq, sha256);
  if (unfit !== undefined) {
    throw unsound(code, `entry ${seq}/${unfit.at}`, unfit.expected, unfit.found);
  }
  const shown = { key: 'key' in body ? body.key : null, recovery_key: body.recovery_key };
  for (const [member, key] of Object.entries(shown)) {
    if (key === null || isTorsionFreeKey(parseHex(key, 32))) continue;
    const expected = 'an Ed25519 key of the prime-order group';
    throw unsound(code, `entry ${seq}/${member}`, expected, key);
  }
  requireCheckpointKeySignatures(code, body, position);
}

/** Throws `code` unless all signatures of a `key/2` entry verify. */
export function requireCheckpointKeySignatures(
  code: FaultCode,
  body: CheckpointKeyBody,
  { log, seq }: KeyPosition,
): void {
  for (const { at, key, message, signature } of checkpointKeySignings(body, log)) {
    if (nodeVerifySignature(parseHex(key, 32), message, parseHex(signature, 64))) continue;
    const found = 'one that does not verify';
    throw unsound(code, `entry ${seq}/${at}`, `a signature by ${key}`, found);
  }
}

function unsound(code: FaultCode, at: string, expected: string, found: string): Fault {
  return new Fault(code, 'checkpoint key', { at, expected, found });
}
