import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '../../platform/node-sha256.ts';

/** Throws `guard_conflict` unless a head guard holds what a swap expects; absent equals absent. */
export function requireHeld(held: Uint8Array | undefined, expected: Uint8Array | undefined): void {
  const same =
    held === undefined || expected === undefined ? held === expected : equalBytes(held, expected);
  if (same) return;
  throw new Fault('guard_conflict', 'head guard', {
    expected: nameOf(expected),
    found: nameOf(held),
  });
}

function nameOf(head: Uint8Array | undefined): string {
  if (head === undefined) return 'no head';
  return `a head with sha256 ${formatHex(nodeSha256(head)).slice(0, 16)}`;
}
