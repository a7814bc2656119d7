import { EventMachine } from '@assay/core/terminal/event/event-machine';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import type { EventRule, ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { type Measured, NONE } from './measured.ts';
import { scorer } from './parts.ts';

/** An event of a recorded asset. */
export interface RecordedEvent {
  readonly asset: Measured;
  /** Position of the opening among the asset's ticks. */
  readonly at: number;
  /** Counts of the grid; null of one that is open at the end. */
  readonly lasted: number | null;
  readonly reason: string | null;
}

/** What a rule's score does over a span of time. */
export interface SpanFigures {
  /** Ticks with a score, in days of an asset. */
  readonly assetDays: number;
  readonly events: readonly RecordedEvent[];
  /** Scored ticks by score. */
  readonly scores: Float64Array;
}

/** Scores and events with `parts`, one asset after the other; `spans` are starts of spans, counts of the grid. */
export function figuresOf(
  assets: readonly Measured[],
  parts: ScoreRule['parts'],
  event: EventRule,
  spans: readonly number[],
): readonly SpanFigures[] {
  const ticks = spans.map(() => 0);
  const scores = spans.map(() => new Float64Array(101));
  const events = spans.map((): RecordedEvent[] => []);
  const score = scorer(parts);
  for (const asset of assets) {
    const machine = new EventMachine(event);
    let open: { span: number; at: number } | undefined;
    for (let at = 0; at < asset.size; at += 1) {
      const index = asset.index[at] as number;
      const span = spans.findLastIndex((start) => index >= start);
      const [zLong, volMult, zShort] = [asset.zLong[at], asset.volMult[at], asset.zShort[at]];
      const whole = zLong !== NONE && volMult !== NONE && zShort !== NONE;
      const own = whole ? score(zLong as number, volMult as number, zShort as number) : null;
      if (own !== null && span >= 0) {
        ticks[span] = (ticks[span] as number) + 1;
        const counts = scores[span] as Float64Array;
        counts[own] = (counts[own] as number) + 1;
      }
      const step = machine.step(index, index * GRID_SECONDS, own, true);
      if (step?.kind === 'open') open = { span, at };
      if (step?.kind === 'close' && open !== undefined) {
        const lasted = index - (asset.index[open.at] as number);
        events[open.span]?.push({ asset, at: open.at, lasted, reason: step.reason });
        open = undefined;
      }
    }
    if (open !== undefined) {
      events[open.span]?.push({ asset, at: open.at, lasted: null, reason: null });
    }
  }
  return spans.map((_, i) => ({
    assetDays: ((ticks[i] as number) * GRID_SECONDS) / 86_400,
    events: events[i] as RecordedEvent[],
    scores: scores[i] as Float64Array,
  }));
}

/** Days of an asset for each event that opens. */
export function daysPerOpen({ assetDays, events }: SpanFigures): number {
  return assetDays / events.length;
}

/** The width whose days per open are nearest to `target` by ratio; of two the smaller. */
export function nearest(
  rates: readonly (readonly [width: number, daysPerOpen: number])[],
  target: number,
): number {
  const away = (days: number): number => Math.abs(Math.log(days / target));
  const [first] = rates.toSorted((a, b) => away(a[1]) - away(b[1]) || a[0] - b[0]);
  if (first === undefined) throw new TypeError('nearest: no widths');
  return first[0];
}
