import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseTime } from '@assay/core/time';
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

/** Replays `market` into `data`, and kills it after `ms` where that is given. */
async function replay(market: string, data: string, ms?: number): Promise<Ended> {
  const args = [PROGRAM, 'replay', '--market', market, '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.err += part));
  const timer = ms === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), ms);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { code, signal, ...text };
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
