import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import type { Asset } from '@assay/core/kind/asset';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { MAX_TICK_LEAVES } from '@assay/core/terminal/tick/tick-leaf';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { MarketFile, type MarketSummary, marketSymbol, scanMarketFile } from './market-file.ts';
import type { MarketFormat } from './market-formats.ts';

/** The row of an asset's file at a tick. */
export interface MarketReading {
  /** The close as a plain decimal. */
  readonly price: string;
  /**
   * The quote volume of the day up to the tick, in whole units; null if too few rows of the day are there, or
   * above 2^53 - 1.
   */
  readonly volume24h: number | null;
}

/** One time at which at least one file has a row. */
export interface MarketInstant {
  /** In unix seconds. */
  readonly ts: number;
  /** By symbol, rising. */
  readonly readings: ReadonlyMap<string, MarketReading>;
}

/** The times that are wanted, in unix seconds: `from` is included, `to` is not. */
export interface MarketSpan {
  readonly from: number;
  readonly to: number;
}

/** Matches a name that is nearly that of a market file, which would otherwise be ignored silently. */
const NEARLY = /csv|15m/i;

/** How many files are scanned at the same time. */
const SCANS = 8;

/**
 * A folder with one file for each asset, `SYMBOL.15m.csv` or `.csv.gz`, each a year or more of quarter hours.
 * They are read as streams and merged by time, so that memory does not grow with their length.
 */
export class MarketFolder {
  /** By symbol, rising. */
  readonly files: readonly MarketSummary[];
  readonly #format: MarketFormat;

  private constructor(files: readonly MarketSummary[], format: MarketFormat) {
    this.files = files;
    this.#format = format;
  }

  /**
   * Scans every file once. Throws `malformed` with file and line, or for a name that is nearly that of a market
   * file; `not_found` for a folder that does not exist or contains none; `storage_failed`.
   */
  static async open(folder: string, format: MarketFormat): Promise<MarketFolder> {
    const paths: string[] = [];
    const symbols = new Map<string, string>();
    for (const name of (await namesOf(folder)).sort()) {
      const path = join(folder, name);
      const symbol = marketSymbol(path, format);
      if (symbol === undefined) {
        if (!NEARLY.test(name)) continue;
        throw new Fault('malformed', 'market folder', {
          at: path,
          expected: 'a name such as BTCUSDT.15m.csv.gz, or one without csv and 15m in it',
        });
      }
      await requireFile(path);
      const before = symbols.get(symbol);
      if (before !== undefined) {
        throw new Fault('malformed', 'market folder', {
          at: folder,
          expected: `one file of ${symbol}`,
          found: `${before} and ${name}`,
        });
      }
      symbols.set(symbol, name);
      paths.push(path);
    }
    if (paths.length === 0) {
      throw new Fault('not_found', 'market folder', {
        at: folder,
        expected: 'files such as BTCUSDT.15m.csv.gz',
      });
    }
    if (paths.length > MAX_TICK_LEAVES) {
      throw new Fault('malformed', 'market folder', {
        at: folder,
        expected: `at most ${MAX_TICK_LEAVES} assets`,
        found: String(paths.length),
      });
    }
    const files: MarketSummary[] = [];
    for (let i = 0; i < paths.length; i += SCANS) {
      const some = paths.slice(i, i + SCANS);
      files.push(...(await Promise.all(some.map((path) => scanMarketFile(path, format)))));
    }
    files.sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
    return new MarketFolder(files, format);
  }

  /**
   * What a replay lists, by symbol, as assets of a class. The files give the symbol and the decimals of each.
   */
  assets(of: AssetClass): ReadonlyMap<string, Asset> {
    return new Map(
      this.files.map(({ symbol, decimals }) => {
        return [symbol, { symbol, name: symbol, class: of, decimals, listed: true, display: true }];
      }),
    );
  }

  /**
   * Every time of the span at which a file has a row, rising. A day's volume also counts rows before the span.
   */
  async *instants({ from, to }: MarketSpan): AsyncGenerator<MarketInstant> {
    const files = this.files
      .filter(({ first, last }) => first < to && last >= from)
      .map((summary) => new MarketFile(summary, this.#format));
    try {
      for (const file of files) {
        do {
          if (!file.next()) await file.fill();
        } while (file.ts < from);
      }
      for (;;) {
        let ts = Number.POSITIVE_INFINITY;
        for (const file of files) if (file.ts < ts) ({ ts } = file);
        if (!(ts < to)) return;
        const readings = new Map<string, MarketReading>();
        for (const file of files) {
          if (file.ts !== ts) continue;
          readings.set(file.symbol, { price: file.price, volume24h: file.volume24h });
          if (!file.next()) await file.fill();
        }
        yield { ts, readings };
      }
    } finally {
      for (const file of files) file.close();
    }
  }
}

async function namesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw storageFault(cause, folder);
    throw new Fault('not_found', 'market folder', { at: folder, expected: 'a folder', cause });
  }
}

/** Throws `not_found` for a link that leads nowhere, `malformed` for a folder. */
async function requireFile(path: string): Promise<void> {
  let found;
  try {
    found = await stat(path);
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') throw storageFault(cause, path);
    throw new Fault('not_found', 'market file', { at: path, expected: 'a file', cause });
  }
  if (found.isFile()) return;
  throw new Fault('malformed', 'market file', { at: path, expected: 'a plain file' });
}
