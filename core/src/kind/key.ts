import { concatBytes } from '../bytes/bytes.ts';
import type { HashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import {
  boolean,
  hashHex,
  hex,
  integer,
  nullable,
  object,
  oneOf,
  type Parse,
} from '../wire/schema.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { formatWire, type WireObject } from '../wire/wire.ts';
import { requireCauseSignatures } from './key-signatures.ts';

/** Why a report key is replaced: as planned, or because it was lost or stolen. */
export const KEY_CAUSES = ['rotation', 'recovery'] as const;
export type KeyCause = (typeof KEY_CAUSES)[number];

/** A report key that replaces the one before it, for all entries after this one. */
export interface KeyEntry {
  /** The number of the key in the log; genesis names number 0. */
  readonly number: number;
  readonly cause: KeyCause;
  /** The previous key, hex. */
  readonly replaces: string;
  /** Whether somebody else holds the previous key, so that nothing that it signs counts as the publisher's any more. */
  readonly revoked: boolean;
  /** Ed25519, hex. */
  readonly key: string;
  /** SHA-256 of the key after this one. */
  readonly next_key_sha256: HashHex;
  /** For a recovery, the recovery key that was committed to, hex. */
  readonly recovery_key: string | null;
  /** SHA-256 of the recovery key from here on. A rotation does not change it. */
  readonly next_recovery_key_sha256: HashHex;
  readonly signatures: KeySignatures;
}

/** Ed25519 over `keyMessage`, hex. */
export interface KeySignatures {
  /** By the previous key, for a rotation. */
  readonly old: string | null;
  /** By the new key. */
  readonly new: string;
  /** By the recovery key, for a recovery. */
  readonly recovery: string | null;
}

const parseShape: Parse<KeyEntry> = object<KeyEntry>({
  number: integer(1, 65_535),
  cause: oneOf(KEY_CAUSES),
  replaces: hex(32),
  revoked: boolean,
  key: hex(32),
  next_key_sha256: hashHex,
  recovery_key: nullable(hex(32)),
  next_recovery_key_sha256: hashHex,
  signatures: object<KeySignatures>({
    old: nullable(hex(64)),
    new: hex(64),
    recovery: nullable(hex(64)),
  }),
});

/** A key entry, or `malformed`. A rotation is signed by the previous key, and a recovery by the recovery key. */
export const parseKeyEntry: Parse<KeyEntry> = (value, at) => {
  const entry = parseShape(value, at);
  requireCauseSignatures(entry, at);
  return entry;
};

/**
 * The message that the signatures of a key entry cover: `"assay/key/v1" || 0x00 || log id, 32 bytes || canonical entry
 * without signatures`.
 */
export function keyMessage(log: HashHex, entry: Omit<KeyEntry, 'signatures'>): Uint8Array {
  const { number, cause, replaces, revoked, key, recovery_key } = entry;
  const { next_key_sha256, next_recovery_key_sha256 } = entry;
  const unsigned: WireObject = {
    number,
    cause,
    replaces,
    revoked,
    key,
    next_key_sha256,
    recovery_key,
    next_recovery_key_sha256,
  };
  return concatBytes(formatUtf8('assay/key/v1\0'), parseHex(log, 32), formatWire(unsigned));
}
