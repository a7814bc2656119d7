import assert from 'node:assert/strict';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import { DAY_SECONDS, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { createKey } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { type ReplayChoices, replayMarket } from '@assay/node/terminal/replay/replay-market';
import type { ReplayEnd } from '@assay/node/terminal/replay/write-replay';
import { sharedPath } from '../../../core/fixture/fixture.ts';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';
import { ALL, FROM, market, MemoryPlace, stepsOf } from '../replay-world.ts';

function replay(data: string, choices: Partial<ReplayChoices>): Promise<ReplayEnd> {
  return replayMarket(nodeSha256, { span: ALL, ...choices, data: dataFolder(data) });
}

test('replay: two folders of the same files have one root, and it is always the same', async (t) => {
  const root = await market(t, 120);
  const ends: ReplayEnd[] = [];
  for (let i = 0; i < 2; i += 1) {
    const data = join(await temporaryFolder(t), 'data');
    const days = new Set<string>();
    ends.push(
      await replay(data, {
        market: root,
        onStep: (step, of) => days.add(`${step.at >= of.from && step.at - 60 < of.to}`),
      }),
    );
    assert.deepEqual([...days], ['true']);
    assert.equal((await stat(keyPath(dataFolder(data), 'report'))).mode & 0o777, 0o600);
    assert.equal((await replay(data, { market: root })).appended, 0);
    // It is a log like any other, which a node can open.
    const opened = await openData(dataFolder(data), nodeSha256, { passphrase: undefined });
    assert.deepEqual([opened.network, opened.chain], ['development', null]);
    assert.equal(opened.checkpoints.origin, 'development/replay');
    const first = await opened.store.entry(0);
    assert.equal(parseEntry(first as Uint8Array).at, formatTime(FROM + 60));
    await opened.store.close();
    await opened.guard.close();
  }
  assert.deepEqual(ends[1], ends[0]);
  // The keys that everybody knows, the seed of the salts and the rules are in it: a change of any is seen here.
  assert.equal(ends[0]?.root, ROOT_120);
});

/** Of 120 ticks of the made market, under the rule in force and under the one before it. */
const ROOT_120 = '3a623e8c44d57454872fe800d04eb5dd190d76dd27cea54e5aba53f794004e54';
const FORMER_ROOT_120 = 'dd98938b26bbc6cb005f51e11cc1161a7138a957efe48bfb343cbe017ff9dede';

test('replay: under the rule before, the log is still the one that it was, with its study of version 1', async (t) => {
  const steps = await stepsOf(await market(t, 120), ALL, CRYPTO_REPLAY_RULE);
  const place = await MemoryPlace.make();
  assert.equal((await place.write(steps)).root, FORMER_ROOT_120);
  assert.equal((await place.kinds()).at(-1), 'study/1');
});

test('replay: a folder that is no replay of these files is left as it is', async (t) => {
  const root = await market(t, 5);
  const full = await temporaryFolder(t);
  await writeFile(join(full, 'mine'), 'text');
  await assert.rejects(replay(full, { market: root }), { code: 'not_empty' });
  assert.deepEqual(await readdir(full), ['mine']);
  const other = await temporaryFolder(t);
  await mkdir(join(other, 'keys'), { mode: 0o700 });
  await createKey(keyPath(dataFolder(other), 'checkpoint'));
  await assert.rejects(replay(other, { market: root }), { code: 'not_empty' });
});

test('replay: one that ended between two of its keys goes on', async (t) => {
  const root = await market(t, 5);
  const data = join(await temporaryFolder(t), 'data');
  const { root: whole } = await replay(data, { market: root });
  for (const part of ['ledger', 'head', 'guard', 'blobs'])
    await rm(join(data, part), { recursive: true });
  await rm(keyPath(dataFolder(data), 'recovery'));
  assert.equal((await replay(data, { market: root })).root, whole);
});

test('replay: a span without a row, and nothing to read, are reported', async (t) => {
  const root = await market(t, 5);
  const data = join(await temporaryFolder(t), 'data');
  const span = { from: FROM + 5 * 900, to: FROM + 10 * 900 };
  await assert.rejects(replay(data, { market: root, span }), { code: 'not_found' });
  const empty = { from: FROM + 900, to: FROM + 900 };
  await assert.rejects(replay(data, { market: root, span: empty }), { code: 'not_found' });
  // Rows on both sides of the span, none in it.
  const gap = await temporaryFolder(t);
  const rows = ['2025-01-01T00:00:00Z,1.5,2', '2025-01-03T00:00:00Z,1.5,2'];
  const text = `close_time,close,volume\n${rows.join('\n')}\n`;
  await writeFile(join(gap, 'BTCUSDT.15m.csv'), text);
  const inside = { from: FROM + DAY_SECONDS, to: FROM + DAY_SECONDS + 9000 };
  await assert.rejects(replay(data, { market: gap, span: inside }), { code: 'not_found' });
  await assert.rejects(readdir(data), { code: 'ENOENT' });
  await assert.rejects(replay(data, {}), { code: 'not_found' });
});

test('replay: a bad row anywhere is found before anything is written', async (t) => {
  const root = await market(t, 5);
  const data = join(await temporaryFolder(t), 'data');
  // Behind the span, and in the file of another class.
  const span = { from: 0, to: FROM + 1800 };
  const stocks = await temporaryFolder(t);
  const path = join(stocks, 'SPY.15m.csv');
  const good = 'close_time_new_york,close,volume\n2025-01-10T15:45:00,580.5,1\n';
  for (const close of ['1e16', '1e-30', '5e-99', 'x', '-1']) {
    await writeFile(path, `${good}2025-01-10T16:00:00,${close},1\n`);
    await assert.rejects(replay(data, { market: root, stocks, span }), {
      code: 'malformed',
      at: `${path}: line 3`,
    });
  }
  await assert.rejects(readdir(data), { code: 'ENOENT' });
  await writeFile(path, `${good}2025-01-10T16:00:00,5.8051e2,1e99\n`);
  await replay(data, { market: root, stocks });
});

test('replay: stocks tick in their sessions, between those of crypto', async (t) => {
  const [crypto, stocks] = [await temporaryFolder(t), await temporaryFolder(t)];
  // A Friday and a Monday; by New York's clock, five hours behind.
  await writeFile(
    join(stocks, 'SPY.15m.csv'),
    'close_time_new_york,close,volume\n2025-01-10T15:45:00,580.5,1000\n2025-01-10T16:00:00,581,900\n2025-01-13T09:45:00,579.25,800\n',
  );
  const friday = parseDate('2025-01-10') * DAY_SECONDS;
  const rows = [20, 20.75, 21, 21.25].map((hour) => `${formatTime(friday + 3600 * hour)},1.5,2\n`);
  await writeFile(join(crypto, 'BTCUSDT.15m.csv'), `close_time,close,volume\n${rows.join('')}`);
  const seen: string[] = [];
  await replay(join(await temporaryFolder(t), 'data'), {
    market: crypto,
    stocks,
    onStep: ({ at, drafts }) => {
      for (const { kind, body } of drafts) {
        if (kind !== 'tick/1') continue;
        assert.equal(at, parseTime(body.ts) + 60);
        seen.push(`${body.class} ${body.ts}`);
      }
    },
  });
  assert.deepEqual(seen, [
    'crypto 2025-01-10T20:00:00Z',
    'crypto 2025-01-10T20:45:00Z',
    'stock 2025-01-10T20:45:00Z',
    'crypto 2025-01-10T21:00:00Z',
    'stock 2025-01-10T21:00:00Z',
    'crypto 2025-01-10T21:15:00Z',
    'stock 2025-01-13T14:45:00Z',
  ]);
  await writeFile(
    join(stocks, 'SPY.15m.csv'),
    'close_time_new_york,close,volume\n2025-01-11T15:45:00,580.5,1\n',
  );
  await assert.rejects(replay(join(await temporaryFolder(t), 'data'), { stocks }), {
    code: 'malformed',
  });
});

test('replay: the recorded crash of 2025-10-10 is one evening of ticks, each of all assets', async (t) => {
  const recorded = sharedPath('data/market');
  if (recorded === undefined) return t.skip('the recorded market is not here');
  const span = { from: parseTime('2025-10-10T20:00:00Z'), to: parseTime('2025-10-10T22:00:00Z') };
  let sizes: number[] = [];
  await replay(join(await temporaryFolder(t), 'data'), {
    market: recorded,
    span,
    onStep: ({ drafts }) => {
      sizes = [
        ...sizes,
        ...drafts.flatMap(({ kind, body }) => (kind === 'tick/1' ? [body.size] : [])),
      ];
    },
  });
  assert.deepEqual(
    sizes,
    Array.from({ length: 8 }, () => 80),
  );
});
