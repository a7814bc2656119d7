import { parseBase64 } from '../../bytes/base64.ts';
import { contentHash, hashHex, type HashHex, type Sha256 } from '../../hash/hash.ts';
import { formatHex, parseHex } from '../../bytes/hex.ts';
import type { KeyCause } from '../../kind/key.ts';
import { checkpointKeysFrom, checkpointPromises } from './checkpoint-keys.ts';
import { type LogRow, logRow } from '../log.ts';
import type { ViewState } from '../view.ts';

export const KEYS_TABLE = 'keys';

/** A report key of a log, as the entry that introduced it describes it. */
export interface KeyRow {
  /** 0 for the one that genesis names. */
  readonly number: number;
  /** Hex. */
  readonly key: string;
  readonly cause: 'genesis' | KeyCause;
  /** The entry that introduced it. It signs the entries after that one. */
  readonly seq: number;
  /** Whether somebody else holds the key before it. */
  readonly revokes: boolean;
  readonly next_key_sha256: HashHex;
  readonly recovery_key_sha256: HashHex;
  /** The recovery key that introduced it, hex; null for any other. */
  readonly recovery_key: string | null;
}

/** A report key and the entries for which it was in force. */
export interface ReportKey extends KeyRow {
  /** The entry that ended it, from which on another key signs; null while it is in force. */
  readonly to_seq: number | null;
  /** Whether it ended because somebody else holds it. */
  readonly revoked: boolean;
}

/** The report keys of a log, the first one first; none before its genesis. */
export function keysOf(state: ViewState): readonly ReportKey[] {
  const log = logRow(state);
  if (log === undefined) return [];
  const rows = [
    genesisKey(log),
    ...[...state.list(KEYS_TABLE)].map(([, row]) => row as unknown as KeyRow),
  ];
  return rows.map((row, i) => {
    const after = rows[i + 1];
    return { ...row, to_seq: after?.seq ?? null, revoked: after?.revokes ?? false };
  });
}

/** The report key in force; undefined before genesis. */
export function keyInForce(state: ViewState): KeyRow | undefined {
  const log = logRow(state);
  if (log === undefined) return undefined;
  for (const [, row] of state.descend(KEYS_TABLE)) return row as unknown as KeyRow;
  return genesisKey(log);
}

/**
 * The report key, in hex, that signs entry `seq`, or the next entry where `seq` is absent. A key signs the entries
 * after the one that introduced it. Undefined before genesis.
 */
export function reportKeyAt(state: ViewState, seq?: number): string | undefined {
  if (seq === undefined) return keyInForce(state)?.key;
  for (const row of keysFrom(state, 0)) if (row.number === 0 || row.seq < seq) return row.key;
  return undefined;
}

function genesisKey(log: LogRow): KeyRow {
  return {
    number: 0,
    key: log.report_key,
    cause: 'genesis',
    seq: 0,
    revokes: false,
    next_key_sha256: log.next_report_key_sha256,
    recovery_key_sha256: log.recovery_key_sha256,
    recovery_key: null,
  };
}

/** `sha256(key)`, the commitment to a key. `key` is in hex. */
export function keyHash(sha256: Sha256, key: string): HashHex {
  return hashHex(contentHash(sha256, parseHex(key, 32)));
}

/** The rows of report keys from `number` on, newest first. The first key, number 0, is in genesis. */
export function* keysFrom(state: ViewState, number: number): Generator<KeyRow> {
  for (const [, value] of state.descend(KEYS_TABLE)) {
    const row = value as unknown as KeyRow;
    if (row.number < number) return;
    yield row;
  }
  const log = logRow(state);
  if (number <= 0 && log !== undefined) yield genesisKey(log);
}

/** The checkpoint key that genesis names, in hex; undefined where that is invalid. */
export function firstCheckpointKey(state: ViewState): string | undefined {
  const log = logRow(state);
  return log === undefined ? undefined : checkpointKey(log.checkpoint_vkey);
}

/** The publisher's keys: all report keys, all keys of its checkpoints, and the recovery keys that were shown. */
export function publisherKeys(state: ViewState): readonly string[] {
  const rows = keysOf(state);
  const checkpoints = [...checkpointKeysFrom(state, 1)];
  const first = firstCheckpointKey(state);
  const shown = [...rows, ...checkpoints, ...checkpointPromises(state)];
  return [
    ...rows.map(({ key }) => key),
    ...shown.flatMap(({ recovery_key: key }) => (key === null ? [] : [key])),
    ...(first === undefined ? [] : [first]),
    ...checkpoints.map(({ key }) => key),
  ];
}

/** Hashes of the keys that the publisher has promised as the next report or checkpoint key or as a recovery key. */
export function promisedKeys(state: ViewState): ReadonlySet<HashHex> {
  const checkpoints = [...checkpointKeysFrom(state, 1), ...checkpointPromises(state)];
  return new Set([
    ...keysOf(state).flatMap((row) => [row.next_key_sha256, row.recovery_key_sha256]),
    ...checkpoints.flatMap((row) => [row.next_checkpoint_sha256, row.recovery_key_sha256]),
  ]);
}

/**
 * The Ed25519 key of `name+id+base64(type || key)`, in hex; undefined where it is invalid, which is reported elsewhere.
 */
function checkpointKey(vkey: string): string | undefined {
  try {
    return formatHex(parseBase64(vkey.split('+').slice(2).join('+')).subarray(1));
  } catch {
    return undefined;
  }
}
