import { integer, object, type Parse, time } from '../wire/schema.ts';
import { parseSymbol } from '../terminal/tick/asset-symbol.ts';
import type { TimeText } from '../time/time.ts';

/**
 * From `effective_at` on, one earlier share is `numerator / denominator` shares, and earlier prices are divided by
 * that.
 */
export interface Split {
  readonly symbol: string;
  readonly effective_at: TimeText;
  readonly numerator: number;
  readonly denominator: number;
}

/** The most shares that may replace one, or that one may replace. */
export const MAX_SPLIT_FACTOR = 1000;

const factor = integer(1, MAX_SPLIT_FACTOR);

export const parseSplit: Parse<Split> = object<Split>({
  symbol: parseSymbol,
  effective_at: time,
  numerator: factor,
  denominator: factor,
});
