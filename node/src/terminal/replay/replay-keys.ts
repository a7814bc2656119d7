import type { Sha256 } from '@assay/core/hash/hash';
import { taggedBytes } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';

/** The purposes of the keys and salts of a replay. */
export type ReplayPurpose = 'report' | 'checkpoint' | 'next-report' | 'recovery' | 'salts';

/** The text from which every replay's keys and salts are derived. */
const TEXT = formatUtf8('assay replay');

/**
 * 32 bytes for a purpose: `sha256("assay/replay/v1" 0x00 || "assay replay" 0x00 || purpose)`. Anybody can make
 * them, so that a replay of the same files has the same root everywhere. Nothing that they sign or hide is
 * worth anything.
 */
export function replaySeed(sha256: Sha256, purpose: ReplayPurpose): Uint8Array {
  return sha256(taggedBytes('assay/replay/v1', TEXT, new Uint8Array(1), formatUtf8(purpose)));
}
