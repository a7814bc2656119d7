import { type Horizon, HORIZON_SECONDS, HORIZONS } from '@assay/core/kind/horizon';
import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/calendar/grid';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { assetRows } from '@assay/core/view/assets';
import { scoreRules } from '@assay/core/view/score-rules';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import { newestTick } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { Concern, StatusInput } from '../../health/concern.ts';
import type { LogRecord } from '../../ledger/record.ts';
import type { Clock } from '../../platform/clock.ts';

/** Seconds after the tick that should have made a receipt, from which it is overdue. */
export const RECEIPT_OVERDUE_S = 3600;

/** How many receipts are listed in one sentence. */
const NAMED_RECEIPTS = 5;
/** No class has a longer pause between two ticks. */
const LONGEST_PAUSE_S: number = 14 * DAY_SECONDS;

/** A receipt that the log does not have. Times are Unix seconds. */
interface WaitingReceipt {
  readonly id: string;
  readonly symbol: string;
  readonly horizon: Horizon;
  /** The first tick at or after the horizon. */
  readonly due: number;
  /**
   * The first tick that makes the receipt void if there was no reading before; undefined for a class without a listed
   * asset, which has no ticks any more.
   */
  readonly voidAt: number | undefined;
}

export interface ReceiptClockParts {
  readonly record: Pick<LogRecord, 'published' | 'shown'>;
  readonly now: Clock;
  /** The grids of the classes. */
  readonly grids: Readonly<Record<AssetClass, TickGrid>>;
}

/**
 * The receipts that are overdue, by the clock alone, whoever makes the ticks. A receipt is made by the first tick at or after
 * its horizon that has a reading of the asset, and is void `receipts.void_after_s` of its rule after the horizon. So one
 * that is overdue may wait for its asset: the service is degraded. Where one is not even void, no tick
 * has been handled since then: the service is halted.
 */
export function receiptClocks({ record, now, grids }: ReceiptClockParts): StatusInput {
  let known: readonly WaitingReceipt[] = [];
  let size = -1;
  return () => {
    const { published, shown } = record;
    if (published === undefined) return [];
    if (published.size !== size) known = waitingReceipts(shown, grids);
    ({ size } = published);
    const latest = now() - RECEIPT_OVERDUE_S;
    const overdue = known.filter(({ due }) => due < latest);
    if (overdue.length === 0) return [];
    const stopped = overdue.some(({ voidAt }) => voidAt !== undefined && voidAt < latest);
    const concerns: Concern[] = [{ level: 'degraded', reason: textOf(overdue) }];
    if (stopped) {
      const reason = 'The receipt clocks have stopped: a receipt that should be void is not.';
      concerns.push({ level: 'halted', reason });
    }
    return concerns;
  };
}

/** The receipts that are missing, those that were due first at the front. */
function waitingReceipts(
  state: ViewState,
  grids: ReceiptClockParts['grids'],
): readonly WaitingReceipt[] {
  const rules = new Map(
    ASSET_CLASSES.flatMap((of) => scoreRules(state, of)).map(({ hash, rule }) => [
      hash,
      rule.receipts.void_after_s,
    ]),
  );
  const longest = HORIZON_SECONDS['30d'] + Math.max(0, ...rules.values()) + LONGEST_PAUSE_S;
  const ticks = ASSET_CLASSES.flatMap((of) => newestTick(state, of) ?? []);
  if (ticks.length === 0) return [];
  // Ticks have made every receipt of an event that opened before, or made it void.
  const since = formatTime(Math.max(0, Math.min(...ticks.map((ts) => parseTime(ts))) - longest));
  const listed = new Set<AssetClass>();
  for (const row of assetRows(state)) if (row.listed) listed.add(row.class);
  const waiting: WaitingReceipt[] = [];
  for (const { open, receipts } of eventsByOpening(state)) {
    const { id, symbol, class: of, opened_at, rule } = open.body;
    if (opened_at < since) break;
    for (const horizon of HORIZONS) {
      if (receipts[horizon] !== null) continue;
      const at = parseTime(opened_at) + HORIZON_SECONDS[horizon];
      const voidAfter = listed.has(of) ? rules.get(rule) : undefined;
      const voidAt = voidAfter === undefined ? undefined : tickAfter(grids[of], at + voidAfter + 1);
      waiting.push({ id, symbol, horizon, due: tickAfter(grids[of], at), voidAt });
    }
  }
  return waiting.sort((a, b) => a.due - b.due);
}

/** The first tick at or after a time; the time itself where the grid has none soon. */
function tickAfter(grid: TickGrid, time: number): number {
  const first = Math.ceil(time / GRID_SECONDS) * GRID_SECONDS;
  for (let ts = first; ts < first + LONGEST_PAUSE_S; ts += GRID_SECONDS) {
    if (grid.indexOf(ts) !== undefined) return ts;
  }
  return time;
}

function textOf(overdue: readonly WaitingReceipt[]): string {
  const named = overdue
    .slice(0, NAMED_RECEIPTS)
    .map(
      ({ id, symbol, horizon, due }) =>
        `${horizon} of ${symbol} (event ${id}), due at ${formatTime(due)}`,
    );
  const more = overdue.length - named.length;
  const rest = more > 0 ? `; and ${more} more` : '';
  return `Receipts are overdue: ${named.join('; ')}${rest}.`;
}
