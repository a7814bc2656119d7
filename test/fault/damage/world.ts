import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { formatDate, formatTime, parseDate, parseTime, toDate, toTime } from '@assay/core/time';
import type { WireObject } from '@assay/core/wire';
import { DevelopmentChain } from '@assay/node/bitcoin/development/development-chain';
import {
  type DevelopmentServer,
  startDevelopmentServer,
} from '@assay/node/bitcoin/development/development-server';
import { readConfig } from '@assay/node/config';
import { dataFolder } from '@assay/node/data-folder';
import type { Week } from '@assay/node/demo/claims-sample';
import { developmentNetwork } from '@assay/node/demo/development-indices';
import { draw } from '@assay/node/demo/draw';
import type { Site } from '@assay/node/demo/site';
import { pathOf } from '@assay/node/demo/site';
import { SiteSource } from '@assay/node/demo/site-source';
import { initData, NO_POLICIES } from '@assay/node/init';
import { makeLogger } from '@assay/node/log';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { RunningNode } from '@assay/node/node';
import { startFromConfig } from '@assay/node/production';
import type { RunningService } from '@assay/node/service';
import { claimsCsv, claimsJson } from '../../src/node/claims-pages.ts';
import { HIDDEN_RULE } from '../../src/node/closes-world.ts';
import { CLAIMS_RULE } from '../../src/node/round-fixture.ts';

const DAY = 86_400;
const TICK = 900;
const BLOCK_S = 3600;

/** A Wednesday; the first week of the indexes is released on the day after it. */
export const BEGIN: number = parseTime(toTime('2026-08-05T00:00:00Z'));
/** The day on which the made life ends: a Thursday, with its week printed and final. */
const LAST = parseTime(toTime('2026-08-20T00:00:00Z'));
/** When the made life ends. */
export const MADE: number = LAST + 15 * 3600;
/** Days after which the made node is started again: its rows lie in several tables then. */
const RESTART_DAYS = 4;
/** Notes that are written in between: with them the tree has a tile that is full. */
const NOTES = 130;
const SYMBOLS = ['BTC', 'ETH', 'SOL'];

/** The stops of a clock that lives through a day, unix seconds: its Close, its daily print, its release, its finals. */
function stopsOf(day: number): readonly number[] {
  const stops = [day + 10, day + 2 * 3600 + 300];
  if (new Date(day * 1000).getUTCDay() === 4) stops.push(day + 45_060, day + 52_800);
  if (day !== LAST) return stops;
  const ticks = Array.from({ length: 24 }, (_, i) => day + 6 * 3600 + i * TICK + 5);
  return [...stops, ...ticks].sort((a, b) => a - b);
}

/** The stops of the made life. */
export function madeStops(): readonly number[] {
  const stops: number[] = [];
  for (let day = BEGIN; day <= LAST; day += DAY) stops.push(...stopsOf(day));
  return stops;
}

/** The stops of a damaged folder's life: a tick, a Close, a daily print, a week, its final and another Close. */
export const DAMAGED_STOPS: readonly number[] = [
  MADE + 905,
  LAST + DAY + 10,
  LAST + DAY + 2 * 3600 + 300,
  LAST + 7 * DAY + 45_060,
  LAST + 7 * DAY + 52_800,
  LAST + 8 * DAY + 10,
];

/** Weeks of an index from their releases on, the newest first printed and those before it revised. */
function weeksOf(
  name: string,
  first: string,
  level: number,
  step: number,
): (now: number) => Week[] {
  return (now) => {
    const weeks: Week[] = [];
    for (let period = parseDate(toDate(first)); ; period += 7) {
      if ((period + 5) * DAY + 45_000 > now) return weeks;
      const claims = level + step * draw(`${name} ${period}`, 50);
      const newest = (period + 12) * DAY + 45_000 > now;
      weeks.push({
        period,
        claims: claims + (newest ? 0 : step * draw(`${name} late ${period}`, 3)),
      });
    }
  };
}

function weekSite(weeks: (now: number) => Week[]): Site {
  return (request, now) => {
    const isCsv = pathOf(request).endsWith('.csv');
    const pages = isCsv ? claimsCsv : claimsJson;
    return { contentType: isCsv ? 'text/csv' : 'application/json', body: pages(weeks(now)) };
  };
}

function changed(rule: Rule, change: object): Rule {
  return parseRule(nodeSha256, { ...rule, ...change } as unknown as WireObject);
}

interface Indices {
  readonly rules: readonly Rule[];
  readonly sites: ReadonlyMap<string, Site>;
}

/** One weekly with revisions, one daily, and one whose level is withheld. */
async function indices(): Promise<Indices> {
  const { indices: made, sites } = await developmentNetwork(nodeSha256, ['TRENCHES']);
  const [daily] = made[0]?.rules ?? [];
  if (daily === undefined) throw new TypeError('no daily index');
  const soon = { window: 26, min: 3, split: 'none' };
  const rules = [
    changed(CLAIMS_RULE, { baseline: soon }),
    changed(daily, { applies_from: formatDate(BEGIN / DAY), baseline: soon }),
    changed(HIDDEN_RULE, { applies_from: '2026-08-01' }),
  ];
  const shown = weekSite(weeksOf('shown', '2026-05-02', 200_000, 1000));
  const hidden = weekSite(weeksOf('hidden', '2026-08-01', 987_654_000_000, 1001));
  const weekly = [
    ['claims.sample.invalid', shown],
    ['mirror.sample.invalid', shown],
    ['claims.hidden.invalid', hidden],
    ['mirror.hidden.invalid', hidden],
  ] as const;
  return { rules, sites: new Map([...sites, ...weekly]) };
}

const INDICES: Promise<Indices> = indices();

/** Prices of two providers at every quarter of an hour that any life of the world stops in. */
function recorded(): readonly object[] {
  const reads: object[] = [];
  for (let ts = LAST; ts <= MADE + 2 * TICK; ts += TICK) {
    for (const [i, symbol] of SYMBOLS.entries()) {
      const cents = 100_000 + 500 * i + draw(`${symbol} ${ts}`, 700);
      const price = (cents / 100).toFixed(2);
      const stamped_at = formatTime(ts);
      reads.push({ ts: stamped_at, symbol, price, volume_24h: '1000', stamped_at });
    }
  }
  return reads;
}

/** A world in a folder: config, rules, data, and the Bitcoin chain that its calendars write to. */
export class World {
  readonly root: string;
  now = BEGIN;
  #looks = 0;
  #wake: (() => void) | undefined;
  #server: DevelopmentServer | undefined;
  #chain: DevelopmentChain | undefined;

  constructor(root: string) {
    this.root = root;
  }

  get data(): string {
    return join(this.root, 'data');
  }

  /** Begins calendars and Bitcoin at these ports; 0 takes free ones. Their addresses stand in the config. */
  async open(ports: readonly number[]): Promise<readonly number[]> {
    const now = (): number => this.now;
    this.#chain = new DevelopmentChain({
      blockSeconds: BLOCK_S,
      path: join(this.root, 'bitcoin.jsonl'),
    });
    const calendars = ports.map((port, i) => ({ name: `calendar ${i}`, port }));
    this.#server = await startDevelopmentServer({ chain: this.#chain, now, calendars });
    return this.#server.calendars.map((uri) => Number(new URL(uri).port));
  }

  async close(): Promise<void> {
    await this.#server?.close();
    this.#chain?.close();
  }

  /** Writes the config with what it names, and begins the log. */
  async make(): Promise<void> {
    const { rules } = await INDICES;
    await mkdir(join(this.root, 'rules'), { recursive: true });
    const paths: string[] = [];
    for (const rule of rules) {
      const path = join('rules', `${rule.ticker}.${rule.version}.json`);
      await writeFile(join(this.root, path), JSON.stringify(rule, null, 1));
      paths.push(path);
    }
    const about = { class: 'crypto', decimals: 2, listed: true, display: true, names: {} };
    const assets = SYMBOLS.map((symbol) => ({ symbol, name: symbol, ...about }));
    await writeFile(join(this.root, 'assets.json'), JSON.stringify({ assets, splits: [] }));
    await writeFile(join(this.root, 'prices.json'), JSON.stringify(recorded()));
    const crypto = ['one', 'two'].map((provider) => ({
      kind: 'recorded',
      provider,
      file: 'prices.json',
    }));
    const config = {
      data: 'data',
      contact: 'damage@example.org',
      port: 0,
      transport: 'node',
      poll_s: 0.005,
      rules: paths,
      calendars: this.#server?.calendars,
      stamp_every_s: 3600,
      beacon_every_s: 86_400,
      bitcoin_rpc: this.#server?.rpc,
      requests_per_minute: 1_000_000,
      log_requests_per_minute: 1_000_000,
      terminal: { assets: 'assets.json', crypto, thin_from: null },
    };
    await writeFile(join(this.root, 'node.json'), JSON.stringify(config, null, 1));
    await initData(dataFolder(this.data), nodeSha256, () => this.now, {
      origin: 'development/damage',
      passphrase: undefined,
      policies: NO_POLICIES,
    });
  }

  /** Starts the node as `assay node` does, on this world's clock and sources. */
  async start(): Promise<RunningNode | RunningService> {
    const config = await readConfig(join(this.root, 'node.json'), {});
    const { sites } = await INDICES;
    const now = (): number => this.now;
    return startFromConfig(config, {}, makeLogger(process.env['DAMAGE_LOG'] ?? 'silent'), {
      now,
      source: new SiteSource(sites, now),
      anchorMs: 10,
      tickMs: 10,
      onLooked: () => {
        this.#looks += 1;
        this.#wake?.();
      },
    });
  }

  /**
   * Puts the clock to `to`, and waits until two whole looks for due rounds have begun since and `isDone` says so, or
   * for `most` looks. False where it was waited for in vain.
   */
  async stop(node: RunningNode, to: number, isDone: () => boolean, most: number): Promise<boolean> {
    this.now = Math.max(this.now, to);
    const before = this.#looks;
    for (;;) {
      const looks = this.#looks - before;
      if (looks >= 3 && isDone()) return true;
      if (looks >= most || (node.ledger.blocked !== undefined && looks >= 3)) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits until nothing has been appended for some looks. */
  async settle(node: RunningNode, looks: number): Promise<void> {
    let size = -1;
    while (size !== node.ledger.nextSeq) {
      size = node.ledger.nextSeq;
      const until = this.#looks + looks;
      await this.stop(node, this.now, () => this.#looks >= until, 1000);
    }
    await node.ledger.idle();
  }
}

/** Lives the made life in a world; `onStopped` is told before each restart, while nothing is at work. */
export async function live(world: World, onStopped: () => Promise<void>): Promise<void> {
  let node = (await world.start()) as RunningNode;
  let begun = BEGIN;
  for (const at of madeStops()) {
    if (at - begun >= RESTART_DAYS * DAY) {
      await node.close();
      await onStopped();
      node = (await world.start()) as RunningNode;
      if (begun === BEGIN) {
        const notes = Array.from({ length: NOTES }, (_, i) => ({
          kind: 'note/1' as const,
          body: { text: `note ${i}` },
        }));
        await node.ledger.append(notes, node.ledger.nextSeq);
      }
      begun = at;
    }
    await world.stop(node, at, () => true, 1000);
    await world.settle(node, 5);
  }
  world.now = MADE;
  await sleep(50);
  await world.settle(node, 10);
  await node.close();
}
