import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LIVE_RULES } from '@assay/core/terminal/rule/score-rules';
import { TICK_WINDOW_S } from '@assay/core/terminal/score/good';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import { developmentTicks, historyTimes } from '@assay/node/dev/market/development-ticks';
import { MARKET_FROM } from '@assay/node/dev/market/synthetic-market';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const END = parseTime('2026-08-01T06:00:00Z');

async function place(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('development ticks: the rule of production, a seed that stays, and the clock waits for each tick', async (t) => {
  const folder = dataFolder(await place(t));
  await mkdir(folder.keys, { recursive: true });
  let now = END;
  const allowed: number[] = [];
  const onPolled = (until: number): void => void allowed.push(until);
  const parts = { folder, sha256: nodeSha256, everyMs: 1, onPolled, now: () => now };
  const ticks = await developmentTicks(parts);
  assert.deepEqual(
    ticks.classes.map(({ rule, sources }) => [rule, sources.length]),
    [[LIVE_RULES.crypto, 2]],
  );
  assert.ok(
    ticks.listing.assets.some(({ asset }) => asset.symbol === LIVE_RULES.crypto.receipts.benchmark),
  );
  const again = await developmentTicks(parts);
  assert.deepEqual(again.seed, ticks.seed);
  assert.match(await readFile(join(folder.keys, 'tick-seed'), 'utf8'), /^[0-9a-f]{64}\n$/);
  for (now of [END, END + 899]) {
    ticks.onPolled?.();
    const late = (allowed.at(-1) ?? 0) - (END + 900);
    assert.ok(late > 0 && late < TICK_WINDOW_S, 'the clock stops while the next tick can be made');
  }
});

test('development ticks: the history has what the rule and a study want', () => {
  const times = historyTimes(END);
  assert.deepEqual([times[0], times.at(-1)], [MARKET_FROM, END]);
  const all = new Set(times);
  const { volume, returns } = LIVE_RULES.crypto;
  for (let quarter = 1; quarter <= 4; quarter += 1) {
    const next = END + quarter * 900;
    const days = Array.from({ length: volume.days }, (_, i) => next - (i + 1) * DAY_SECONDS);
    assert.ok(days.filter((ts) => all.has(ts)).length >= volume.min_days, 'volumes of days');
  }
  const hours = times.filter((ts) => ts % 3600 === 0 && ts > END - returns.window * 900);
  assert.ok(hours.length > returns.min_samples, 'returns of hours');
  const month = parseTime('2026-08-01T00:00:00Z');
  assert.ok(month - MARKET_FROM >= 60 * DAY_SECONDS, 'the first of August has a study');
});
