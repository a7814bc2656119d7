import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { TickOpenings, WHOLE_DAYS } from '@assay/node/terminal/tick/tick-openings';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';

const MIDNIGHT = parseTime('2026-03-01T00:00:00Z');
const TICK = 900;

function opening(symbol: string, ts: number, length = 20): TickOpening {
  const bytes = new Uint8Array(length).fill(ts % 251);
  return { symbol, salt: new Uint8Array(32).fill(symbol.charCodeAt(0)), bytes };
}

const both = (ts: number): readonly TickOpening[] => [
  opening('1000PEPE', ts, 0),
  opening('BTC', ts, 300),
];

function openAt(folder: string, thinFrom: number | null = 0, sync = true): Promise<TickOpenings> {
  return TickOpenings.open(folder, { sha256: nodeSha256, thinFrom, sync });
}

async function filled(
  t: TestContext,
  ticks: number,
  sync = true,
): Promise<{ folder: string; store: TickOpenings }> {
  const folder = join(await temporaryFolder(t), 'openings');
  const store = await openAt(folder, 0, sync);
  for (let k = 0; k < ticks; k += 1)
    await store.put(MIDNIGHT + TICK * k, both(MIDNIGHT + TICK * k));
  return { folder, store };
}

for (const sync of [true, false]) {
  test(`tick openings: what was put is there, for its owner alone, ${sync ? 'with' : 'without'} a sync`, async (t) => {
    await requireKept(await filled(t, 100, sync));
  });
}

async function requireKept({ folder, store }: Awaited<ReturnType<typeof filled>>): Promise<void> {
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.deepEqual((await readdir(folder)).sort(), ['2026-03-01.ticks', '2026-03-02.ticks']);
  assert.equal((await stat(join(folder, '2026-03-01.ticks'))).mode & 0o777, 0o600);
  for (const opened of [store, await openAt(folder)]) {
    for (const ts of [MIDNIGHT, MIDNIGHT + TICK * 95, MIDNIGHT + TICK * 96]) {
      assert.deepEqual(await opened.at(ts), both(ts));
      assert.deepEqual(await opened.get(ts, 'BTC'), opening('BTC', ts, 300));
      assert.equal(await opened.get(ts, 'ETH'), undefined);
    }
    assert.equal(await opened.get(MIDNIGHT + 1, 'BTC'), undefined);
    assert.equal(await opened.get(MIDNIGHT - TICK, 'BTC'), undefined);
  }
}

test('tick openings: of a tick that was begun again the later counts', async (t) => {
  const { store } = await filled(t, 3);
  const again = [opening('BTC', 7, 9)];
  await store.put(MIDNIGHT + TICK, again);
  assert.deepEqual(await store.at(MIDNIGHT + TICK), again);
});

test('tick openings: a record that was cut short anywhere goes, and the next is whole', async (t) => {
  const { folder } = await filled(t, 3);
  const path = join(folder, '2026-03-01.ticks');
  const bytes = await readFile(path);
  const record = bytes.length / 3;
  const next = MIDNIGHT + TICK * 3;
  for (const cut of [1, 7, 8, 19, 20, 21, record - 33, record - 32, record - 1]) {
    await writeFile(path, bytes.subarray(0, 2 * record + cut));
    const store = await openAt(folder);
    assert.deepEqual(await store.at(MIDNIGHT + TICK), both(MIDNIGHT + TICK));
    assert.deepEqual(await store.at(MIDNIGHT + 2 * TICK), []);
    await store.put(next, both(next));
    assert.deepEqual(await (await openAt(folder)).at(next), both(next));
    assert.equal((await stat(path)).size, 3 * record);
  }
  // The file has grown and its bytes are not there.
  await writeFile(path, bytes.subarray(0, 2 * record));
  await truncate(path, 3 * record);
  const store = await openAt(folder);
  await store.put(next, both(next));
  assert.deepEqual(await store.at(next), both(next));
});

test('tick openings: a broken record that others follow is not passed over', async (t) => {
  const { folder } = await filled(t, 3);
  const path = join(folder, '2026-03-01.ticks');
  const bytes = await readFile(path);
  for (const at of [0, 9, 17, 19, 25, bytes.length / 3 - 1]) {
    const broken = Buffer.from(bytes);
    broken[at] = (broken[at] as number) ^ 1;
    await writeFile(path, broken);
    const store = await openAt(folder);
    const code = { code: 'ledger_corrupt' };
    await assert.rejects(store.at(MIDNIGHT + TICK), code, `byte ${at}`);
    await assert.rejects(store.put(MIDNIGHT + 3 * TICK, []), code);
  }
});

test('tick openings: after 45 days one tick an hour, and all that is cited', async (t) => {
  const { folder, store } = await filled(t, 97);
  const cited = MIDNIGHT + 5 * TICK;
  const isCited = (ts: number, symbol: string): boolean => ts === cited && symbol === 'BTC';
  const end = MIDNIGHT + DAY_SECONDS + WHOLE_DAYS * DAY_SECONDS;
  assert.equal(await store.thin(end - 1, () => isCited), 0);
  for (const thinFrom of [null, end + 1]) {
    assert.equal(await (await openAt(folder, thinFrom)).thin(end, () => isCited), 0);
  }
  const before = (await stat(join(folder, '2026-03-01.ticks'))).size;
  assert.equal(await store.thin(end, () => isCited), 1);
  assert.equal(await store.thin(end, () => isCited), 0);
  assert.deepEqual((await readdir(folder)).sort(), ['2026-03-01.hours', '2026-03-02.ticks']);
  assert.ok((await stat(join(folder, '2026-03-01.hours'))).size < before / 3);
  for (let k = 0; k < 97; k += 1) {
    const ts = MIDNIGHT + TICK * k;
    const hour = k % 4 === 0 ? both(ts) : [];
    assert.deepEqual(await store.at(ts), k === 5 ? [opening('BTC', ts, 300)] : hour, `tick ${k}`);
  }
  await assert.rejects((await openAt(folder)).put(MIDNIGHT + 96 * TICK - 1, []), {
    code: 'read_only',
  });
  await assert.rejects(store.put(MIDNIGHT, both(MIDNIGHT)), { code: 'read_only' });
});

test('tick openings: a thinning that was cut short is made again', async (t) => {
  const { folder, store } = await filled(t, 8);
  const whole = await readFile(join(folder, '2026-03-01.ticks'));
  const end = MIDNIGHT + DAY_SECONDS + WHOLE_DAYS * DAY_SECONDS;
  await store.thin(end, () => () => false);
  const thinned = await readFile(join(folder, '2026-03-01.hours'));
  // The thinned file was there, and the other not yet gone.
  await writeFile(join(folder, '2026-03-01.ticks'), whole);
  await appendFile(join(folder, '2026-03-01.ticks'), 'assayTO1');
  assert.deepEqual(await store.at(MIDNIGHT + TICK), both(MIDNIGHT + TICK));
  assert.equal(await store.thin(end, () => () => false), 1);
  assert.deepEqual(await readdir(folder), ['2026-03-01.hours']);
  assert.deepEqual(await readFile(join(folder, '2026-03-01.hours')), thinned);
});

test('tick openings: all ticks from a day on, in order, each as it was put last', async (t) => {
  const { folder, store } = await filled(t, 3 * 96);
  const again = [opening('BTC', 7, 9)];
  await store.put(MIDNIGHT + TICK * 287, again);
  const from = async (ts: number): Promise<readonly number[]> => {
    const found: number[] = [];
    for await (const each of store.since(ts)) {
      assert.deepEqual(each.openings, each.ts === MIDNIGHT + TICK * 287 ? again : both(each.ts));
      found.push((each.ts - MIDNIGHT) / TICK);
    }
    return found;
  };
  const ticks = (first: number): readonly number[] =>
    Array.from({ length: 288 - first }, (_, i) => first + i);
  assert.deepEqual(await from(0), ticks(0));
  assert.deepEqual(await from(MIDNIGHT + TICK * 100), ticks(96));
  assert.deepEqual(await from(MIDNIGHT + TICK * 288), []);
  assert.equal((await readdir(folder)).length, 3);
});
