import { Fault, type FaultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import type { ViewState } from '@assay/core/view/view';
import { Findings } from '@assay/verifier/verdict/finding';
import { checkKeyEntry, keySignings } from '@assay/verifier/check/key-check';
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
