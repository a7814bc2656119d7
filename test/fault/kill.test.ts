import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { dataFolder } from '@assay/node/platform/data-folder';
import { recover } from '@assay/node/ledger/derived/recover';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { type Ended, LONG, requireKept, requireReason, run, type Told, WORKER } from './told.ts';

const KILLS = LONG ? 200 : 20;
const INIT_KILLS = LONG ? 60 : 8;
async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-kill-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Begins a log; how many milliseconds that took a worker, from its start to its first entry. */
async function begin(root: string): Promise<number> {
  const started = performance.now();
  const { told, errors } = await run([process.execPath, WORKER, 'init', root]);
  assert.ok(told.done, errors);
  return performance.now() - started;
}

/** Starts a worker and kills it `ms` after its start, or after its first acknowledged entry. */
async function kill(
  args: readonly string[],
  ms: number,
  from: 'start' | 'first entry',
): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined;
  const ended = await run([process.execPath, WORKER, ...args], {}, (child, text) => {
    if (timer !== undefined || (from === 'first entry' && !text.includes('\nack '))) return;
    timer = setTimeout(() => child.kill('SIGKILL'), ms);
  });
  clearTimeout(timer);
  return ended;
}

test(`kill: ${KILLS} times at a random moment, and nothing that was acknowledged is lost`, async (t) => {
  const root = join(await temporary(t), 'data');
  const startMs = await begin(root);
  const all: Told[] = [];
  const counts = { start: 0, work: 0, recovered: 0, acknowledged: 0, dropped: 0 };
  let size = 1;
  for (let i = 0; i < KILLS; i += 1) {
    const atStart = i % 3 === 1;
    const ms = Math.floor(Math.random() * (atStart ? 1.5 * startMs : 150));
    const ended = await kill(['endless', root, `${i}`], ms, atStart ? 'start' : 'first entry');
    assert.equal(ended.signal, 'SIGKILL', `${ended.told.lines.at(-1)} ${ended.errors}`);
    requireReason(ended);
    if (ended.told.acknowledged.size === 0) counts.start += 1;
    else counts.work += 1;
    counts.acknowledged += ended.told.acknowledged.size;
    all.push(ended.told);
    if (i % 4 === 3) {
      const data = await openData(dataFolder(root), nodeSha256, { passphrase: undefined });
      const { dropped } = await recover(nodeSha256, data.store, data.guard);
      await data.store.close();
      await data.guard.close();
      counts.recovered += 1;
      counts.dropped += dropped;
    }
    const now = await requireKept(root, ...all.slice(-3));
    assert.ok(now > size, 'the log goes on');
    size = now;
  }
  await requireKept(root, ...all);
  t.diagnostic(
    `${KILLS} kills: ${counts.start} before the first entry, ${counts.work} at work; ` +
      `${counts.acknowledged} entries acknowledged in ${size}; ${counts.recovered} recoveries ` +
      `dropped ${counts.dropped} entries that nobody was told of`,
  );
});

test(`kill: ${INIT_KILLS} times while a log is begun: it is there, or refused with a reason`, async (t) => {
  const base = await temporary(t);
  const startMs = await begin(join(base, 'whole'));
  const outcomes = new Map<string, number>();
  for (let i = 0; i < INIT_KILLS; i += 1) {
    const root = join(base, `${i}`);
    const ms = Math.floor(startMs * (0.4 + 0.7 * Math.random()));
    const ended = await kill(['init', root], ms, 'start');
    requireReason(ended);
    let outcome = 'whole';
    try {
      await requireKept(root, ended.told);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      assert.ok(!ended.told.done, `it was done: ${error.message}`);
      outcome = error.code;
    }
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  t.diagnostic([...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(', '));
});
