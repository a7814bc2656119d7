import { join } from 'node:path';
import type { Asset } from '@assay/core/kind/asset';
import type { TickInput } from '@assay/core/terminal/score/good';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { Terminal, type TickStep } from '@assay/core/terminal/terminal';
import { formatTime } from '@assay/core/time/time';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { benchLedger } from './bench-ledger.ts';
import { median } from './contest.ts';
import { PlainTick } from './plain-tick.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const ASSETS = 500;
const SOURCES = ['first', 'second'];
/** Milliseconds for a tick, committed. */
const GOAL_MS = 50;
/** 2026-01-01T00:00:00Z. */
const START = 1_767_225_600;

/** Prices that wander, by a generator of Park and Miller: the same in each run. */
class Walk {
  readonly prices: Float64Array = new Float64Array(ASSETS).fill(1_000_000);
  readonly volumes: Float64Array = new Float64Array(ASSETS).fill(10_000_000);
  #state = 7;

  move(): void {
    for (let i = 0; i < ASSETS; i += 1) {
      this.#state = (this.#state * 48_271) % 2_147_483_647;
      const change = (this.#state % 401) - 200;
      this.prices[i] = Math.round((this.prices[i] as number) * (1 + change / 1e5));
      this.volumes[i] = 9_000_000 + (this.#state % 2_000_000);
    }
  }
}

function symbolOf(i: number): string {
  return `A${String(i).padStart(3, '0')}`;
}

function readsAt(ts: number, { prices, volumes }: Walk): ReadonlyMap<string, TickInput> {
  const reads = new Map<string, TickInput>();
  for (let i = 0; i < ASSETS; i += 1) {
    const price = ((prices[i] as number) / 1e4).toFixed(4);
    const volume24h = String(volumes[i]);
    const sources = SOURCES.map((provider) => {
      return { provider, price, volume_24h: volume24h, stamped_at: formatTime(ts - 30) };
    });
    reads.set(symbolOf(i), { price, volume24h, sources });
  }
  return reads;
}

/** A live tick of 500 assets from two sources: scored, hashed, its openings, leaves and entry on disk. */
export async function tickSection(short: boolean): Promise<string> {
  const ticks = short ? 12 : 60;
  const folder = await temporaryFolder('tick');
  try {
    const store = await openLevelStore(join(folder, 'ledger'));
    const guard = await FileHeadGuard.open(join(folder, 'head'));
    const ledger = await benchLedger({ store, guard });
    const blobs = await FileBlobStore.open(join(folder, 'blobs'));
    const options = { sha256: nodeSha256, thinFrom: null };
    const openings = await TickOpenings.open(join(folder, 'openings'), options);
    const terminal = new Terminal({
      sha256: nodeSha256,
      seed: new Uint8Array(32),
      rule: CRYPTO_RULE,
      grid: utcGrid,
      assets: Array.from({ length: ASSETS }, (_, i) => assetOf(symbolOf(i))),
      openings: true,
    });
    const plain = new PlainTick(CRYPTO_RULE, ASSETS);
    const walk = new Walk();
    const { day, days } = CRYPTO_RULE.volume;
    // So that every window is full: what a tick costs then it costs for good.
    const warm = short ? 16 * day : day * days;
    const [own, limit, whole, scored]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let k = 0; k < warm + ticks; k += 1) {
      const ts = START + 900 * k;
      walk.move();
      const reads = readsAt(ts, walk);
      const measured = k >= warm;
      let started = performance.now();
      plain.step(utcGrid.indexOf(ts) as number, walk.prices, walk.volumes, measured);
      if (measured) limit.push(performance.now() - started);
      started = performance.now();
      const step: TickStep = terminal.step(ts, reads);
      if (!measured) continue;
      own.push(performance.now() - started);
      scored.push([...step.board.values()].filter(({ score }) => score !== null).length);
      await openings.put(ts, step.values);
      await blobs.put(step.blob);
      await ledger.write(() => step.drafts);
      whole.push(performance.now() - started);
    }
    await ledger.close();
    const ratio = median(limit.map((each, i) => each / (own[i] as number)));
    return formatFigures({
      scored: Math.min(...scored),
      own: median(own),
      limit: median(limit),
      whole: median(whole),
      ratio,
    });
  } finally {
    await removeFolder(folder);
  }
}

function assetOf(symbol: string): Asset {
  const about = { name: symbol, class: 'crypto', listed: true, display: true } as const;
  return { symbol, decimals: 4, ...about };
}

function formatFigures(figures: {
  readonly scored: number;
  readonly own: number;
  readonly limit: number;
  readonly whole: number;
  readonly ratio: number;
}): string {
  const { scored, own, limit, whole, ratio } = figures;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  const verdict = whole < GOAL_MS ? 'reached' : 'missed';
  const rows = [
    [
      'scored, hashed, openings, leaves and entry durable',
      ms(whole),
      `below ${GOAL_MS} ms: ${verdict}`,
    ],
    ['of that scored and hashed', ms(own), ''],
    ['the same arithmetic and hashes in plain loops', ms(limit), `ratio ${ratio.toFixed(2)}`],
  ];
  const lines = [['what', 'median', ''], ['---', '---', '---'], ...rows];
  return `## A live tick of ${ASSETS} assets\n\nTwo sources each; ${scored} of them had a score at every tick that was measured.\n\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}
