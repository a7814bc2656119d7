import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatTime } from '@assay/core/time/time';
import { Random } from '../../core/terminal/random.ts';

/** A row of a made file. */
export interface MadeRow {
  readonly ts: number;
  readonly close: string;
  readonly volume: string;
}

export interface MadeMarket {
  /** By symbol, rising. */
  readonly rows: ReadonlyMap<string, readonly MadeRow[]>;
  readonly folder: string;
}

export interface MadeOptions {
  readonly symbols: readonly string[];
  /** Unix seconds of the first quarter hour. */
  readonly from: number;
  readonly ticks: number;
  readonly seed: number;
  /** One in so many rows is left out. */
  readonly gaps?: number;
}

/**
 * A market in files, made of a seed: prices that wander, and a spell of large moves and volume for each asset in turn,
 * so that events open and close.
 */
export async function makeMarket(root: string, options: MadeOptions): Promise<MadeMarket> {
  const { symbols, from, ticks, seed, gaps = 40 } = options;
  const draws = new Random(seed);
  const random = (low: number, high: number): number => low + draws.below(high - low + 1);
  const all = new Map<string, readonly MadeRow[]>();
  await mkdir(root, { recursive: true });
  for (const [i, symbol] of [...symbols].sort().entries()) {
    let price = 1_000_000 + random(0, 9_000_000);
    const rows: MadeRow[] = [];
    for (let k = 0; k < ticks; k += 1) {
      // From the day on that the windows of a small rule are full, in each asset at another time.
      const wild = (Math.floor(k / 8) + 5 * i) % 23 === 0;
      const step = wild ? random(-60, 80) : random(-4, 4);
      price = Math.max(1000, Math.round(price * (1 + step / 1000)));
      const volume = random(10_000, 12_000) * (wild ? 90 : 1);
      if (draws.oneIn(gaps)) continue;
      const ts = from + 900 * k;
      const close = `${Math.floor(price / 1000)}.${String(price % 1000).padStart(3, '0')}`;
      rows.push({ ts, close, volume: `${Math.floor(volume / 10)}.${volume % 10}` });
    }
    all.set(symbol, rows);
    const text = fileText(rows);
    // Half of them plain.
    if (i % 2 === 0) await writeFile(join(root, `${symbol}USDT.15m.csv`), text);
    else await writeFile(join(root, `${symbol}USDT.15m.csv.gz`), gzipSync(text));
  }
  return { rows: all, folder: root };
}

export function fileText(rows: readonly MadeRow[]): string {
  const lines = rows.map(({ ts, close, volume }) => `${formatTime(ts)},${close},${volume}\n`);
  return `close_time,close,volume\n${lines.join('')}`;
}
