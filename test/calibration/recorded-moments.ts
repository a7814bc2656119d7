import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import type { EventOpen } from '@assay/core/kind/event';
import { eventId } from '@assay/core/kind/event-id';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { MomentSample, type Moments } from '@assay/core/terminal/edge/moment-sample';
import { monthOf, studyNumber } from '@assay/core/terminal/edge/study-spending';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { formatTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { classTicks, priceAt } from './class-ticks.ts';
import type { RecordedEvent } from './events.ts';
import { isScored, type Measured } from './measured.ts';
import type { RecordedStudy } from './page-study.ts';
import { scorer } from './parts.ts';
import { byIndex, type RecordedOpening, recordedOpenings } from './recorded-study.ts';

/** The moments of recorded ticks, which are all good, as a log with studies of version 2 samples them. */
export function recordedMoments(
  assets: readonly Measured[],
  openings: readonly RecordedOpening[],
  rule: ScoreRule,
): Moments {
  const sample = new MomentSample(withStudy(rule));
  const opened = byIndex(openings);
  const score = scorer(rule.parts);
  const isQuiet = (asset: Measured, at: number): boolean =>
    isScored(asset, at) &&
    score(asset.zLong[at] as number, asset.volMult[at] as number, asset.zShort[at] as number) <
      rule.event.close;
  for (const { index, good } of classTicks(assets)) {
    sample.step({
      ts: index * GRID_SECONDS,
      index,
      good: () => good,
      price: (symbol) => priceAt(good, symbol),
    });
    const now = opened.get(index);
    if (now === undefined) continue;
    const quiet = [...good].flatMap(([symbol, { asset, at }]) =>
      isQuiet(asset, at) ? symbol : [],
    );
    for (const opening of now) sample.open(eventOf(opening, rule), quiet);
  }
  return sample.moments;
}

/** The study of version 2 of recorded events. */
export function recordedEdges(
  assets: readonly Measured[],
  events: readonly RecordedEvent[],
  rule: ScoreRule,
): RecordedStudy {
  const found = recordedMoments(assets, recordedOpenings(assets, events), rule);
  const number = recordedNumber(assets);
  return { ...found, number, ...edgeGroups(nodeSha256, rule.class, number, found.moments) };
}

/** The number of the study of everything that was recorded. */
export function recordedNumber(assets: readonly Measured[]): number {
  const first = Math.min(...assets.map(({ index }) => index[0] as number));
  const last = Math.max(...assets.map(({ index, size }) => index[size - 1] as number));
  return studyNumber(first * GRID_SECONDS, monthOf(last * GRID_SECONDS) + 1);
}

/** The rule as a log has it whose studies are of version 2. */
function withStudy(rule: ScoreRule): ScoreRule {
  return { ...rule, type: 'assay-score-rule/2', study: 2 };
}

/** The event that a log would have; what no study depends on says nothing. */
function eventOf({ asset, index, move, breadth }: RecordedOpening, rule: ScoreRule): EventOpen {
  const openedAt = index * GRID_SECONDS;
  return {
    id: eventId(nodeSha256, asset.symbol, openedAt),
    symbol: asset.symbol,
    class: rule.class,
    opened_at: formatTime(openedAt),
    score: rule.event.open,
    move_24h: move,
    vol_mult: null,
    breadth,
    price: ZERO_HASH_HEX,
    rule: ZERO_HASH_HEX,
  };
}
