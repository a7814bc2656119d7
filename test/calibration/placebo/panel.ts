import { Draws, grow } from './draws.ts';

/** Steps of a panel in a day; a step is six hours. */
export const DAY_STEPS = 4;
export const STEP_SECONDS = 21_600;
export const WEEK_STEPS: number = 7 * DAY_STEPS;
/** When every panel begins, in unix seconds: 2024-10-23T00:00:00Z, the first day of the recorded year. */
export const PANEL_START = 1_729_641_600;

/** What a simulated market is like. */
export interface Market {
  /** The standard deviation of how strongly assets follow the market, around 1. */
  readonly betas: number;
  /** The standard deviation of an asset's own drift in a week, as a fraction. */
  readonly drift: number;
  /** The share of assets that begin to fail in a year. */
  readonly failing: number;
}

/**
 * A simulated market. Apart from an asset's own drift every price is a martingale: nothing that is known at a
 * step says whether a price will rise or fall after it.
 */
export interface Panel {
  readonly steps: number;
  readonly symbols: readonly string[];
  /** By asset, then by step: the price in integer units. */
  readonly price: readonly Float64Array[];
  /**
   * The same without the asset's own drift. Events are made of these prices, so that a drift says nothing of the
   * group of an event, and the true edge stays 0.
   */
  readonly driftless: readonly Float64Array[];
  /** By asset: the last step with a price. */
  readonly last: Int32Array;
  /** By asset: the fraction of the last price that a holder is paid in the end. No study sees it. */
  readonly payoff: Float64Array;
}

const FIRST_PRICE = 1e9;
/** What an asset loses at once when it begins to fail, on average, and the least and the range of it. */
const FALL = { least: 0.3, range: 0.4, mean: 0.5 } as const;
/** The chance in each step after that fall that the asset has no price any more; a holder is then paid a part. */
const END = { chance: 1 / 40, least: 0.6, range: 0.4, mean: 0.8 } as const;

/** The market that `seed` gives. The first asset is the benchmark: it follows the market, and never fails. */
export function makePanel(seed: number, assets: number, days: number, market: Market): Panel {
  const draws = new Draws(seed);
  const steps = days * DAY_STEPS;
  const common = commonMoves(draws, steps);
  const made = Array.from({ length: assets }, (_, i) => makeAsset(draws, common, market, i === 0));
  return {
    steps,
    symbols: made.map((_, i) => `A${i}X${seed}`),
    price: made.map(({ price }) => price),
    driftless: made.map(({ driftless }) => driftless),
    last: Int32Array.from(made, ({ last }) => last),
    payoff: Float64Array.from(made, ({ payoff }) => payoff),
  };
}

/** The common return of each step: its volatility comes in clusters, its tails are fat, and it jumps now and then. */
function commonMoves(draws: Draws, steps: number): Float64Array {
  const moves = new Float64Array(steps);
  let level = 0;
  for (let step = 0; step < steps; step += 1) {
    level = 0.97 * level + 0.144 * draws.bell();
    const jump = draws.uniform() < 0.004 ? 6 : 1;
    moves[step] = 0.012 * grow(level - 0.15) * jump * draws.tail();
  }
  return moves;
}

interface Asset {
  readonly price: Float64Array;
  readonly driftless: Float64Array;
  readonly last: number;
  readonly payoff: number;
}

function makeAsset(
  draws: Draws,
  common: Float64Array,
  market: Market,
  isBenchmark: boolean,
): Asset {
  const [spread, wildness] = [draws.bell(), draws.bell()];
  const beta = isBenchmark ? 1 : 1 + market.betas * spread;
  const own = isBenchmark ? 0.006 : 0.017 * grow(0.4 * wildness);
  const drift = (market.drift * draws.bell()) / WEEK_STEPS;
  const failure = new Failure(draws, isBenchmark ? 0 : market.failing / (365 * DAY_STEPS));
  const steps = common.length;
  const price = new Float64Array(steps + 1).fill(FIRST_PRICE);
  const driftless = market.drift === 0 ? price : price.slice();
  let [level, trend] = [0, 1];
  for (let step = 0; step < steps; step += 1) {
    level = 0.96 * level + 0.168 * draws.bell();
    const jump = draws.uniform() < 0.003 ? 6 : 1;
    const move = beta * (common[step] as number) + own * grow(level - 0.15) * jump * draws.tail();
    // Moves have no side that is likelier, so that limiting both leaves their mean at 0.
    const factor = 1 + Math.max(-0.8, Math.min(move, 0.8));
    const kept = failure.step();
    if (kept === undefined) return { price, driftless, last: step, payoff: failure.payoff };
    const before = driftless[step] as number;
    driftless[step + 1] = Math.max(1, Math.round(before * factor * kept));
    trend *= 1 + drift;
    price[step + 1] = Math.max(1, Math.round((driftless[step + 1] as number) * trend));
  }
  return { price, driftless, last: steps, payoff: 1 };
}

/**
 * How an asset fails: its price falls at once, is quoted for some days more, and then there is none. While that may
 * still come, the price rises by as much as it costs on average, so that it stays a martingale.
 */
class Failure {
  readonly #draws: Draws;
  readonly #chance: number;
  #hasFallen = false;
  payoff = 1;

  constructor(draws: Draws, chance: number) {
    this.#draws = draws;
    this.#chance = chance;
  }

  /** What a step makes of a price that is 1; undefined where there is no price any more. */
  step(): number | undefined {
    if (this.#chance === 0) return 1;
    const chance = this.#hasFallen ? END.chance : this.#chance;
    const mean = this.#hasFallen ? END.mean : 1 - FALL.mean;
    if (this.#draws.uniform() >= chance) return 1 + (chance * (1 - mean)) / (1 - chance);
    const share = this.#draws.uniform();
    if (this.#hasFallen) {
      this.payoff = END.least + END.range * share;
      return undefined;
    }
    this.#hasFallen = true;
    return 1 - FALL.least - FALL.range * share;
  }
}
