import type { Asset } from '../kind/asset.ts';
import { HORIZON_SECONDS } from '../kind/horizon.ts';
import { parseTime, type TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { newestScoreRule } from './score-rules.ts';
import { seqKey } from './seq-key.ts';
import { newestTick } from './ticks.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'assets';
/** What an asset was before its newest entry, by the entry that said so. */
const earlierTable = (symbol: string): string => `assets-earlier/${symbol}`;

/** An asset, as its newest entry describes it. Class and decimals are those of its first entry. */
export interface AssetRow extends Asset {
  /** The newest entry of the symbol, and the time that it claims. */
  readonly seq: number;
  readonly at: TimeText;
  /** The newest tick of its class when it was delisted; null while it is listed, and if there was no tick. */
  readonly delisted_after: TimeText | null;
}

/** Every asset that the Terminal ever listed, by symbol. */
export const assetsView: View = {
  name: 'assets',
  apply(entry, state) {
    if (entry.kind !== 'asset/1') return [];
    const { seq, at, body } = entry;
    const before = assetRow(state, body.symbol);
    const of = before?.class ?? body.class;
    const row: AssetRow = {
      ...body,
      class: of,
      decimals: before?.decimals ?? body.decimals,
      seq,
      at,
      delisted_after: body.listed ? null : delistedAfter(before, newestTick(state, of)),
    };
    const current = { table: TABLE, key: body.symbol, value: wire(row) };
    if (before === undefined) return [current];
    return [
      current,
      { table: earlierTable(body.symbol), key: seqKey(before.seq), value: wire(before) },
    ];
  },
};

export function assetRow(state: ViewState, symbol: string): AssetRow | undefined {
  return state.get(TABLE, symbol) as unknown as AssetRow | undefined;
}

/** An asset as it was when the entry `seq` was written, whatever the log has stated since; undefined where it was not listed yet. */
export function assetRowAt(state: ViewState, symbol: string, seq: number): AssetRow | undefined {
  const newest = assetRow(state, symbol);
  if (newest === undefined || newest.seq <= seq) return newest;
  for (const [, row] of state.descend(earlierTable(symbol), seqKey(seq + 1))) {
    return row as unknown as AssetRow;
  }
  return undefined;
}

/** All assets, by symbol, including those that are no longer listed. */
export function* assetRows(state: ViewState): Generator<AssetRow> {
  for (const [, row] of state.list(TABLE)) yield row as unknown as AssetRow;
}

function delistedAfter(
  before: AssetRow | undefined,
  newest: TimeText | undefined,
): TimeText | null {
  return before?.listed === false ? before.delisted_after : (newest ?? null);
}

/**
 * Whether an asset may be listed. One that was delisted may be listed again only after all its receipts would be due:
 * the last horizon and `void_after_s` of its class's rule after the tick before its delisting. Where there was no tick
 * since, nothing has changed and it may be listed.
 */
export function isListable(state: ViewState, symbol: string): boolean {
  const row = assetRow(state, symbol);
  const newest = row === undefined ? undefined : newestTick(state, row.class);
  if (row === undefined || row.delisted_after === null || newest === undefined) return true;
  if (newest === row.delisted_after) return true;
  return parseTime(newest) >= parseTime(row.delisted_after) + relistSeconds(state, row);
}

/** Seconds of the class's ticks until an asset that was delisted may be listed again. */
export function relistSeconds(state: ViewState, { class: of }: Pick<Asset, 'class'>): number {
  // All versions have the same receipts.
  const wait = newestScoreRule(state, of)?.rule.receipts.void_after_s ?? 0;
  return HORIZON_SECONDS['30d'] + wait;
}
