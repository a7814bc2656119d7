import type { EventOpen } from '@assay/core/kind/event';
import { HORIZONS } from '@assay/core/kind/horizon';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';

/** A return that a receipt, a benchmark or an event states, over two ticks of an asset. */
export interface PublicReturn {
  readonly symbol: string;
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
  /** Basis points. */
  readonly ret: number;
  /** Which entry states it. */
  readonly by: string;
}

/** Those of the receipts and benchmarks of a class. */
export function* returnsOf(state: ViewState, of: AssetClass): Generator<PublicReturn> {
  for (const { open, receipts, benchmarks } of eventsByOpening(state)) {
    const { id, symbol, opened_at, class: own } = open.body;
    if (own !== of) continue;
    for (const horizon of HORIZONS) {
      const receipt = receipts[horizon]?.body;
      const benchmark = benchmarks[horizon]?.body;
      const by = `of event ${id} after ${horizon}`;
      if (receipt !== undefined) {
        const { resolved_at: to, ret } = receipt;
        yield* over(symbol, opened_at, to, ret, `the receipt ${by}`);
      }
      if (benchmark !== undefined) {
        const { from, to, ret } = benchmark;
        yield* over(benchmark.symbol, from, to, ret, `the benchmark ${by}`);
      }
    }
  }
}

/** The move that an event states, from the tick at which it begins (unix seconds); undefined without one of them. */
export function moveOf(
  { id, symbol, opened_at, move_24h: ret }: EventOpen,
  from: number | undefined,
): PublicReturn | undefined {
  if (ret === null || from === undefined) return undefined;
  return { symbol, from, to: parseTime(opened_at), ret, by: `the move_24h of event ${id}` };
}

function* over(
  symbol: string,
  from: TimeText | null,
  to: TimeText | null,
  ret: number | null,
  by: string,
): Generator<PublicReturn> {
  if (from === null || to === null || ret === null) return;
  yield { symbol, from: parseTime(from), to: parseTime(to), ret, by };
}
