import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { draw } from '../site/draw.ts';

/** An asset of the invented market. */
export interface SyntheticAsset {
  readonly symbol: string;
  readonly name: string;
  /** Decimals of a unit of its price. */
  readonly decimals: number;
  /** Around what its price and its volume of a day lie, in dollars. */
  readonly price: number;
  readonly volume: number;
}

/** What an asset costs at a time, and what was traded in the day before it: decimals, in dollars. */
export interface SyntheticReading {
  readonly price: string;
  readonly volume24h: string;
}

const invented = (
  symbol: string,
  price: number,
  decimals: number,
  volume: number,
): SyntheticAsset => ({
  symbol,
  name: `${symbol.charAt(0)}${symbol.slice(1).toLowerCase()} (invented)`,
  decimals,
  price,
  volume,
});

/** The benchmark of the score rule. It has no bursts. */
const BENCHMARK: SyntheticAsset = {
  symbol: 'BTC',
  name: 'Bitcoin (invented prices)',
  decimals: 2,
  price: 60_000,
  volume: 20_000_000_000,
};

/** The assets that have bursts, in the order in which they have them. */
const RESTLESS: readonly SyntheticAsset[] = [
  invented('AMBER', 412, 2, 90_000_000),
  invented('BASALT', 18, 4, 31_000_000),
  invented('CEDAR', 2.5, 5, 12_000_000),
  invented('DUNE', 0.43, 6, 8_000_000),
  invented('EMBER', 96, 3, 54_000_000),
  invented('FJORD', 7.1, 5, 17_000_000),
  invented('GARNET', 1340, 2, 140_000_000),
  invented('HAZEL', 0.061, 7, 4_000_000),
  invented('INDIGO', 33, 4, 25_000_000),
  invented('JASPER', 0.88, 6, 9_000_000),
];

/** The assets of the development network's market, whose prices and volumes are invented. */
export const SYNTHETIC_ASSETS: readonly SyntheticAsset[] = [BENCHMARK, ...RESTLESS];

/** The first time at which there is a price, in unix seconds. */
export const MARKET_FROM: number = parseTime('2026-06-02T00:00:00Z' as TimeText);

/** From when on the bursts follow each other closely, in unix seconds. */
const LIVELY_FROM = parseTime('2026-07-31T06:00:00Z' as TimeText);
/**
 * Seconds between two bursts of the market, before that and after it. An answer to a question is accepted for four
 * hours, so that with the second there is nearly always a question that can be answered. One asset has a burst at
 * every tenth, which is longer than the rule wants between two events of one asset.
 */
const QUIET_S = 20 * 3600;
const LIVELY_S = 3.5 * 3600;
/** By how many quarter hours a burst is late, at most. */
const LATE_TICKS = 2;
const QUIET_BURSTS = Math.floor((LIVELY_FROM - MARKET_FROM) / QUIET_S);

/** In seconds from the beginning of a burst: when its price is reached, and from when to when it goes back. */
const RISE_S = 2700;
const TURN_S = 2.5 * 3600;
const BACK_S = 3.5 * 3600;
/** When its volume is reached, falls again and is over; and how many times the usual volume it adds. */
const LOUD_S = 1800;
const FADE_S = 4 * 3600;
const QUIET_AGAIN_S = 5 * 3600;
const LOUDNESS = 9;
/** Hundredths that the logarithm of a price moves in a burst: at least, and how many more there may be. */
const LEAST_MOVE = 15;
const MORE_MOVE = 17;
/** A burst goes back towards the usual price once the logarithm is this far from it. */
const FAR = 0.4;
/** One of so many bursts leaves a part of its move behind, in tenths at least; the others pass whole. */
const STAYING = 3;
const LEAST_TENTHS = 4;

/** The periods of the noise in quarter hours, and by how much the logarithm moves in one of a single quarter hour. */
const PERIODS = [4, 16, 64, 256, 1024];
const MOVE = 0.0012;

interface Burst {
  /** Unix seconds. */
  readonly at: number;
  /** By how much the logarithm of the price moves. */
  readonly move: number;
  /** How much of the move stays, from 0 to 1. */
  readonly stays: number;
  /** What the bursts before it have left behind. */
  readonly before: number;
}

/** Two neighbours of a noise, between which it runs in a straight line. */
interface Stretch {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/**
 * A market in which nothing is real: every price and volume follows from the name of the asset and the time alone, as
 * the draws of the development sites do. A price is noise of several periods, and bursts: large moves with a large
 * volume, of which a part stays and the rest passes after some hours.
 */
export class SyntheticMarket {
  readonly #assets = new Map(SYNTHETIC_ASSETS.map((asset) => [asset.symbol, asset]));
  /** The bursts of each asset that have begun, the newest last, and when the next one begins. */
  readonly #bursts = new Map<string, { readonly known: Burst[]; next: number }>();
  readonly #stretches = new Map<string, Stretch>();
  /** The newest reading of each asset, because several vendors want it. */
  readonly #readings = new Map<
    string,
    { readonly ts: number; readonly reading: SyntheticReading }
  >();

  /** Undefined for another symbol, and before the market begins. `ts` is unix seconds. */
  reading(symbol: string, ts: number): SyntheticReading | undefined {
    const asset = this.#assets.get(symbol);
    if (asset === undefined || ts < MARKET_FROM) return undefined;
    const newest = this.#readings.get(symbol);
    if (newest?.ts === ts) return newest.reading;
    const reading = this.#read(asset, ts);
    this.#readings.set(symbol, { ts, reading });
    return reading;
  }

  #read(asset: SyntheticAsset, ts: number): SyntheticReading {
    const { symbol } = asset;
    const burst = this.#burstOf(symbol, ts);
    const after = burst === undefined ? 0 : ts - burst.at;
    const level = burst === undefined ? 0 : burst.before + burst.move * heightOf(burst, after);
    const price = asset.price * Math.exp(this.#noise(symbol, ts) + level);
    const loud = burst === undefined ? 0 : LOUDNESS * loudnessOf(after);
    const usual = 1 + 0.2 * this.#between(`${symbol}/volume`, ts, 24);
    return {
      price: price.toFixed(asset.decimals),
      volume24h: (asset.volume * (usual + loud)).toFixed(0),
    };
  }

  #noise(symbol: string, ts: number): number {
    let sum = 0;
    for (const period of PERIODS) {
      sum += MOVE * Math.sqrt(period) * this.#between(`${symbol}/${period}`, ts, period);
    }
    return sum;
  }

  /** A line from -1 to 1 through a point for each `period` quarter hours. */
  #between(words: string, ts: number, period: number): number {
    const place = (ts - MARKET_FROM) / (period * GRID_SECONDS);
    const at = Math.floor(place);
    let stretch = this.#stretches.get(words);
    if (stretch?.at !== at) {
      const point = (i: number): number => draw(`market/${words}/${i}`, 2001) / 1000 - 1;
      stretch = { at, from: point(at), to: point(at + 1) };
      this.#stretches.set(words, stretch);
    }
    return stretch.from + (stretch.to - stretch.from) * (place - at);
  }

  /** The newest burst of an asset that has begun. */
  #burstOf(symbol: string, ts: number): Burst | undefined {
    const turn = RESTLESS.findIndex((asset) => asset.symbol === symbol);
    if (turn < 0) return undefined;
    const bursts = this.#bursts.get(symbol) ?? { known: [], next: burstTime(turn) };
    this.#bursts.set(symbol, bursts);
    const { known } = bursts;
    while (bursts.next <= ts) {
      known.push(burstAfter(known.at(-1), symbol, bursts.next));
      bursts.next = burstTime(turn + known.length * RESTLESS.length);
    }
    return known.findLast(({ at }) => at <= ts);
  }
}

/** When burst `n` of the market begins, in unix seconds. */
function burstTime(n: number): number {
  const late = draw(`market/late/${n}`, LATE_TICKS + 1) * GRID_SECONDS;
  if (n < QUIET_BURSTS) return MARKET_FROM + n * QUIET_S + late;
  return LIVELY_FROM + (n - QUIET_BURSTS) * LIVELY_S + late;
}

function burstAfter(last: Burst | undefined, symbol: string, at: number): Burst {
  const words = `market/${symbol}/${at}`;
  const before = last === undefined ? 0 : last.before + last.stays * last.move;
  const size = (LEAST_MOVE + draw(`${words}/size`, MORE_MOVE)) / 100;
  const up = Math.abs(before) > FAR ? before < 0 : draw(`${words}/up`, 2) === 0;
  return { at, move: up ? size : -size, stays: stayOf(words), before };
}

function stayOf(words: string): number {
  if (draw(`${words}/stays`, STAYING) > 0) return 0;
  return (LEAST_TENTHS + draw(`${words}/tenths`, 11 - LEAST_TENTHS)) / 10;
}

/** How much of a burst's move there is, from 0 to 1. */
function heightOf({ stays }: Burst, after: number): number {
  if (after <= TURN_S) return Math.min(1, after / RISE_S);
  return stays + (1 - stays) * Math.max(0, (BACK_S - after) / (BACK_S - TURN_S));
}

/** How much of a burst's volume there is, from 0 to 1. */
function loudnessOf(after: number): number {
  if (after <= FADE_S) return Math.min(1, after / LOUD_S);
  return Math.max(0, (QUIET_AGAIN_S - after) / (QUIET_AGAIN_S - FADE_S));
}
