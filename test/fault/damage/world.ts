import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHashHex } from '@assay/core/hash/hash';
import { formatNoteKey, NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import {
  formatDate,
  formatTime,
  parseDate,
  parseTime,
  toDate,
  toTime,
} from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import {
  type DevelopmentServer,
  startDevelopmentServer,
} from '@assay/node/dev/bitcoin/development-server';
import { readConfig } from '@assay/node/production/config';
import { dataFolder } from '@assay/node/platform/data-folder';
import type { Week } from '@assay/node/dev/site/claims-sample';
import { developmentNetwork } from '@assay/node/dev/development-indices';
import { draw } from '@assay/node/dev/site/draw';
import type { Site } from '@assay/node/dev/site/site';
import { pathOf } from '@assay/node/dev/site/site';
import { SiteSource } from '@assay/node/dev/site/site-source';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { makeLogger } from '@assay/node/production/logger';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { RunningNode } from '@assay/node/node';
import { startFromConfig } from '@assay/node/production/production';
import { initRecounter, openRecounter } from '@assay/node/recounter/recounter-data';
import { postTo } from '@assay/node/recounter/publisher-post';
import { startRecounter } from '@assay/node/recounter/recounter';
import { recounterFolder } from '@assay/node/recounter/recounter-folder';
import type { RunningRecounter } from '@assay/node/recounter/recounter-parts';
import { scrubFile } from '@assay/node/scrub/scrub-memory';
import type { RunningService } from '@assay/node/service';
import { claimsCsv, claimsJson } from '../../src/node/fixture/claims-pages.ts';
import { HIDDEN_RULE } from '../../src/node/fixture/closes-world.ts';
import { CLAIMS_RULE } from '../../src/node/fixture/round-fixture.ts';

const DAY = 86_400;
const TICK = 900;
const BLOCK_S = 3600;
/** Seconds of a Thursday at which a week has been released, and at which it has stood long enough to be final. */
const PRINT_S = 45_060;
const FINAL_S = 52_800;

/** The name of the publisher's log. */
export const ORIGIN = 'development/damage';

/** A Wednesday; the first week of the indexes is released on the day after it. */
export const BEGIN: number = parseTime(toTime('2026-08-05T00:00:00Z'));
/** The day on which the made life ends: a Thursday, half an hour before its week is released. */
const LAST = parseTime(toTime('2026-08-20T00:00:00Z'));
/** When the made life ends. */
export const MADE: number = LAST + 12 * 3600;
/** Days after which the made node is started again: its rows lie in several tables then. */
const RESTART_DAYS = 4;
/** Notes that are written in between: with them the tree has a tile that is full. */
const NOTES = 130;
const SYMBOLS = ['BTC', 'ETH', 'SOL'];

/** The stops of a clock that lives through a day, unix seconds: its Close, its daily print, its release, its finals. */
function stopsOf(day: number): readonly number[] {
  const stops = [day + 10, day + 2 * 3600 + 300];
  if (day === LAST) {
    for (let i = 0; i < 24; i += 1) stops.push(day + 6 * 3600 + i * TICK + 5);
  } else if (new Date(day * 1000).getUTCDay() === 4) {
    stops.push(day + PRINT_S, day + FINAL_S);
  }
  return stops;
}

/** The stops of the made life. */
export function madeStops(): readonly number[] {
  const stops: number[] = [];
  for (let day = BEGIN; day <= LAST; day += DAY) stops.push(...stopsOf(day));
  return stops;
}

/** The stops of a damaged folder's life: a tick, a week's print and its final, a Close, a daily print, another Close. */
export const DAMAGED_STOPS: readonly number[] = [
  MADE + 905,
  LAST + PRINT_S,
  LAST + FINAL_S,
  LAST + DAY + 10,
  LAST + DAY + 2 * 3600 + 300,
  LAST + 2 * DAY + 10,
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
  return parseRule(nodeSha256, wire({ ...rule, ...change }));
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
    changed(HIDDEN_RULE, {
      applies_from: '2026-08-01',
      baseline: { ...soon, min: 2 },
    }),
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

/** A port that nobody listens at. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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

/** What a co-signer and a publisher know of each other, beside their own data. */
interface Acquaintance {
  /** Of the publisher's checkpoints. */
  readonly vkey: string;
  readonly logId: string;
  /** Of the co-signer as a witness. */
  readonly witness: string;
}

/** Lines of witnesses are not stale while a world's clock leaps. */
const LINE_S = 90 * DAY;
const REQUEST_MS = 10_000;
/** Seconds of a round of the scrub, so that each life sees some. */
const SCRUB_S = 0.5;

/**
 * A world in a folder: config, rules, data, and the Bitcoin chain that its calendars write to; in a pair a recounter
 * as well, which co-signs reports and without whose line as a witness no head is shown.
 */
export class World {
  readonly root: string;
  readonly isPair: boolean;
  /** Of the calendars, then of the publisher and of the recounter. */
  #ports: readonly number[] = [];
  #recounter: RunningRecounter | undefined;
  now = BEGIN;
  #looks = 0;
  #wake: (() => void) | undefined;
  #server: DevelopmentServer | undefined;
  #chain: DevelopmentChain | undefined;

  constructor(root: string, isPair: boolean) {
    this.root = root;
    this.isPair = isPair;
  }

  get data(): string {
    return join(this.root, 'data');
  }

  get recounting(): string {
    return join(this.root, 'recounter');
  }

  /** Begins calendars and Bitcoin at the first of these ports; without any, at free ones. They stand in the config. */
  async open(given?: readonly number[]): Promise<readonly number[]> {
    const ports = given ?? (await Promise.all(Array.from({ length: 4 }, freePort)));
    this.#ports = ports;
    const now = (): number => this.now;
    this.#chain = new DevelopmentChain({
      blockSeconds: BLOCK_S,
      path: join(this.root, 'bitcoin.jsonl'),
    });
    const calendars = ports.slice(0, 2).map((port, i) => ({ name: `calendar ${i}`, port }));
    this.#server = await startDevelopmentServer({ chain: this.#chain, now, calendars });
    return ports;
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
      poll_s: 0.01,
      scrub_round_s: SCRUB_S,
      rules: paths,
      calendars: this.#server?.calendars,
      stamp_every_s: 900,
      beacon_every_s: 86_400,
      bitcoin_rpc: this.#server?.rpc,
      requests_per_minute: 1_000_000,
      log_requests_per_minute: 1_000_000,
      terminal: { assets: 'assets.json', crypto, thin_from: null },
    };
    const pair = this.isPair ? await this.#makeRecounter() : undefined;
    await writeFile(
      join(this.root, 'node.json'),
      JSON.stringify({ ...config, ...pair?.config }, null, 1),
    );
    const { log, checkpointVkey } = await initData(
      dataFolder(this.data),
      nodeSha256,
      () => this.now,
      {
        origin: ORIGIN,
        passphrase: undefined,
        policies: this.isPair
          ? { cosigners_required: 1, witnesses_required: 1, witness_max_age_s: LINE_S }
          : NO_POLICIES,
      },
    );
    if (pair === undefined) return;
    const known: Acquaintance = { vkey: checkpointVkey, logId: log, witness: pair.witness };
    await writeFile(join(this.root, 'known.json'), JSON.stringify(known));
  }

  /** Begins a recounter's log; what the publisher's config says of it. */
  async #makeRecounter(): Promise<{ readonly config: object; readonly witness: string }> {
    const origin = 'development/damage/recounter';
    const choices = { origin, passphrase: undefined, policies: NO_POLICIES };
    const { key } = await initRecounter(this.recounting, nodeSha256, () => this.now, choices);
    const data = await openRecounter(this.recounting, nodeSha256, { passphrase: undefined });
    const witness = formatNoteKey(nodeSha256, origin, data.witness.publicKey, NOTE_COSIGNATURE);
    await data.close();
    await writeFile(
      join(this.root, 'cosigners.json'),
      JSON.stringify({ threshold: 1, cosigners: [{ name: 'recounter', key }] }),
    );
    const [, , port, recounter] = this.#ports;
    const witnesses = [{ url: `http://127.0.0.1:${recounter}`, vkey: witness }];
    return { config: { port, witnesses, cosigners: 'cosigners.json' }, witness };
  }

  /** Starts the recounter as `assay recount` does, on this world's clock and sources. */
  async startRecounter(): Promise<RunningRecounter> {
    const [, , publisher, port = 0] = this.#ports;
    const url = `http://127.0.0.1:${publisher}`;
    const text = await readFile(join(this.root, 'known.json'), 'utf8');
    const { vkey, logId, witness } = JSON.parse(text) as Acquaintance;
    const { sites } = await INDICES;
    const now = (): number => this.now;
    this.#recounter = await startRecounter({
      data: await openRecounter(this.recounting, nodeSha256, { passphrase: undefined }),
      name: 'recounter',
      publisher: {
        url,
        reader: httpLogReader(url, { timeoutMs: REQUEST_MS }),
        key: parseNoteKey(nodeSha256, vkey),
        logId: toHashHex(logId),
        post: postTo(url, REQUEST_MS),
        witnesses: [parseNoteKey(nodeSha256, witness, NOTE_COSIGNATURE)],
      },
      peers: [],
      witness: true,
      everyDay: false,
      askHeads: null,
      source: new SiteSource(sites, now),
      now,
      random: randomBytes,
      sha256: nodeSha256,
      log: makeLogger(process.env['DAMAGE_LOG'] ?? 'silent'),
      metrics: true,
      scrub: {
        roundS: SCRUB_S,
        memory: scrubFile(recounterFolder(this.recounting).scrub),
      },
      pollMs: null,
      notice: null,
      host: '127.0.0.1',
      port,
      transport: 'node',
      server: {},
      quotas: { default: 1_000_000, log: 1_000_000 },
    });
    return this.#recounter;
  }

  /** Has the recounter look at what there is; nothing without one. */
  async follow(): Promise<void> {
    await this.#recounter?.follow();
  }

  /** Stops the recounter, where there is one. */
  async stopRecounter(): Promise<void> {
    const running = this.#recounter;
    this.#recounter = undefined;
    await running?.close();
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
      onPolled: () => {
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
  const start = async (): Promise<RunningNode> => {
    if (world.isPair) await world.startRecounter();
    return (await world.start()) as RunningNode;
  };
  let node = await start();
  let begun = BEGIN;
  for (const at of madeStops()) {
    if (at - begun >= RESTART_DAYS * DAY) {
      await node.close();
      await world.stopRecounter();
      await onStopped();
      node = await start();
      if (begun === BEGIN) {
        const notes = Array.from({ length: NOTES }, (_, i) => ({
          kind: 'note/1' as const,
          body: { text: `note ${i}` },
        }));
        await node.ledger.write(() => notes);
      }
      begun = at;
    }
    await world.stop(node, at, () => true, 1000);
    await world.settle(node, 5);
    await world.follow();
    await world.settle(node, 5);
  }
  world.now = MADE;
  await sleep(50);
  await world.settle(node, 10);
  await world.follow();
  await world.settle(node, 10);
  await node.close();
  await world.stopRecounter();
}
