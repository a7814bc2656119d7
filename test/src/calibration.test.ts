import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ScoreSeries } from '@assay/core/terminal/score/score';
import { CRYPTO_REPLAY_RULE, CRYPTO_RULE, STOCK_RULE } from '@assay/core/terminal/rule/score-rules';
import { parseTime } from '@assay/core/time/time';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { figuresOf, nearest } from '../calibration/events.ts';
import { type Measured, NONE } from '../calibration/measured.ts';
import { DRAFT, partsAt, scorer } from '../calibration/parts.ts';
import { withPart } from '../calibration/placebo/page-part.ts';
import { filesLine, pageFiles } from '../calibration/recorded-files.ts';
import { recordedData } from '../calibration/recorded-study.ts';
import { ROOT } from './core/fixture/fixture.ts';
import { temporaryFolder } from './node/ledger/ledger-fixture.ts';
import { makeMarket } from './node/terminal/made-market.ts';

test('calibration: the rules have the parts that the page says were chosen', () => {
  const page = readFileSync(join(ROOT, 'docs', 'calibration.md'), 'utf8');
  const [, chosen] = /Chosen: \*\*(\d+) %\*\*/.exec(page) ?? [];
  assert.deepEqual(partsAt(Number(chosen)), CRYPTO_RULE.parts);
  assert.deepEqual(STOCK_RULE.parts, CRYPTO_RULE.parts);
  assert.deepEqual(partsAt(100), DRAFT);
});

test('calibration: the nearest by ratio, of two the smaller width', () => {
  assert.equal(
    nearest(
      [
        [50, 20],
        [60, 39],
        [70, 80],
      ],
      40,
    ),
    60,
  );
  assert.equal(
    nearest(
      [
        [70, 80],
        [50, 20],
      ],
      40,
    ),
    50,
  );
  assert.equal(
    nearest(
      [
        [50, 30],
        [60, 52],
      ],
      40,
    ),
    60,
  );
});

/** Prices and volumes that wander, and leap now and then. */
function wandering(): { price: number; volume: number }[] {
  let [state, price] = [7, 1_000_000];
  const next = (n: number): number => (state = (state * 48_271) % 2_147_483_647) % n;
  return Array.from({ length: 4000 }, (_, i) => {
    const leap = i % 700 > 690 ? 30_000 : 3000;
    price += next(2 * leap + 1) - leap + Math.trunc((1_000_000 - price) / 50);
    return { price, volume: 100_000 + next(i % 700 > 650 ? 400_000 : 50_000) };
  });
}

test("calibration: scores, events and returns are core's", () => {
  const rule = {
    ...CRYPTO_REPLAY_RULE,
    receipts: { ...CRYPTO_REPLAY_RULE.receipts, benchmark: 'B' },
  };
  const start = 1_900_000;
  const series = new ScoreSeries(rule);
  const rows = wandering();
  const scored = rows.map((row, i) => series.add(start + i, row));
  const column = (of: (i: number) => number | null): Int32Array =>
    Int32Array.from(rows, (_, i) => of(i) ?? NONE);
  const asset: Measured = {
    symbol: 'A',
    size: rows.length,
    index: column((i) => start + i),
    price: Float64Array.from(rows, ({ price }) => price),
    move: column((i) => scored[i]?.move ?? null),
    zLong: column((i) => scored[i]?.zLong ?? null),
    volMult: column((i) => scored[i]?.volMult ?? null),
    zShort: column((i) => scored[i]?.zShort ?? null),
  };
  const score = scorer(rule.parts);
  let compared = 0;
  for (const { score: own, zLong, volMult, zShort } of scored) {
    if (own === null) continue;
    compared += 1;
    assert.equal(score(zLong as number, volMult as number, zShort as number), own);
  }
  assert.ok(compared > 1000);
  const halfway = start + 2000;
  const spans = figuresOf([asset], rule.parts, { ...rule.event, open: 45, close: 20 }, [
    start,
    halfway,
  ]);
  const events = spans.flatMap((span) => span.events);
  assert.ok(events.length >= 3);
  for (const [i, span] of spans.entries()) {
    assert.ok(span.events.every(({ at }) => start + at >= halfway === (i === 1)));
  }
  const ticks = spans.reduce((sum, { assetDays }) => sum + assetDays * 96, 0);
  assert.equal(Math.round(ticks), compared);

  // The benchmark lags the asset by one tick, so that the two returns differ.
  const benchmark: Measured = {
    ...asset,
    symbol: 'B',
    price: Float64Array.from(rows, (_, i) => rows[Math.max(0, i - 1)]?.price as number),
  };
  const data = recordedData([asset, benchmark], events, rule);
  const closed = events.filter(({ lasted }) => lasted !== null);
  assert.deepEqual(
    data.events.map(({ opened_at }) => opened_at / 900 - start),
    closed.map(({ at }) => at),
  );
  for (const { opened_at, returns, breadth } of data.events) {
    const at = opened_at / 900 - start;
    const bp = (from: number, to: number): number | null => {
      const [then, now] = [rows[from]?.price, rows[to]?.price];
      return then === undefined || now === undefined
        ? null
        : Math.round((10_000 * (now - then)) / then);
    };
    assert.deepEqual(returns['1d'], {
      ret: bp(at, at + 96),
      benchmark: at + 96 < rows.length ? bp(at - 1, at + 95) : null,
    });
    assert.equal(breadth.of, 2);
  }
  // Two moments a day of each asset, less those near an event of its own.
  const { n } = data.ordinary.excess_7d;
  assert.ok(n > 0 && n < (rows.length - 672) / 48);
});

const BELOW = '<!-- Below this line the page is written by `npm run calibrate`. -->';
const PROGRAM = fileURLToPath(new URL('../calibration/run.js', import.meta.url));

async function calibrate(...args: readonly string[]): Promise<{ code: number; err: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const [code] = (await once(child, 'close')) as [number];
  return { code, err };
}

test('calibration: a page is written for other files on demand alone, and last', async (t) => {
  const folder = await temporaryFolder(t);
  const market = join(folder, 'market');
  const from = parseTime('2025-04-10T00:00:00Z');
  await makeMarket(market, { symbols: ['BTC', 'ETH'], from, ticks: 40 * 96, seed: 5 });
  const files = await filesLine(await MarketFolder.open(market, CRYPTO_FORMAT));
  assert.match(
    files,
    /^Files: 2 assets, \d+ rows, 2025-04-10T00:00:00Z to 2025-05-19T23:45:00Z, sha256 `[0-9a-f]{64}`\.$/,
  );
  const real = await readFile(join(ROOT, 'docs', 'calibration.md'), 'utf8');
  assert.match(`${pageFiles(real)}`, /^Files: 80 assets, /);
  const page = join(folder, 'page.md');
  await writeFile(page, real);
  const run = (...more: readonly string[]): ReturnType<typeof calibrate> =>
    calibrate('--market', market, '--page', page, ...more);

  const foreign = await run();
  assert.equal(foreign.code, 3, foreign.err);
  assert.match(
    foreign.err,
    /^calibrate: recorded market at .*: expected Files: 80 assets, .* \[malformed\]\n$/,
  );
  assert.equal(await readFile(page, 'utf8'), real);

  const written = await run('--write');
  assert.deepEqual(written, { code: 1, err: 'the rule has other parts\n' });
  const text = await readFile(page, 'utf8');
  assert.equal(pageFiles(text), files);
  // What `--placebo` has written stays, and what it writes leaves the rest.
  const placebo = (all: string): string => all.split('\n## Placebo\n')[1]?.split(BELOW)[0] ?? '';
  assert.ok(placebo(real).length > 1000);
  assert.equal(placebo(text), placebo(real));
  const other = withPart(text, 'simulated', 'other figures');
  assert.match(placebo(other), /other figures/);
  assert.equal(other.split(BELOW)[1], text.split(BELOW)[1]);
  assert.deepEqual(await readdir(folder), ['market', 'page.md']);
  assert.deepEqual(await run(), written);
  // Packed or not, the same rows are the same files.
  const packed = join(market, 'ETHUSDT.15m.csv.gz');
  const rows = gunzipSync(await readFile(packed));
  await writeFile(packed.slice(0, -'.gz'.length), rows);
  await rm(packed);
  assert.deepEqual(await run(), written);

  await writeFile(page, text.replace('Chosen: **', 'Chosen: **1'));
  const stale = await run();
  assert.equal(stale.code, 1);
  assert.match(
    stale.err,
    /: expected what these files give .*Chosen: \*\*1.* \[replay_differs\]\n$/,
  );
});

test('calibration: what is not there, or not understood, is reported with a code', async (t) => {
  const folder = await temporaryFolder(t);
  const none = join(folder, 'none');
  const page = await calibrate('--market', none, '--page', none);
  assert.equal(page.code, 3);
  assert.match(page.err, /^calibrate: page at .*\[not_found\]\n$/);
  const market = await calibrate('--market', none);
  assert.equal(market.code, 3);
  assert.match(market.err, /^calibrate: market folder at .*\[not_found\]\n$/);
  const placebo = await calibrate('--placebo', '--page', none);
  assert.equal(placebo.code, 3);
  assert.match(placebo.err, /^calibrate: page at .*\[not_found\]\n$/);
  for (const args of [
    [],
    ['--market'],
    ['--other', 'x'],
    ['--placebo', '--panels', '0'],
    ['--placebo', '--panels', 'many'],
  ]) {
    assert.equal((await calibrate(...args)).code, 2, args.join(' '));
  }
});
