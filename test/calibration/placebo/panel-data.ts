import { eventId } from '@assay/core/kind/event-id';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import { returnBp } from '@assay/core/terminal/score/returns';
import type { StudyData, StudyEvent } from '@assay/core/terminal/study/base-rate';
import { OrdinarySample } from '@assay/core/terminal/study/ordinary-sample';
import type { HorizonReturn } from '@assay/core/terminal/study/return-statistics';
import type { Ordinary } from '@assay/core/terminal/study/study-blob';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Opening } from './openings.ts';
import { timeOf } from './panel-moments.ts';
import { DAY_STEPS, type Panel, WEEK_STEPS } from './panel.ts';

const NOTHING: HorizonReturn = { ret: null, benchmark: null };

/** What a study of version 1 rests on where a panel has the steps up to `end`, that one included. */
export function panelData(panel: Panel, openings: readonly Opening[], end: number): StudyData {
  const rule = {
    ...CRYPTO_REPLAY_RULE,
    receipts: { ...CRYPTO_REPLAY_RULE.receipts, benchmark: panel.symbols[0] as string },
  };
  const until = openings.filter(({ step }) => step <= end);
  return {
    class: 'crypto',
    rule: scoreRuleHash(nodeSha256, rule),
    from: 0,
    to: 1,
    events: until.map((opening) => eventOf(panel, opening, end)),
    ordinary: ordinaryOf(panel, until, end, new OrdinarySample(rule)),
  };
}

/** An asset without a price a week later has no return, as its receipt is void; so has one whose week is not over. */
function eventOf(panel: Panel, { asset, step, move, breadth }: Opening, end: number): StudyEvent {
  const symbol = panel.symbols[asset] as string;
  const due = step + WEEK_STEPS;
  const back = (other: number): number => {
    const price = panel.price[other] as Float64Array;
    return returnBp(price[step] as number, price[due] as number);
  };
  const isThere = due <= end && due <= (panel.last[asset] as number);
  const week = isThere ? { ret: back(asset), benchmark: asset === 0 ? null : back(0) } : NOTHING;
  return {
    id: eventId(nodeSha256, symbol, timeOf(step)),
    symbol,
    opened_at: timeOf(step),
    move_24h: move,
    breadth,
    returns: { '1d': NOTHING, '7d': week, '30d': NOTHING },
  };
}

/** The ordinary moments, sampled as a log of version 1 samples them. */
function ordinaryOf(
  panel: Panel,
  openings: readonly Opening[],
  end: number,
  sample: OrdinarySample,
): Ordinary {
  let next = 0;
  for (let step = 0; step <= end; step += 1) {
    const good = new Map<string, number>();
    for (const [asset, symbol] of panel.symbols.entries()) {
      const last = panel.last[asset] as number;
      if (last >= step) good.set(symbol, panel.price[asset]?.[step] as number);
      if (last + 1 === step) sample.delist(symbol);
    }
    sample.step({
      ts: timeOf(step),
      index: timeOf(step) / GRID_SECONDS,
      good,
      scored: () => (step < 14 * DAY_STEPS ? [] : good.keys()),
      price: (symbol) => good.get(symbol) as number,
    });
    for (; openings[next]?.step === step; next += 1) {
      sample.event(panel.symbols[(openings[next] as Opening).asset] as string, timeOf(step));
    }
  }
  return sample.end();
}
