import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { formatTickValues, tickSalt, type TickValues } from '@assay/core/terminal/tick/tick-values';
import { parseTime } from '@assay/core/time/time';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { type StoredReading, StoredTicks } from '@assay/node/tier/stored-ticks';
import { type SampleLog, sha256 } from '../../core/fixture/fixture.ts';
import { MARKET_SEED, type TerminalMarket, terminalLog } from '../../core/terminal/terminal-log.ts';

export interface TierWorld {
  readonly log: SampleLog;
  readonly market: TerminalMarket;
  readonly blobs: MemoryBlobStore;
  readonly openings: TickOpenings;
  readonly ticks: StoredTicks;
}

/** A small market of `days` whose vendor values are stored, as a publisher has them. */
export async function tierWorld(
  t: TestContext,
  days: number,
  thinFrom: number | null = null,
): Promise<TierWorld> {
  const { log, market } = terminalLog(days);
  const blobs = new MemoryBlobStore();
  for (const blob of market.blobs.values()) await blobs.put(blob);
  const folder = await mkdtemp(join(tmpdir(), 'assay-tier-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const openings = await TickOpenings.open(folder, { sha256, thinFrom, sync: false });
  const byTick = new Map<number, TickValues[]>();
  for (const values of market.values) {
    const ts = parseTime(values.ts);
    byTick.set(ts, [...(byTick.get(ts) ?? []), values]);
  }
  for (const [ts, values] of byTick) {
    await openings.put(
      ts,
      values.map((each) => ({
        symbol: each.symbol,
        salt: tickSalt(sha256, MARKET_SEED, 'tick', each.symbol, ts),
        bytes: formatTickValues(each),
      })),
    );
  }
  const ticks = new StoredTicks({ blobs, sha256, openings: { crypto: openings } });
  return { log, market, blobs, openings, ticks };
}

/** The same ticks, as if the source of their prices had another name from `since` on (unix seconds). */
export function withSourceFrom(
  { blobs, openings }: TierWorld,
  since: number,
  provider: string,
): StoredTicks {
  const renamed = (reading: StoredReading): StoredReading => {
    const { ts, values } = reading;
    if (ts < since || values === null) return reading;
    const sources = values.sources.map((source) => ({ ...source, provider }));
    return { ...reading, values: { ...values, sources } };
  };
  class RenamedTicks extends StoredTicks {
    override async *ofAsset(
      ...of: Parameters<StoredTicks['ofAsset']>
    ): AsyncGenerator<StoredReading> {
      for await (const reading of super.ofAsset(...of)) yield renamed(reading);
    }

    override async atTick(
      ...at: Parameters<StoredTicks['atTick']>
    ): Promise<ReadonlyMap<string, StoredReading>> {
      const readings = await super.atTick(...at);
      return new Map([...readings].map(([symbol, reading]) => [symbol, renamed(reading)]));
    }
  }
  return new RenamedTicks({ blobs, sha256, openings: { crypto: openings } });
}
