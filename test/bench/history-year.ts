// What a year of one asset costs, of the demo's market, as it is sold.
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { TickWriter } from '@assay/core/terminal/tick/tick-writer';
import { DAY_SECONDS, formatTime } from '@assay/core/time/time';
import type { AssetRow } from '@assay/core/view/assets';
import { MemoryViews } from '@assay/core/view/state';
import { wire } from '@assay/core/wire/wire';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { readNamedBlob } from '@assay/node/blob/named-blob';
import {
  MARKET_FROM,
  SYNTHETIC_ASSETS,
  SyntheticMarket,
} from '@assay/node/dev/market/synthetic-market';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { FigureRights } from '@assay/node/tier/rights';
import { scoreHistoryPayload } from '@assay/node/tier/score-history-page';
import { StoredTicks } from '@assay/node/tier/stored-ticks';
import { terminalLog } from '../src/core/terminal/terminal-log.ts';
import type { Row } from './row.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const QUARTER = 900;
const SOURCE = 'synthetic_one';

/** The most expensive answer of the paid tier: its time, its size, and for how long it holds up other requests. */
export async function yearRows(days: number): Promise<readonly Row[]> {
  const folder = await temporaryFolder('history-year');
  try {
    const blobs = await FileBlobStore.open(join(folder, 'blobs'), { sync: false });
    const openings = await TickOpenings.open(join(folder, 'ticks'), {
      sha256: nodeSha256,
      thinFrom: null,
      sync: false,
    });
    const { state, hashes } = await writeTicks(days, blobs, openings);
    const ticks = new StoredTicks({ blobs, sha256: nodeSha256, openings: { crypto: openings } });
    const now = MARKET_FROM + days * DAY_SECONDS - QUARTER;
    const [first] = SYNTHETIC_ASSETS;
    const asset = state.get('assets', first?.symbol ?? '') as unknown as AssetRow;
    const rights = new FigureRights([SOURCE]);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const from = performance.now();
    const parts = { state, ticks, rights, grid: utcGrid, now };
    const payload = await scoreHistoryPayload(parts, asset, days);
    const body = Buffer.from(JSON.stringify(payload));
    const ours = performance.now() - from;
    delay.disable();
    const plain = performance.now();
    for (const hash of hashes) await readNamedBlob(blobs, nodeSha256, hash);
    const theirs = performance.now() - plain;
    const most = (delay.max / 1e6).toFixed(0);
    const what = `${days} days of history, the largest paid answer: ${payload.points.length} ticks of ${SYNTHETIC_ASSETS.length} assets, each leaf and its opening checked, ${(body.length / 1e6).toFixed(1)} MB; other requests wait for at most ${most} ms`;
    const peer = 'its blobs read and hashed alone';
    return [{ what, unit: 'ms', ours, peer, theirs, ratio: ours / theirs, goal: null }];
  } finally {
    await removeFolder(folder);
  }
}

async function writeTicks(
  days: number,
  blobs: FileBlobStore,
  openings: TickOpenings,
): Promise<{
  readonly state: MemoryViews;
  readonly hashes: readonly ReturnType<typeof hashHex>[];
}> {
  const rules = terminalLog(1).log.views;
  const state = new MemoryViews();
  for (const table of rules.tables()) {
    if (table.startsWith('ticks/')) continue;
    for (const [key, value] of rules.list(table)) state.write([{ table, key, value }]);
  }
  for (const { symbol, name, decimals } of SYNTHETIC_ASSETS) {
    const row = { symbol, name, decimals, class: 'crypto', listed: true, display: true, seq: 1 };
    state.write([{ table: 'assets', key: symbol, value: wire({ ...row, delisted_after: null }) }]);
  }
  const market = new SyntheticMarket();
  const writer = new TickWriter(nodeSha256, new Uint8Array(32).fill(3));
  const symbols = SYNTHETIC_ASSETS.map(({ symbol }) => symbol).sort();
  const hashes: ReturnType<typeof hashHex>[] = [];
  for (let tick = 0; tick < days * 96; tick += 1) {
    const ts = MARKET_FROM + tick * QUARTER;
    const rows = symbols.map((symbol) => {
      const reading = market.reading(symbol, ts);
      const price = reading?.price ?? null;
      const volume_24h = reading?.volume24h ?? null;
      const source = { price, volume_24h, stamped_at: formatTime(ts) };
      const sources = [SOURCE, 'synthetic_two'].map((provider) => ({ provider, ...source }));
      return { symbol, price, volume_24h, sources, score: tick % 100, good: true };
    });
    const { blob, openings: opened } = writer.write(ts, rows, true);
    await openings.put(ts, opened);
    const hash = hashHex(contentHash(nodeSha256, blob));
    await blobs.put(blob);
    hashes.push(hash);
    const row = { seq: tick + 10, blob: hash, root: hash, size: rows.length };
    state.write([{ table: 'ticks/crypto', key: formatTime(ts), value: wire(row) }]);
  }
  return { state, hashes };
}
