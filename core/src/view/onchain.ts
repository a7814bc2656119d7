import { closeHash } from '../report/close.ts';
import type { HashHex } from '../hash/hash.ts';
import type { OnChain, PrintEntry } from '../kind/print-entry.ts';
import type { Ticker } from '../rule/ticker.ts';
import { type DateText, parseTime, type TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { cosignersAt } from './cosigner-sets.ts';
import { logRow } from './log.ts';
import { reportDigest } from './report-digest.ts';
import { seqKey } from './seq-key.ts';
import { firstTicker } from './rules.ts';
import type { FoldedEntry, View, ViewState } from './view.ts';
import type { Sha256 } from '../hash/hash.ts';

const DUE = 'onchain-due';
const BY_DIGEST = 'onchain';
const BY_SEQ = 'onchain-by-seq';

/** A print or a Close that belongs on chain. */
export interface Due {
  /** The entry of the report or the Close. */
  readonly seq: number;
  readonly of: OnChain;
  /** The index whose feed it belongs under. */
  readonly ticker: Ticker;
  readonly period: DateText;
  readonly digest: HashHex;
}

export interface OnchainRow extends PrintEntry {
  readonly seq: number;
  readonly at: TimeText;
}

/**
 * What belongs on chain, by its position in the log, and what the log records as on chain, by digest. Every report that
 * names a set of co-signers belongs there, except for withheld levels, which nobody can recount; and every Close of a
 * log with co-signers, under the feed of its first index.
 */
export const onchainView: View = {
  name: 'onchain',
  apply(entry, state, sha256) {
    if (entry.kind === 'print/1') {
      const { body, seq, at } = entry;
      if (state.get(BY_DIGEST, body.digest) !== undefined) return [];
      const row: OnchainRow = { ...body, seq, at };
      return [
        { table: BY_DIGEST, key: body.digest, value: wire(row) },
        { table: BY_SEQ, key: seqKey(seq), value: body.digest },
      ];
    }
    const due = dueOf(entry, state, sha256);
    if (due === undefined) return [];
    return [{ table: DUE, key: seqKey(due.seq), value: wire(due) }];
  },
};

function dueOf(entry: FoldedEntry, state: ViewState, sha256: Sha256): Due | undefined {
  const { seq } = entry;
  if (logRow(state)?.chain == null) return undefined;
  switch (entry.kind) {
    case 'report/1': {
      const { ticker, period, cosigners, withheld } = entry.body.report;
      if (cosigners.set === null || withheld) return undefined;
      return { seq, of: 'print', ticker, period, digest: reportDigest(sha256, entry.body) };
    }
    case 'close/1': {
      const { content } = entry.body;
      const ticker = firstTicker(state);
      if (ticker === undefined || cosignersAt(state, parseTime(entry.at)) === undefined) return;
      const digest = closeHash(sha256, content);
      return { seq, of: 'close', ticker, period: content.day, digest };
    }
    default:
      return undefined;
  }
}

/** What belongs on chain, newest first. */
export function* dueBack(state: ViewState, below?: number): Generator<Due> {
  for (const [, row] of state.descend(DUE, below === undefined ? undefined : seqKey(below))) {
    yield row as unknown as Due;
  }
}

/** What the report or the Close in an entry is on chain; undefined where nothing of it belongs there. */
export function dueAt(state: ViewState, seq: number): Due | undefined {
  return state.get(DUE, seqKey(seq)) as unknown as Due | undefined;
}

/** Where a report or a Close is on chain; undefined until the log records it. */
export function onchainRow(state: ViewState, digest: HashHex): OnchainRow | undefined {
  return state.get(BY_DIGEST, digest) as unknown as OnchainRow | undefined;
}

/** What the log records as on chain, newest first. */
export function* onchainBack(state: ViewState): Generator<OnchainRow> {
  for (const [, digest] of state.descend(BY_SEQ)) {
    yield onchainRow(state, digest as HashHex) as OnchainRow;
  }
}
