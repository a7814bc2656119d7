import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { array, decimal, nullable, object, type Parse, time } from '@assay/core/wire/schema';
import { parseSymbol } from '@assay/core/terminal/tick/asset-symbol';
import { parseTime, type TimeText } from '@assay/core/time/time';
import type { WireValue } from '@assay/core/wire/wire';
import { type TickSource, unread } from './tick-source.ts';

/** What was read of an asset at a tick. */
export interface RecordedRead {
  readonly ts: TimeText;
  readonly symbol: string;
  readonly price: string | null;
  readonly volume_24h: string | null;
  readonly stamped_at: TimeText | null;
}

const parseReads: Parse<readonly RecordedRead[]> = array(
  object<RecordedRead>({
    ts: time,
    symbol: parseSymbol,
    price: nullable(decimal),
    volume_24h: nullable(decimal),
    stamped_at: nullable(time),
  }),
  0,
  1_000_000,
);

/**
 * A source that gives recorded values, for tests and development. Throws `bad_config` for two reads at one
 * time.
 */
export function recordedTicks(provider: string, reads: readonly RecordedRead[]): TickSource {
  const byTime = new Map<string, RecordedRead>();
  for (const read of reads) {
    const key = `${parseTime(read.ts)} ${read.symbol}`;
    if (byTime.has(key)) {
      throw new Fault('bad_config', 'recorded reads', { at: key, expected: 'one read of a time' });
    }
    byTime.set(key, read);
  }
  return {
    provider,
    read(ts, symbols, signal) {
      signal.throwIfAborted();
      return Promise.resolve(
        symbols.map((symbol) => {
          const found = byTime.get(`${ts} ${symbol}`);
          if (found === undefined || found.price === null) {
            return unread(provider, symbol, 'nothing recorded');
          }
          const { price, volume_24h, stamped_at } = found;
          return { symbol, said: { provider, price, volume_24h, stamped_at }, reason: null };
        }),
      );
    },
  };
}

/** Reads the list in a JSON file. Throws `bad_config`. */
export async function readRecordedTicks(path: string): Promise<readonly RecordedRead[]> {
  try {
    return parseReads(JSON.parse(await readFile(path, 'utf8')) as WireValue, 'reads');
  } catch (cause) {
    throw new Fault('bad_config', 'recorded reads', { at: path, found: messageOf(cause), cause });
  }
}
