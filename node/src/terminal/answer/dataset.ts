import { formatCsvRow } from './csv-row.ts';
import { HORIZONS } from '@assay/core/kind/horizon';
import { isReplay } from '@assay/core/network';
import { ASSET_CLASSES } from '@assay/core/terminal/tick/asset-symbol';
import { type DateText, dateOf, toDate } from '@assay/core/time/time';
import { assetRow } from '@assay/core/view/assets';
import {
  closingsOn,
  closingsSince,
  type EventRow,
  eventStatus,
} from '@assay/core/view/terminal-events';
import { takePage } from '@assay/core/answer/page';
import { logRow } from '@assay/core/view/log';
import { firstTick } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { JsonObject } from '@assay/core/answer/terminal/alias';
import { hundredths, nameOf, receiptPayload } from '@assay/core/answer/terminal/terminal-event';

export const DATASET_PATH = '/receipts/dataset';
/** The most rows of one answer. */
export const MAX_DATASET_ROWS = 5000;
export const DEFAULT_DATASET_ROWS = 1000;

/** The first day of the record. */
const DATASET_START: DateText = toDate('2026-08-27');

/** The first day of a log's dataset, unless an operator sets another; for a replay, the day of its first tick. */
export function datasetStart(state: ViewState): DateText {
  if (!isReplay(logRow(state)?.origin ?? '')) return DATASET_START;
  const [first] = ASSET_CLASSES.flatMap((of) => firstTick(state, of) ?? []).sort();
  return first === undefined ? DATASET_START : dateOf(first);
}

/** A row: its columns in their order. */
export type DatasetRow = JsonObject;

export interface DatasetPayload {
  readonly halted: false;
  /** Events that opened on this day (UTC) or later. */
  readonly since: string;
  readonly rows: readonly DatasetRow[];
  /** The `offset` of the rows that follow; null where there are none. */
  readonly next_offset: number | null;
  /** The `cursor` of the rows that follow; null where there are none. */
  readonly next_cursor: string | null;
}

export interface DatasetQuery {
  readonly since: DateText;
  readonly limit: number;
  readonly offset: number;
  /** In upper case; all assets where it is not given. */
  readonly symbol?: string | undefined;
  /** The last day (UTC) of the openings. */
  readonly to?: string | undefined;
  /** The place in a cursor. */
  readonly after?: string | undefined;
}

/**
 * One flat row for each closed event that opened at `since` or later, including those of hidden assets, in the order in
 * which the log closed them. Rows are only added after the last, so that an offset names the same row for good.
 */
export function datasetPayload(state: ViewState, asked: DatasetQuery): DatasetPayload {
  const { since, limit, offset, after } = asked;
  const { rows, next } = takePage('dataset', closingsAsked(state, asked), limit);
  return {
    halted: false,
    since,
    rows: rows.map((row) => datasetRow(state, row)),
    next_offset: next === null || after !== undefined ? null : offset + limit,
    next_cursor: next,
  };
}

function* closingsAsked(
  state: ViewState,
  { since, offset, symbol, to, after }: DatasetQuery,
): Generator<readonly [string, EventRow]> {
  const isPlain = symbol === undefined && to === undefined && after === undefined;
  const above = after === undefined ? undefined : Number(after);
  const closings = isPlain
    ? closingsSince(state, since, offset)
    : closingsOn(state, { above, symbol, from: since, to });
  // A cursor comes without an offset.
  let left = isPlain || after !== undefined ? 0 : offset;
  for (const [place, row] of closings) {
    left -= 1;
    if (left < 0) yield [String(place), row];
  }
}

/** The same rows after a header row with their columns. Without rows there is only the header. */
export function datasetCsv(rows: readonly DatasetRow[]): string {
  const lines = rows.map((row) => formatCsvRow(Object.values(row) as readonly CsvValue[]));
  return [formatCsvRow(DATASET_COLUMNS), ...lines].map((line) => `${line}\n`).join('');
}

type CsvValue = string | number | boolean | null;

function datasetRow(state: ViewState, row: EventRow): DatasetRow {
  const { open, close } = row;
  const { id, symbol, class: of, opened_at, score, move_24h, vol_mult, breadth, rule } = open.body;
  const peak = close?.body.peak_score ?? null;
  const flat: Record<string, CsvValue> = {
    event_id: id,
    symbol,
    name: nameOf(state, symbol),
    class: of,
    display: assetRow(state, symbol)?.display ?? true,
    status: eventStatus(row),
    opened_at,
    closed_at: close?.body.closed_at ?? null,
    close_reason: close?.body.reason ?? null,
    score_at_open: score,
    peak_score: peak,
    // The aliases of `alias.ts`, written out because rows are made too often for a search of their keys.
    peak_heat: peak,
    heat_at_open: peak,
    move_24h: hundredths(move_24h),
    vol_mult: hundredths(vol_mult),
    breadth_up: breadth.up,
    breadth_down: breadth.down,
    breadth_of: breadth.of,
    rule,
  };
  for (const horizon of HORIZONS) {
    const receipt = receiptPayload(state, row, horizon);
    flat[`status_${horizon}`] = receipt.status;
    flat[`ret_pct_${horizon}`] = receipt.ret_pct;
    flat[`resolved_at_${horizon}`] = receipt.resolved_at;
    flat[`void_reason_${horizon}`] = receipt.void_reason;
    flat[`benchmark_${horizon}`] = receipt.benchmark;
    flat[`benchmark_ret_pct_${horizon}`] = receipt.benchmark_ret_pct;
    flat[`benchmark_reason_${horizon}`] = receipt.benchmark_reason;
  }
  return flat;
}

const HORIZON_COLUMNS = [
  'status',
  'ret_pct',
  'resolved_at',
  'void_reason',
  'benchmark',
  'benchmark_ret_pct',
  'benchmark_reason',
];

/** The columns in their order. */
export const DATASET_COLUMNS: readonly string[] = [
  'event_id',
  'symbol',
  'name',
  'class',
  'display',
  'status',
  'opened_at',
  'closed_at',
  'close_reason',
  'score_at_open',
  'peak_score',
  'peak_heat',
  'heat_at_open',
  'move_24h',
  'vol_mult',
  'breadth_up',
  'breadth_down',
  'breadth_of',
  'rule',
  ...HORIZONS.flatMap((horizon) => HORIZON_COLUMNS.map((name) => `${name}_${horizon}`)),
];
