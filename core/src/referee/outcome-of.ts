import type { Outcome } from '../kind/outcome.ts';
import type { Question } from '../kind/question.ts';
import type { PublicLeaf } from '../terminal/event/event-book.ts';
import { formatTime, parseTime } from '../time/time.ts';

/** A tick, as it applies to the asset of a question. */
export interface OutcomeTick {
  /** Unix seconds. */
  readonly ts: number;
  /** The asset's leaf; undefined if it has none. */
  readonly leaf: PublicLeaf | undefined;
  /** Whether the asset is listed. */
  readonly listed: boolean;
}

/**
 * The outcome that a tick makes due of a question without one; undefined where it decides nothing. The first tick from
 * `resolves_at` on at which the asset is good and scored decides, up to `tolerance_s` later. The first tick after that,
 * or from `resolves_at` on without the asset listed, makes it void.
 */
export function outcomeOf(
  { id, resolves_at, threshold, tolerance_s }: Question,
  { ts, leaf, listed }: OutcomeTick,
): Outcome | undefined {
  const from = parseTime(resolves_at);
  if (ts < from) return undefined;
  if (!listed || ts > from + tolerance_s) {
    return { question: id, outcome: 'void', score: null, resolved_at: null };
  }
  if (leaf === undefined || !leaf.good || leaf.score === null) return undefined;
  const { score } = leaf;
  const outcome = score >= threshold ? 'yes' : 'no';
  return { question: id, outcome, score, resolved_at: formatTime(ts) };
}
