import { formatHex, parseHex } from '../../bytes/hex.ts';
import type { HashHex, Sha256 } from '../../hash/hash.ts';
import type { CheckpointKeyCause } from '../../kind/checkpoint-key.ts';
import { formatNoteKey, type NoteKey, parseNoteKey } from '../../log/note.ts';
import { type LogRow, logRow } from '../log.ts';
import { seqKey } from '../seq-key.ts';
import type { ViewState } from '../view.ts';

export const CHECKPOINT_KEYS_TABLE = 'checkpoint-keys';
export const CHECKPOINT_PROMISES_TABLE = 'checkpoint-promises';
/** The most entries between a closing head and the entry that brings the next key. */
export const MAX_CLOSING_LAG = 65_536;

/** A checkpoint key of a log, as the `key/2` entry that brought it describes it. */
export interface CheckpointKeyRow {
  /** 1 or more: key 0 is in genesis. */
  readonly number: number;
  /** Hex. */
  readonly key: string;
  /** The same as the verifier key of a signed note. */
  readonly vkey: string;
  readonly cause: CheckpointKeyCause;
  /** The entry that brought it. */
  readonly seq: number;
  /** The size of the largest head that the key before it signs. It signs the larger ones, and in a rotation this one too. */
  readonly last_size: number;
  readonly next_checkpoint_sha256: HashHex;
  /** The recovery key that brought it, hex; null of a rotation. */
  readonly recovery_key: string | null;
  readonly recovery_key_sha256: HashHex;
}

/** The promise of a checkpoint key by an entry that brings none. */
export interface CheckpointPromiseRow {
  /** The number of the key that is promised. */
  readonly number: number;
  readonly next_checkpoint_sha256: HashHex;
  readonly seq: number;
  /** The recovery key that signed the promise, hex. */
  readonly recovery_key: string;
  readonly recovery_key_sha256: HashHex;
}

/** A checkpoint key, and the sizes of the heads that it signs. */
export interface CheckpointTerm {
  /** 0 for the key that genesis names. */
  readonly number: number;
  /** Verifier key of a signed note. */
  readonly vkey: string;
  /** The entry that brought the key, 0 for genesis. */
  readonly seq: number;
  readonly cause: 'genesis' | CheckpointKeyCause;
  /** It signs the heads that are larger than this. */
  readonly above: number;
  /** The largest head that it signs; null while it is in force. */
  readonly last_size: number | null;
  /** The entry that promised the key before it came; null of key 0. */
  readonly promised_by: number | null;
}

/** The checkpoint keys of a log, the first one first; none before its genesis. */
export function checkpointTerms(state: ViewState): readonly CheckpointTerm[] {
  const log = logRow(state);
  if (log === undefined) return [];
  const rows = [...state.list(CHECKPOINT_KEYS_TABLE)].map(
    ([, row]) => row as unknown as CheckpointKeyRow,
  );
  const first = promiseRow(state, 1)?.seq ?? null;
  return [firstTerm(log), ...rows].map((row, i) => {
    const { number, vkey, seq, cause } = row;
    const before = rows[i - 2];
    return {
      number,
      vkey,
      seq,
      cause,
      above: i === 0 ? 0 : (rows[i - 1] as CheckpointKeyRow).last_size,
      last_size: rows[i]?.last_size ?? null,
      promised_by: i === 0 ? null : (before?.seq ?? first),
    };
  });
}

/** The term of the key that signs a head of `size`; undefined where there is none. */
export function termOf(terms: readonly CheckpointTerm[], size: number): CheckpointTerm | undefined {
  return terms.find(
    ({ above, last_size: last }) => size > above && (last === null || size <= last),
  );
}

/**
 * The terms of the keys of which a head of `size` has a line: one, and at the end of a term that a rotation ended two,
 * the older one first.
 */
export function signingTerms(
  terms: readonly CheckpointTerm[],
  size: number,
): readonly CheckpointTerm[] {
  return terms.filter(
    ({ above, last_size: last, cause }) =>
      (size > above || (size === above && cause === 'rotation')) && (last === null || size <= last),
  );
}

/** The newest checkpoint key: its number, and the key in hex; undefined before genesis, and where genesis has no valid key. */
export function newestCheckpointKey(
  state: ViewState,
  sha256: Sha256,
): Pick<CheckpointKeyRow, 'number' | 'key' | 'vkey' | 'seq' | 'last_size'> | undefined {
  for (const [, row] of state.descend(CHECKPOINT_KEYS_TABLE)) {
    return row as unknown as CheckpointKeyRow;
  }
  const vkey = logRow(state)?.checkpoint_vkey;
  const key = vkey === undefined ? undefined : noteKey(vkey, sha256);
  if (vkey === undefined || key === undefined) return undefined;
  return { number: 0, key: formatHex(key.publicKey), vkey, seq: 0, last_size: 0 };
}

/** The hash that is promised for checkpoint key `number`, and the entry that promises it; undefined where none is. */
export function promisedCheckpointKey(
  state: ViewState,
  number: number,
): { readonly hash: HashHex; readonly seq: number } | undefined {
  const row = promiseRow(state, number) ?? keyRow(state, number - 1);
  return row === undefined ? undefined : { hash: row.next_checkpoint_sha256, seq: row.seq };
}

/** `key`, in hex, as the verifier key of the log's checkpoints. Undefined where genesis names no valid one. */
export function checkpointVkey(state: ViewState, key: string, sha256: Sha256): string | undefined {
  const vkey = logRow(state)?.checkpoint_vkey;
  const first = vkey === undefined ? undefined : noteKey(vkey, sha256);
  return first === undefined ? undefined : formatNoteKey(sha256, first.name, parseHex(key, 32));
}

/** The rows of checkpoint keys from `number` on, newest first. Key 0 has none. */
export function* checkpointKeysFrom(state: ViewState, number: number): Generator<CheckpointKeyRow> {
  for (const [, value] of state.descend(CHECKPOINT_KEYS_TABLE)) {
    const row = value as unknown as CheckpointKeyRow;
    if (row.number < number) return;
    yield row;
  }
}

/** The newest promise by an entry that brought no key. */
export function newestPromise(state: ViewState): CheckpointPromiseRow | undefined {
  for (const [, row] of state.descend(CHECKPOINT_PROMISES_TABLE)) {
    return row as unknown as CheckpointPromiseRow;
  }
  return undefined;
}

/** Every promise by an entry that brought no key. */
export function checkpointPromises(state: ViewState): readonly CheckpointPromiseRow[] {
  return [...state.list(CHECKPOINT_PROMISES_TABLE)].map(
    ([, row]) => row as unknown as CheckpointPromiseRow,
  );
}

function firstTerm(log: LogRow): Pick<CheckpointTerm, 'number' | 'vkey' | 'seq' | 'cause'> {
  return { number: 0, vkey: log.checkpoint_vkey, seq: 0, cause: 'genesis' };
}

function promiseRow(state: ViewState, number: number): CheckpointPromiseRow | undefined {
  return state.get(CHECKPOINT_PROMISES_TABLE, seqKey(number)) as unknown as
    | CheckpointPromiseRow
    | undefined;
}

function keyRow(state: ViewState, number: number): CheckpointKeyRow | undefined {
  return state.get(CHECKPOINT_KEYS_TABLE, seqKey(number)) as unknown as
    | CheckpointKeyRow
    | undefined;
}

function noteKey(vkey: string, sha256: Sha256): NoteKey | undefined {
  try {
    return parseNoteKey(sha256, vkey);
  } catch {
    return undefined;
  }
}
