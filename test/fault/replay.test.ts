import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseTime } from '@assay/core/time/time';
import { makeMarket } from '../src/node/terminal/made-market.ts';
import { LONG } from './told.ts';

const PROGRAM = fileURLToPath(new URL('../../../cli/bin/assay.js', import.meta.url));
const KILLS = LONG ? 100 : 12;
/** Quarter hours of six assets: enough work that a kill meets it. */
const TICKS = 30 * 96;

interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Replays `market` into `data`, and kills it after `ms`, or once its ledger has so many bytes, where that is given. */
async function replay(
  market: string,
  data: string,
  ms?: number,
  bytes = Number.POSITIVE_INFINITY,
): Promise<Ended> {
  const args = [PROGRAM, 'replay', '--market', market, '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  const timer = ms === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), ms);
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  while (bytes < Number.POSITIVE_INFINITY && child.exitCode === null && child.signalCode === null) {
    if ((await ledgerBytes(data)) >= bytes) child.kill('SIGKILL');
  }
  const [code, signal] = await closed;
  clearTimeout(timer);
  return { code, signal, ...text };
}

/** Of all files of the database; 0 before it is there. */
async function ledgerBytes(data: string): Promise<number> {
  const folder = join(data, 'ledger');
  const names = await readdir(folder).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const rootOf = ({ out, err }: Ended): string => /root ([0-9a-f]{64})/.exec(out)?.[1] ?? err;

test(`replay: killed ${KILLS} times at a random moment, it comes to the same root`, async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'assay-replay-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const market = join(base, 'market');
  await makeMarket(market, {
    symbols: ['ADA', 'BTC', 'DOGE', 'ETH', 'SOL', 'XRP'],
    from: parseTime('2025-01-01T00:00:00Z'),
    ticks: TICKS,
    seed: 2,
  });
  const started = performance.now();
  const whole = await replay(market, join(base, 'whole'));
  const wholeMs = performance.now() - started;
  assert.equal(whole.code, 0, whole.err);
  const counts = { killed: 0, finished: 0 };
  let data = join(base, 'data-0');
  for (let i = 0; i < KILLS; i += 1) {
    // Half of them in what is new, half in what is compared with the entries that are there.
    if (i % 4 === 0) data = join(base, `data-${i}`);
    const ended = await replay(market, data, Math.floor(Math.random() * 1.2 * wholeMs));
    if (ended.signal === 'SIGKILL') counts.killed += 1;
    else {
      assert.equal(ended.code, 0, ended.err);
      assert.equal(rootOf(ended), rootOf(whole));
      counts.finished += 1;
    }
    if (i % 4 < 3 && i < KILLS - 1) continue;
    const last = await replay(market, data);
    assert.equal(last.code, 0, last.err);
    assert.equal(rootOf(last), rootOf(whole));
  }
  t.diagnostic(`${counts.killed} killed, ${counts.finished} done before that`);
});

test('replay: killed late in the appending, it comes to the same root', async (t) => {
  const base = await mkdtemp(join(tmpdir(), 'assay-replay-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const market = join(base, 'market');
  const symbols = ['ADA', 'BTC', 'ETH'];
  const from = parseTime('2025-01-01T00:00:00Z');
  await makeMarket(market, { symbols, from, ticks: 100 * 96, seed: 3 });
  const whole = await replay(market, join(base, 'whole'));
  assert.equal(whole.code, 0, whole.err);
  const bytes = await ledgerBytes(join(base, 'whole'));
  const left: number[] = [];
  for (const share of [0.5, 0.6, 0.7, 0.8, 0.9]) {
    const data = join(base, `data-${share}`);
    const killed = await replay(market, data, undefined, share * bytes);
    assert.equal(killed.signal, 'SIGKILL', killed.out);
    const rest = await replay(market, data);
    assert.equal(rest.code, 0, rest.err);
    assert.equal(rootOf(rest), rootOf(whole));
    const [, appended = '', all] = /([\d,]+) entr.* appended of (\d+)/.exec(rest.out) ?? [];
    const entries = Number(appended.replaceAll(',', ''));
    assert.ok(entries < 0.8 * Number(all), rest.out);
    left.push(entries);
  }
  // Most of the kills met it while it was appending.
  assert.ok(left.filter((each) => each > 0).length >= 3, left.join());
  t.diagnostic(`entries that were still to be appended: ${left.join(', ')}`);
});
