import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { figureLines, spanText, trialLines } from '@assay/cli/operate/demo';
import { DEVELOPMENT_INDICES } from '@assay/node/dev/development-indices';
import { assay, listen, scratch, spawnAssay, startAssay } from '../fixture/run.ts';

const READY = 'Stop with Ctrl-C.';

/** The arguments of a command line that the demo prints. */
function words(line: string): readonly string[] {
  return line.replace(/^npx assay /, '').split(' ');
}

/**
 * What a demo has said as an error, without its progress on a slow machine, and the provisional prints that its chain
 * comes too late for.
 */
function unexpected(err: string): string {
  return err
    .split('\n')
    .filter((line) => !/^(loading|waiting) .*%\)$/.test(line))
    .filter((line) => !line.includes('"reason":"a later print has overtaken it"'))
    .join('\n');
}

function entriesAt(out: string): number {
  return Number(/(\d+) entries, ready/.exec(out)?.[1]);
}

test('demo: the three things that it says to try work', async (t) => {
  const folder = await scratch(t);
  const demo = await startAssay(t, folder, ['demo', '--indices', 'LAYOFFS,YESNO'], READY);
  assert.match(
    demo.out(),
    /^Assay serves the development network at http:\/\/127\.0\.0\.1:\d+\n {2}\d+ entries, ready in/,
  );
  assert.match(demo.out(), /data in \S+ until it stops\n/);
  const [curl = '', verify = '', bundle = ''] = demo
    .out()
    .split('\n')
    .filter((line) => /^ {2}(curl|npx) /.test(line))
    .map((line) => line.trim());
  const address = /^curl (\S+)$/.exec(curl)?.[1] ?? '';
  const csv = await (await fetch(address)).text();
  assert.match(csv, /^ticker,period,value,settlement_value,/);
  assert.match(csv, /\nLAYOFFS,2026-07-25,\d+,\d+,/);
  const whole = await assay(folder, words(verify));
  assert.equal(whole.code, 0, whole.out);
  const [make = '', check = ''] = bundle.split(' && ');
  const made = await assay(folder, words(make));
  assert.deepEqual([made.code, made.err], [0, '']);
  assert.match(
    made.out,
    /^number\.json: \d+ bytes\n {2}number {7}LAYOFFS 2026-07-25: \d+ claims\n/,
  );
  const checked = await assay(folder, words(check));
  assert.equal(checked.code, 0, checked.out);
  assert.match(checked.out, /\n {2}number {7}LAYOFFS 2026-07-25: \d+ claims\n/);
  const { code, err } = await demo.stop();
  assert.deepEqual([code, unexpected(err)], [0, 'stopping\n']);
  // What it made goes with it; the number stays provable.
  const data = /data in (\S+)/.exec(demo.out())?.[1] ?? '';
  await assert.rejects(readdir(data), { code: 'ENOENT' });
  assert.equal((await assay(folder, words(check))).code, 0);
});

test('demo names the indexes that run, and no others', () => {
  assert.deepEqual(figureLines(['LAYOFFS']), [
    '  typed in as published: LAYOFFS to 2026-07-25',
    '  invented: all that comes after',
  ]);
  assert.deepEqual(figureLines(['MINTS', 'YESNO']), ['  invented: MINTS and YESNO whole']);
  assert.deepEqual(figureLines(DEVELOPMENT_INDICES), [
    '  typed in as published: LAYOFFS to 2026-07-25; unemp, cpi and corecpi to 2026-06',
    '  invented: all that comes after; MINTS, TRENCHES, GIGS, WAGE, YESNO, MODELS and jobs whole',
  ]);
  assert.deepEqual(trialLines(['cpi', 'MINTS'], 'http://h', false), [
    '  curl http://h/indices/cpi/history.csv',
    '  npx assay verify http://h',
  ]);
  const all = trialLines(DEVELOPMENT_INDICES, 'http://h', true);
  assert.equal(all.length, 4);
  assert.equal(all.at(-1), '  npx assay forecast standing http://h');
});

test('demo tells in real time how long a simulated span lasts', () => {
  assert.deepEqual([1800, 300, 119.96, 20 / 7, 0.476].map(spanText), [
    '30 min',
    '5 min',
    '120 s',
    '2.9 s',
    '476 ms',
  ]);
});

test('demo with ASSAY_DATA goes on where it was', async (t) => {
  const folder = await scratch(t);
  const more = { ASSAY_DATA: join(folder, 'data') };
  const args = ['demo', '--week-seconds', '20', '--indices', 'LAYOFFS,YESNO'];
  const first = await startAssay(t, folder, args, READY, more);
  const origin = (await (await fetch(`${first.url}/checkpoint`)).text()).split('\n')[0];
  const before = await assay(folder, ['verify', first.url]);
  assert.equal(before.code, 0, before.out);
  assert.equal((await first.stop()).code, 0);
  const next = await startAssay(t, folder, args, READY, more);
  assert.equal(entriesAt(next.out()) >= entriesAt(first.out()), true);
  assert.equal((await (await fetch(`${next.url}/checkpoint`)).text()).split('\n')[0], origin);
  // The pin of the first visit is held to, and a folder at work is not taken for one at rest.
  const held = await assay(folder, ['verify', next.url]);
  assert.equal(held.code, 0, held.out);
  assert.match(held.out, /pinned on an earlier visit/);
  assert.equal((await next.stop()).code, 0);
  const rest = await assay(folder, ['verify', 'data', '--details']);
  assert.equal(rest.code, 0, rest.out);
  assert.match(rest.out, /view rows/);
});

/** Whether a demo under `place` has opened its ledger. A folder renamed while it is read is asked again. */
const opened = async (place: string): Promise<boolean> => {
  try {
    return (await readdir(place, { recursive: true })).some((each) => each.endsWith('ledger'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
};

test('demo: ended before it is ready, it leaves nothing behind', async (t) => {
  const folder = await scratch(t);
  const place = join(folder, 'temporary');
  await mkdir(place);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const child = spawnAssay(folder, ['demo'], { TMPDIR: place });
    const ended = once(child, 'close');
    // Its ledger is open: it is being filled.
    while (!(await opened(place))) {
      assert.equal(child.exitCode, null, 'it runs');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    let err = '';
    child.stderr?.on('data', (bytes) => {
      err += String(bytes);
    });
    child.kill(signal);
    assert.deepEqual([...(await ended), err], [130, null, '']);
    assert.deepEqual(
      (await readdir(place)).filter((each) => each.startsWith('assay-demo-')),
      [],
    );
  }
});

/** The processes that one has started; undefined where this machine does not say. */
async function childrenOf(pid: number): Promise<readonly number[] | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.trim().split(' ').map(Number);
  } catch {
    return undefined;
  }
}

test('demo: killed, it leaves no recounter behind', async (t) => {
  const folder = await scratch(t);
  const child = spawnAssay(folder, ['demo', '--indices', 'LAYOFFS'], { TMPDIR: folder });
  const ended = once(child, 'close');
  let out = '';
  child.stdout?.on('data', (bytes) => {
    out += String(bytes);
  });
  while (!out.includes(READY)) {
    assert.equal(child.exitCode, null, 'it runs');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const recounters = await childrenOf(child.pid ?? 0);
  child.kill('SIGKILL');
  await ended;
  if (recounters === undefined) {
    t.skip('this machine does not say which processes one has started');
    return;
  }
  assert.equal(recounters.length, 2);
  const lives = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  for (let i = 0; recounters.some(lives); i += 1) {
    assert.ok(i < 300, 'within half a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test('a port in use is a clear error', async (t) => {
  const folder = await scratch(t);
  const url = await listen(t, createServer());
  const port = new URL(url).port;
  const { code, out, err } = await assay(folder, ['demo'], { ASSAY_PORT: port });
  assert.deepEqual([code, out], [2, '']);
  assert.match(err, new RegExp(`^assay demo: .*a free port.*${port}.*\\n$`));
});

test('demo asks for sense', async (t) => {
  const folder = await scratch(t);
  for (const [args, more] of [
    [['there'], {}],
    [['--week-seconds', '0'], {}],
    [['--week-seconds', 'x'], {}],
    [['--indices', 'layoffs'], {}],
    [['--indices', 'cpi,cpi'], {}],
    [[], { ASSAY_PORT: 'x' }],
    [[], { ASSAY_PORT: '70000' }],
  ] as const) {
    const { code, out } = await assay(folder, ['demo', ...args], more);
    assert.deepEqual([code, out], [2, ''], JSON.stringify([args, more]));
  }
});

test('the readme runs what the demo says', async () => {
  const readme = await readFile(new URL('../../../../../README.md', import.meta.url), 'utf8');
  for (const command of [
    'npx assay verify http://127.0.0.1:8787',
    'npx assay verify number.json',
    'npx assay forecast standing http://127.0.0.1:8787',
  ]) {
    assert.equal(readme.includes(command), true, command);
  }
});
