import { type CosignerSet, SET_DELAY_S, setHash } from '../report/cosigner-set.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { Report } from '../report/report.ts';
import { formatTime, parseTime, type TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { keyHash, promisedKeys, publisherKeys } from './key/keys.ts';
import { logRow } from './log.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'cosigner-sets';

export interface SetRow extends CosignerSet {
  readonly seq: number;
  readonly at: TimeText;
  /** From when reports name it: the first set at once, later ones after their delay. */
  readonly effective_at: TimeText;
  readonly hash: HashHex;
}

/** Every set of co-signers, by number. A set that may not follow changes nothing. */
export const cosignerSetsView: View = {
  name: 'cosigner-sets',
  apply(entry, state, sha256) {
    if (entry.kind !== 'cosigners/1') return [];
    const { body, seq, at } = entry;
    if (unfitSet(state, body, parseTime(at), sha256) !== undefined) return [];
    const key = seqKey(body.number);
    const effective_at = body.number === 0 ? at : formatTime(parseTime(at) + SET_DELAY_S);
    const row: SetRow = { ...body, seq, at, effective_at, hash: setHash(sha256, body) };
    return [{ table: TABLE, key, value: wire(row) }];
  },
};

/**
 * Why a set may not be recorded at `time`, in Unix seconds, on top of these rows: what was expected, and what was
 * found. As on chain, only one set waits at a time. The publisher must not be a co-signer with a report key of any
 * time, the key of its checkpoints, a recovery key, or a key that it has promised by its hash and not shown yet.
 */
export function unfitSet(
  state: ViewState,
  { number, cosigners }: CosignerSet,
  time: number,
  sha256: Sha256,
): { readonly expected: string; readonly found: string } | undefined {
  const last = newestSet(state);
  const next = last === undefined ? 0 : last.number + 1;
  if (number !== next) return { expected: `set ${next}`, found: `set ${number}` };
  if (last !== undefined && time < parseTime(last.effective_at)) {
    return { expected: `set ${last.number} in force first`, found: last.effective_at };
  }
  const own = publisherKeys(state);
  const promised = promisedKeys(state);
  const publisher = cosigners.find(
    ({ key }) => own.includes(key) || promised.has(keyHash(sha256, key)),
  );
  if (publisher !== undefined) {
    return { expected: 'co-signers other than the publisher', found: publisher.key };
  }
  return undefined;
}

/** The sets of a log, oldest first. */
export function cosignerSets(state: ViewState): readonly SetRow[] {
  return [...state.list(TABLE)].map(([, row]) => row as unknown as SetRow);
}

/** The newest set, in force or not. */
export function newestSet(state: ViewState): SetRow | undefined {
  for (const [, row] of state.descend(TABLE)) return row as unknown as SetRow;
  return undefined;
}

/** The sets from `number` on, newest first. */
export function* setsFrom(state: ViewState, number: number): Generator<SetRow> {
  for (const [, value] of state.descend(TABLE)) {
    const row = value as unknown as SetRow;
    if (row.number < number) return;
    yield row;
  }
}

/**
 * The newest set in force at `time`, in Unix seconds, among those in entries before `seq`, or among all where `seq` is
 * absent.
 */
export function cosignersAt(
  state: ViewState,
  time: number,
  seq: number = Number.POSITIVE_INFINITY,
): SetRow | undefined {
  for (const [, value] of state.descend(TABLE)) {
    const row = value as unknown as SetRow;
    if (row.seq < seq && parseTime(row.effective_at) <= time) return row;
  }
  return undefined;
}

export function setByHash(state: ViewState, hash: HashHex): SetRow | undefined {
  for (const [, value] of state.descend(TABLE)) {
    const row = value as unknown as SetRow;
    if (row.hash === hash) return row;
  }
  return undefined;
}

/** What a report published at `time`, in Unix seconds, on top of these rows names as its co-signers. */
export function reportCosigners(state: ViewState, time: number): Report['cosigners'] {
  const set = cosignersAt(state, time);
  if (set !== undefined) return { set: set.hash, required: set.threshold };
  return { set: null, required: logRow(state)?.policies.cosigners_required ?? 0 };
}
