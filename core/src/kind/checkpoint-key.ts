import { concatBytes } from '../bytes/bytes.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import type { HashHex } from '../hash/hash.ts';
import {
  hashHex,
  hex,
  integer,
  isObject,
  literal,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
} from '../wire/schema.ts';
import { formatWire, type WireObject } from '../wire/wire.ts';
import { requireCauseSignatures } from './key-signatures.ts';

/** The promise of the next checkpoint key: a body of `key/2`. */
export interface CheckpointPromise {
  readonly type: 'checkpoint-promise';
  /** The number of the checkpoint key that is promised; genesis names number 0. */
  readonly number: number;
  /** SHA-256 of that key's 32 bytes. */
  readonly next_checkpoint_sha256: HashHex;
  /** The recovery key that was committed to, hex, which is shown by this. */
  readonly recovery_key: string;
  /** SHA-256 of the recovery key from here on. */
  readonly next_recovery_key_sha256: HashHex;
  /** Ed25519 by the recovery key over `checkpointPromiseMessage`, hex. */
  readonly signature: string;
}

/** Why a checkpoint key is replaced: as planned, by both keys, or because the old one was lost or stolen. */
export const CHECKPOINT_KEY_CAUSES = ['rotation', 'recovery'] as const;
export type CheckpointKeyCause = (typeof CHECKPOINT_KEY_CAUSES)[number];

/** A checkpoint key in the place of the one before it: a body of `key/2`. */
export interface CheckpointKeyEntry {
  readonly type: 'checkpoint-key';
  /** The number of the key; genesis names number 0. */
  readonly number: number;
  readonly cause: CheckpointKeyCause;
  /** The checkpoint key before, hex. */
  readonly replaces: string;
  /** Ed25519, hex: the key whose hash was promised. */
  readonly key: string;
  /**
   * The size of the largest head that the key before signs. It is one more than the `seq` of the entry in a rotation, whose
   * head of that size has a line of either key, and the `seq` itself in a recovery.
   */
  readonly last_size: number;
  /** SHA-256 of the key after this one. */
  readonly next_checkpoint_sha256: HashHex;
  /** For a recovery, the recovery key that was committed to, hex. */
  readonly recovery_key: string | null;
  /** SHA-256 of the recovery key from here on. A rotation does not change it. */
  readonly next_recovery_key_sha256: HashHex;
  /** Ed25519 over `checkpointKeyMessage`, hex. */
  readonly signatures: CheckpointKeySignatures;
}

/** A body of `key/2`. */
export type CheckpointKeyBody = CheckpointPromise | CheckpointKeyEntry;

export interface CheckpointKeySignatures {
  /** By `replaces`, for a rotation. */
  readonly old: string | null;
  /** By `key`. */
  readonly new: string;
  /** By `recovery_key`, for a recovery. */
  readonly recovery: string | null;
}

/** A promise, or `malformed`. */
export const parseCheckpointPromise: Parse<CheckpointPromise> = object<CheckpointPromise>({
  type: literal('checkpoint-promise'),
  number: integer(1, 65_535),
  next_checkpoint_sha256: hashHex,
  recovery_key: hex(32),
  next_recovery_key_sha256: hashHex,
  signature: hex(64),
});

const parseShape: Parse<CheckpointKeyEntry> = object<CheckpointKeyEntry>({
  type: literal('checkpoint-key'),
  number: integer(1, 65_535),
  cause: oneOf(CHECKPOINT_KEY_CAUSES),
  replaces: hex(32),
  key: hex(32),
  last_size: integer(2, Number.MAX_SAFE_INTEGER),
  next_checkpoint_sha256: hashHex,
  recovery_key: nullable(hex(32)),
  next_recovery_key_sha256: hashHex,
  signatures: object<CheckpointKeySignatures>({
    old: nullable(hex(64)),
    new: hex(64),
    recovery: nullable(hex(64)),
  }),
});

/** A checkpoint key entry, or `malformed`. A rotation is signed by the key before, and a recovery by the recovery key. */
export const parseCheckpointKeyEntry: Parse<CheckpointKeyEntry> = (value, at) => {
  const entry = parseShape(value, at);
  requireCauseSignatures(entry, at);
  return entry;
};

/** A body of `key/2`, by its type, or `malformed`. */
export const parseCheckpointKeyBody: Parse<CheckpointKeyBody> = (value, at) => {
  const type = isObject(value) ? value['type'] : undefined;
  if (type === 'checkpoint-promise') return parseCheckpointPromise(value, at);
  if (type === 'checkpoint-key') return parseCheckpointKeyEntry(value, at);
  throw malformed(`${at}.type`, 'checkpoint-promise or checkpoint-key', type ?? null);
};

/** `"assay/checkpoint-promise/v1" || 0x00 || log id, 32 bytes || canonical body without signature`. */
export function checkpointPromiseMessage(
  log: HashHex,
  promise: Omit<CheckpointPromise, 'signature'>,
): Uint8Array {
  const { type, number, next_checkpoint_sha256, recovery_key, next_recovery_key_sha256 } = promise;
  const unsigned = {
    type,
    number,
    next_checkpoint_sha256,
    recovery_key,
    next_recovery_key_sha256,
  };
  return message('assay/checkpoint-promise/v1\0', log, unsigned);
}

/** `"assay/checkpoint-key/v1" || 0x00 || log id, 32 bytes || canonical body without signatures`. */
export function checkpointKeyMessage(
  log: HashHex,
  entry: Omit<CheckpointKeyEntry, 'signatures'>,
): Uint8Array {
  const { type, number, cause, replaces, key, last_size, next_checkpoint_sha256 } = entry;
  const { recovery_key, next_recovery_key_sha256 } = entry;
  const unsigned = {
    type,
    number,
    cause,
    replaces,
    key,
    last_size,
    next_checkpoint_sha256,
    recovery_key,
    next_recovery_key_sha256,
  };
  return message('assay/checkpoint-key/v1\0', log, unsigned);
}

function message(tag: string, log: HashHex, unsigned: WireObject): Uint8Array {
  return concatBytes(formatUtf8(tag), parseHex(log, 32), formatWire(unsigned));
}
