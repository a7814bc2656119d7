import { requireLength } from '../../bytes/bytes.ts';
import { formatHex } from '../../bytes/hex.ts';
import { formatUtf8 } from '../../bytes/utf8.ts';
import { Fault } from '../../fault.ts';
import { SALT_BYTES } from '../../hash/commitment.ts';
import { type Sha256, taggedBytes } from '../../hash/hash.ts';
import { hex, type Parse } from '../../wire/schema.ts';

/** The bytes of a handle's id. */
export const HANDLE_BYTES = 16;

/** The bytes of the Ed25519 key that a handle may bring. */
export const HANDLE_KEY_BYTES = 32;

/** A handle's id, as entries hold it: 32 lower-case hex digits. */
export const parseHandle: Parse<string> = hex(HANDLE_BYTES);

/** What the id of a handle is the hash of. The byte keeps the three sorts apart. */
const OF_SECRET = 0;
const OF_KEY = 1;
const OF_HOUSE = 2;

/** A name after folding. */
const NAME = /^[a-z0-9_-]{3,24}$/;

/**
 * Names that nobody may take, because a reader would take them for the operator, for the house forecasters, or for a
 * value that is missing.
 */
export const RESERVED_NAMES: readonly string[] = [
  'admin',
  'administrator',
  'anonymous',
  'arena',
  'assay',
  'crowd',
  'false',
  'house',
  'moderator',
  'nobody',
  'null',
  'official',
  'operator',
  'referee',
  'root',
  'service',
  'support',
  'system',
  'true',
  'undefined',
];

/** Names that begin like this are those of the house forecasters. */
const HOUSE_PREFIX = /^house[_-]/;

/**
 * The one form of a name by which names are compared: ASCII letters in lower case. Throws `malformed` for anything but 3
 * to 24 letters, digits, `_` and `-`, and for a reserved name, also where `_` or `-` were put into it.
 */
export function foldName(name: string): string {
  // Only ASCII is lowered, so that no other letter can fold to one of these.
  const folded = name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!NAME.test(folded)) {
    throw new Fault('malformed', 'handle', {
      expected: '3 to 24 of the characters a-z, 0-9, _ and -',
      found: JSON.stringify(name.slice(0, 40)),
    });
  }
  const bare = folded.replaceAll(/[_-]/g, '');
  if (HOUSE_PREFIX.test(folded) || RESERVED_NAMES.includes(bare)) {
    throw new Fault('malformed', 'handle', {
      expected: 'a name that is not reserved',
      found: JSON.stringify(folded),
    });
  }
  return folded;
}

/**
 * The id of a handle that has a secret: `sha256("assay/handle/v1" 0x00 || 0x00 || salt 32 || folded name)[:16]`, hex. The
 * salt stays outside of the log, so that a name can be forgotten.
 */
export function secretHandle(sha256: Sha256, salt: Uint8Array, folded: string): string {
  requireLength(salt, SALT_BYTES, 'salt');
  return handleOf(sha256, OF_SECRET, salt, formatUtf8(folded));
}

/** The id of a handle that brings an Ed25519 key: `sha256("assay/handle/v1" 0x00 || 0x01 || key 32)[:16]`, hex. */
export function keyHandle(sha256: Sha256, key: Uint8Array): string {
  return handleOf(sha256, OF_KEY, requireLength(key, HANDLE_KEY_BYTES, 'public key'));
}

/** The id of a house forecaster: `sha256("assay/handle/v1" 0x00 || 0x02 || name)[:16]`, hex. */
export function houseHandle(sha256: Sha256, name: string): string {
  return handleOf(sha256, OF_HOUSE, formatUtf8(name));
}

function handleOf(sha256: Sha256, sort: number, ...parts: readonly Uint8Array[]): string {
  const bytes = taggedBytes('assay/handle/v1', Uint8Array.of(sort), ...parts);
  return formatHex(sha256(bytes).subarray(0, HANDLE_BYTES));
}
