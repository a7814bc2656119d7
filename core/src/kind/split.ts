import { integer, object, type Parse, time } from '../wire/schema.ts';
import { parseSymbol } from '../terminal/tick/asset-symbol.ts';
import type { TimeText } from '../time/time.ts';

/** One share before is `numerator / denominator` shares from `effective_at` on: prices before are divided by it. */
export interface Split {
  readonly symbol: string;
  readonly effective_at: TimeText;
  readonly numerator: number;
  readonly denominator: number;
}

/** Most shares that stand for one, or that one stands for. */
export const MAX_SPLIT_FACTOR = 1000;

const factor = integer(1, MAX_SPLIT_FACTOR);

export const parseSplit: Parse<Split> = object<Split>({
  symbol: parseSymbol,
  effective_at: time,
  numerator: factor,
  denominator: factor,
});
