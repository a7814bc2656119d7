// A whole service as processes of this machine, broken at random for minutes, or for an hour with ASSAY_FAULT_LONG=1.
// ASSAY_FAULT_SEED chooses what is broken, and ASSAY_FAULT_MINUTES for how long.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { parseNoteKey } from '@assay/core/log/note';
import { TileTree } from '@assay/core/log/tile-tree';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { memoryClosingPlace } from '@assay/node/mirror/closing-place';
import { LogMirror } from '@assay/node/mirror/log-mirror';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { noPostgres } from '../interop/postgres-cluster.ts';
import { motoPython } from '../interop/s3-peers.ts';
import { Dice } from './adversary/dice.ts';
import { Cluster } from './cluster/cluster.ts';
import { type Fault, smallFaults } from './cluster/faults.ts';
import { until } from './cluster/part.ts';
import { LOSSES, loseWriter, type Outage } from './cluster/promotions.ts';
import { straceMissing } from './strace.ts';
import { LONG } from './told.ts';

const SEED = process.env['ASSAY_FAULT_SEED'] ?? '1';
const MINUTES = Number(process.env['ASSAY_FAULT_MINUTES'] ?? (LONG ? 60 : 0));
/** What the short form breaks between two promotions, and how many promotions it has. */
const SHORT_FAULTS = 4;
const SHORT_LOSSES = [LOSSES[1], LOSSES[2], LOSSES[4]];

const began = performance.now();
function say(text: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s  ${text}`);
}

/** What one fault has cost. */
interface Cost {
  /** What was broken, without how long and by how much. */
  readonly kind: string;
  /** The longest time without an acknowledgement, in milliseconds. */
  readonly writes: number;
  /** The longest time in which the front showed no head. */
  readonly reads: number;
}

/** Breaks one thing, or two at once, and waits until entries are acknowledged again. */
async function breakSomething(
  cluster: Cluster,
  dice: Dice,
  canTrace: boolean,
  only: readonly string[] = [],
): Promise<Cost> {
  const all = smallFaults(cluster, dice.fork(`faults ${dice.int(1_000_000)}`), canTrace).filter(
    ({ name }) => only.length === 0 || only.some((each) => name.startsWith(each)),
  );
  const first = dice.pick(all);
  const chosen: Fault[] = [first];
  if (only.length === 0 && dice.chance(0.25)) {
    chosen.push(dice.pick(all.filter((each) => each !== first)));
  }
  const name = chosen.map((each) => each.name).join('; ');
  const from = performance.now();
  try {
    await Promise.all(chosen.map((each) => each.run()));
    await cluster.acknowledges(3);
  } catch (error) {
    throw new Error(`after this: ${name}`, { cause: error });
  }
  const to = performance.now();
  const cost = {
    kind: name.replaceAll(/ (?:for|by) [\d.]+ s\b| takes \d+ ms a sync/g, ''),
    writes: cluster.pauseBetween(from, to),
    reads: cluster.watchers.silence('front', from),
  };
  say(
    `${name}: nothing acknowledged for ${(cost.writes / 1000).toFixed(1)} s, no head shown for ${(cost.reads / 1000).toFixed(1)} s`,
  );
  return cost;
}

/** A line for each kind of fault that was alone: how often, and how long nothing was acknowledged or shown. */
function saySummary(costs: readonly Cost[]): void {
  const kinds = [...new Set(costs.map(({ kind }) => kind))].filter((kind) => !kind.includes('; '));
  for (const kind of kinds.toSorted()) {
    const own = costs.filter((each) => each.kind === kind);
    const words = (of: readonly number[]): string => {
      const sorted = of.toSorted((a, b) => a - b).map((ms) => (ms / 1000).toFixed(1));
      return `median ${sorted[Math.floor((sorted.length - 1) / 2)]} s, longest ${sorted.at(-1)} s`;
    };
    const writes = words(own.map((each) => each.writes));
    say(
      `${kind}: ${own.length} times, nothing acknowledged for ${writes}; no head shown for ${words(own.map((each) => each.reads))}`,
    );
  }
}

function sayOutage(outage: Outage): void {
  const s = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  say(
    `${outage.loss}: an outage of ${s(outage.outageMs)} (database ${s(outage.databaseMs)}, assay promote ${s(outage.promoteMs)}` +
      ` with ${outage.refused} refused, start ${s(outage.startMs)}), readers ${s(outage.readersMs)} later;` +
      ` ${outage.replayed} entries from the guard, ${outage.lacking} blobs missing`,
  );
}

/** Waits until everybody shows the whole log, reads it, and holds against it all that anybody was told. */
async function requireOneHistory(cluster: Cluster): Promise<number> {
  const { watchers, writer, acknowledged } = cluster;
  writer.node.signal('SIGUSR2');
  const last = Math.max(...acknowledged.map(({ seq }) => seq));
  const waiting = (): readonly string[] =>
    [...watchers.sizes]
      .filter(([name, size]) => name !== cluster.standby.name && size <= last)
      .map(([name, size]) => `${name} at ${size} of ${last + 1}`);
  await until('everybody has the whole log', () => waiting().length === 0).catch(() =>
    assert.fail(waiting().join('; ')),
  );
  say(`everybody has ${last + 1} entries`);
  const mirror = await LogMirror.open({
    reader: httpLogReader(cluster.front),
    store: await openMemoryStore(),
    accepted: new MemoryNoteSlot(),
    closing: memoryClosingPlace(),
    blobs: null,
    key: parseNoteKey(nodeSha256, cluster.vkey),
    logId: null,
    sha256: nodeSha256,
    witnesses: null,
    onFork: () => assert.fail('two histories'),
  });
  assert.equal((await mirror.follow()).kind, 'followed');
  const texts: string[] = [];
  const roots = new Map<number, string>();
  const tree = new TileTree(nodeSha256);
  for (let seq = 0; seq < mirror.size; seq += 1) {
    const entry = await mirror.entry(seq);
    assert.ok(entry !== undefined);
    const { kind, body } = parseEntry(entry);
    const { text } = body;
    texts.push(typeof text === 'string' ? text : kind);
    tree.append(leafHash(nodeSha256, entry));
    roots.set(tree.size, hashHex(tree.root()));
  }
  await mirror.close();
  const lost = acknowledged.filter(({ seq, text }) => texts[seq] !== text);
  assert.deepEqual(
    lost.map(({ seq, text, by }) => `${by.name} acknowledged ${text} at ${seq}`),
    [],
  );
  const others = watchers.heads.filter(({ size, root }) => roots.get(size) !== root);
  assert.deepEqual(others, [], 'heads that are not of this history');
  assert.deepEqual(watchers.findings, []);
  for (const url of [cluster.front, cluster.bucket]) {
    if (url === undefined) continue;
    const { code, said } = await cluster.verify(url);
    assert.equal(code, 0, said);
  }
  return texts.length;
}

const absent = noPostgres();
test(
  'a whole service is broken at random, and has one history',
  { skip: absent ?? false },
  async (t) => {
    const moto = await motoPython();
    if ('missing' in moto) say(`without a store: ${moto.missing}`);
    const hasNginx = spawnSync('nginx', ['-v']).status === 0;
    if (!hasNginx) say('without nginx, which is not installed');
    const noTrace = straceMissing();
    if (noTrace !== undefined) say(`without slow disks: ${noTrace}`);
    say(`seed ${SEED}, ${MINUTES === 0 ? 'the short form' : `${MINUTES} minutes`}`);
    const cluster = await Cluster.start({
      moto: 'python' in moto ? moto.python : undefined,
      hasNginx,
    });
    t.after(() => cluster.close());
    process.once('SIGTERM', () => void cluster.close().finally(() => process.exit(1)));
    if (cluster.clocks.size === 0)
      say('without clock jumps: libfaketime (Debian: faketime) is not installed');
    say('everything runs');
    const dice = new Dice(`cluster ${SEED}`);
    const costs: Cost[] = [];
    const outages: Outage[] = [];
    const canTrace = noTrace === undefined;
    const lose = async (loss: (typeof LOSSES)[number]): Promise<void> => {
      const outage = await loseWriter(cluster, loss);
      sayOutage(outage);
      outages.push(outage);
      await cluster.acknowledges(3);
    };
    if (MINUTES === 0) {
      for (const loss of SHORT_LOSSES) {
        for (let i = 0; i < SHORT_FAULTS; i += 1) {
          costs.push(await breakSomething(cluster, dice, canTrace));
        }
        await lose(loss);
      }
    } else {
      const end = performance.now() + MINUTES * 60_000;
      for (let i = 0; performance.now() < end; i += 1) {
        const faults = dice.between(3, 10);
        for (let j = 0; j < faults && performance.now() < end; j += 1) {
          costs.push(await breakSomething(cluster, dice, canTrace));
        }
        // Each way in turn, so that an hour has several of each.
        await lose(LOSSES[i % LOSSES.length] as (typeof LOSSES)[number]);
      }
    }
    await cluster.isReady(cluster.standby);
    const size = await requireOneHistory(cluster);
    saySummary(costs);
    for (const { name, ends } of cluster.parts) {
      if (ends.length > 0) say(`${name} ended by itself ${ends.length} times: ${ends.join('; ')}`);
    }
    const worst = Math.max(...outages.map(({ outageMs }) => outageMs));
    say(
      `${size} entries, of which ${cluster.acknowledged.length} were acknowledged to the workers; ${cluster.watchers.heads.length} heads were shown;` +
        ` ${costs.length} faults; ${outages.length} promotions, the longest outage ${(worst / 1000).toFixed(1)} s`,
    );
  },
);
