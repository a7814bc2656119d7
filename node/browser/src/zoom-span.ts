/** The part of the scores that a chart shows: how a step changes it, and what it says. */

/** The score of an asset at a full hour, as `/asset/{symbol}` has it. */
export interface HourlyScore {
  readonly ts: string;
  readonly score: number | null;
}

/** A part of the times, in unix seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a reader does with the chart without a mouse. */
export type ZoomStep = 'in' | 'out' | 'earlier' | 'later' | 'all';

const HOUR_S = 3600;
/** No span is shorter. */
const SHORTEST_S = 6 * HOUR_S;

/** The part of the times that a step shows, from the part that is shown now. Both are unix seconds, within `first` and `last`. */
export function stepped(step: ZoomStep, { from, to }: Span, { from: first, to: last }: Span): Span {
  if (step === 'all') return { from: first, to: last };
  const length = to - from;
  if (step === 'earlier' || step === 'later') {
    const shift = (step === 'earlier' ? -1 : 1) * Math.round(length / 2);
    const moved = Math.min(Math.max(from + shift, first), Math.max(first, last - length));
    return { from: moved, to: Math.min(last, moved + length) };
  }
  const wanted = step === 'in' ? length / 2 : length * 2;
  const kept = Math.min(last - first, Math.max(SHORTEST_S, Math.round(wanted)));
  const middle = (from + to) / 2;
  const start = Math.round(Math.min(Math.max(first, middle - kept / 2), last - kept));
  return { from: start, to: start + kept };
}

/** What is in a span of scores, as a sentence. */
export function spanText(scores: readonly HourlyScore[], { from, to }: Span): string {
  const shown = scores.flatMap(({ ts, score }) => {
    const at = Date.parse(ts) / 1000;
    return score === null || at < from || at > to ? [] : [score];
  });
  const times = `From ${momentText(from)} to ${momentText(to)}`;
  if (shown.length === 0) return `${times} there is no reading.`;
  const readings = shown.length === 1 ? '1 reading' : `${shown.length} readings`;
  return `${times}: ${readings}, from ${Math.min(...shown)} to ${Math.max(...shown)}.`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

function momentText(seconds: number): string {
  return `${MOMENT.format(seconds * 1000)} UTC`;
}
