import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeHash, closeMessage } from '@assay/core/report/close';
import { parseHex } from '@assay/core/bytes/hex';
import type { SettlementPayload } from '@assay/core/answer/settlement';
import type { DateText } from '@assay/core/time/time';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { logRow } from '@assay/core/view/log';
import { missedDays, runClose } from '@assay/node/day/close-round';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { SettlementFolder } from '@assay/node/day/settlement-mirror';
import { Level } from 'level';
import { answerTo } from '@assay/core/answer/answer';
import { LastSigned } from '@assay/node/ledger/guard/last-signed';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { closesWorld, HIDDEN_RULE, sha256Of } from '../fixture/closes-world.ts';
import {
  openAt,
  probeGuard,
  probeStore,
  REPORT_SIGNER,
  temporaryFolder,
} from '../ledger/ledger-fixture.ts';
import { CLAIMS_RULE, requireVerified } from '../fixture/round-fixture.ts';

const day = (text: string): DateText => text as DateText;

async function latest(folder: string): Promise<{ readonly day: string; readonly version: number }> {
  return JSON.parse(await readFile(join(folder, 'latest.json'), 'utf8')) as never;
}

test('close round: the day before, once, signed, with the files that it names', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  const rows = closesOf(world.ledger.shown, day('2026-07-09'));
  assert.equal(rows.length, 1);
  const [row] = rows as [(typeof rows)[number]];
  assert.deepEqual(
    row.content.items.map(({ ticker, period, value }) => [ticker, period, value]),
    [
      ['HIDDEN', '2026-07-04', null],
      ['LAYOFFS', '2026-07-04', '215000'],
    ],
  );
  assert.equal(row.at, '2026-07-10T00:00:10Z');
  assert.equal(row.hash, closeHash(nodeSha256, row.content));
  const log = logRow(world.ledger.shown);
  const message = closeMessage(log?.log as never, row.content.day, row.hash);
  assert.ok(nodeVerifySignature(REPORT_SIGNER.publicKey, message, parseHex(row.signature, 64)));
  for (const { path, sha256 } of row.content.files) {
    assert.equal(sha256Of(await readFile(join(folder, path))), sha256, path);
  }
  assert.deepEqual((await readdir(join(folder, '2026-07-09'))).sort(), [
    'LAYOFFS.csv',
    'LAYOFFS.json',
    'hidden.csv',
    'hidden.json',
  ]);
  assert.deepEqual(await latest(folder), {
    type: 'assay-settlement-index/1',
    day: '2026-07-09',
    version: 0,
    files: ['hidden', 'LAYOFFS'].map((ticker) => ({
      ticker,
      slug: ticker === 'hidden' ? 'hidden-level' : 'layoffs',
      ...row.content.files.find(({ path }) => path === `2026-07-09/${ticker}.json`),
      csv: row.content.files.find(({ path }) => path === `2026-07-09/${ticker}.csv`),
    })),
    close: {
      log: log?.log,
      content: row.content,
      version: 0,
      supersedes: null,
      signature: row.signature,
      public_key: log?.report_key,
    },
  });
  const size = world.ledger.nextSeq;
  for (const time of ['2026-07-10T00:00:11Z', '2026-07-10T23:59:59Z']) {
    world.at(time);
    assert.equal(await world.close(), undefined, time);
  }
  assert.equal(world.ledger.nextSeq, size);
  await requireVerified(world);
});

test('close round: nothing to freeze, nothing written', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  assert.equal(await world.close(), undefined);
  assert.deepEqual(await readdir(folder), []);
  // A day whose first print comes after it has none either.
  world.shown.sample['2026-07-04'] = 1000;
  world.at('2026-07-09T14:30:00Z');
  await world.round(CLAIMS_RULE, '2026-07-04');
  assert.equal(await world.close(), undefined);
  assert.deepEqual(await readdir(folder), []);
});

test('close round: every day has one, also without a print; a missed day stays missing', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  await world.week(0);
  for (const date of ['2026-07-11', '2026-07-12', '2026-07-15']) {
    world.at(`${date}T00:00:01Z`);
    assert.ok((await world.close()) !== undefined, date);
  }
  const closed = ['09', '10', '11', '12', '13', '14', '15'].filter(
    (each) => closesOf(world.ledger.shown, day(`2026-07-${each}`)).length > 0,
  );
  assert.deepEqual(closed, ['09', '10', '11', '14']);
  await requireVerified(world);
});

test('close round: a node that was down over the release freezes the day as it ended', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  await world.week(0);
  // It comes back on the day after the Close is due, prints, and only then closes the day before.
  world.shown.sample['2026-07-11'] = 209_000;
  world.at('2026-07-16T15:00:00Z');
  await world.round(CLAIMS_RULE, '2026-07-11');
  const draft = await world.close();
  assert.equal(draft?.content.day, '2026-07-15');
  assert.deepEqual(
    draft.content.items.map(({ ticker, period }) => [ticker, period]),
    [
      ['HIDDEN', '2026-07-04'],
      ['LAYOFFS', '2026-07-04'],
    ],
  );
  await requireVerified(world);
});

test('close round: a correction makes the next version of the newest day, in a folder of its own', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  const [first] = closesOf(world.ledger.shown, day('2026-07-09'));
  const before = await readFile(join(folder, '2026-07-09/LAYOFFS.json'));
  world.shown.sample['2026-07-04'] = 214_000;
  world.at('2026-07-10T09:00:00Z');
  const { report } = await world.correct('2026-07-04');
  assert.equal(report?.status, 'corrected');
  const draft = await world.close();
  assert.deepEqual([draft?.version, draft?.supersedes], [1, first?.hash]);
  assert.equal(draft?.content.items[1]?.value, '214000');
  assert.deepEqual(await readFile(join(folder, '2026-07-09/LAYOFFS.json')), before);
  const file = JSON.parse(
    await readFile(join(folder, '2026-07-09/v1/LAYOFFS.json'), 'utf8'),
  ) as SettlementPayload;
  assert.equal(file.report?.report.status, 'corrected');
  assert.deepEqual(
    file.index.periods.map(({ value, settlement_value: settled }) => [value, settled]),
    [[214_000, 215_000]],
  );
  assert.equal((await latest(folder)).version, 1);
  assert.equal(await world.close(), undefined, 'once');
  // The next day's Close holds the correction; the old one is left alone.
  world.at('2026-07-11T00:00:05Z');
  const next = await world.close();
  assert.deepEqual([next?.content.day, next?.version], ['2026-07-10', 0]);
  assert.equal(next?.content.items[1]?.value, '214000');
  await requireVerified(world);
});

test('close round: a mirror that fails leaves no entry, and the next check is whole', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  // A file where the day's folder has to be.
  await writeFile(join(folder, '2026-07-09'), 'in the way');
  await assert.rejects(world.week(0));
  assert.equal(newestClose(world.ledger.tip), undefined);
  await rm(join(folder, '2026-07-09'));
  assert.equal((await world.close())?.content.day, '2026-07-09');
  await requireVerified(world);
});

test('close round: a crash between files and entry: the files are made again as they must be', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  world.at('2026-07-11T00:00:05Z');
  world.place.store.fail = 'failed';
  world.place.guard.fail = 'failed';
  await assert.rejects(world.close(), { code: 'stopped' });
  const left = await readFile(join(folder, '2026-07-10/LAYOFFS.json'));
  assert.equal((await latest(folder)).day, '2026-07-09', 'no Close names them yet');
  world.place.store.fail = undefined;
  world.place.guard.fail = undefined;
  const ledger = await openAt(world.place, { now: () => world.closeParts.now() });
  // What a crash left half-written is written over.
  await writeFile(join(folder, '2026-07-10/LAYOFFS.json'), left.subarray(0, 100));
  const draft = await runClose({ ...world.closeParts, ledger });
  assert.equal(draft?.content.day, '2026-07-10');
  for (const { path, sha256 } of draft.content.files) {
    assert.equal(sha256Of(await readFile(join(folder, path))), sha256, path);
  }
  await requireVerified(world);
});

test('close round: a crash when the guard alone has the entry: the next start has the Close', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  world.at('2026-07-11T00:00:05Z');
  world.place.store.fail = 'failed';
  await assert.rejects(world.close(), { code: 'stopped' });
  assert.equal((await latest(folder)).day, '2026-07-09', 'no Close names them yet');
  world.place.store.fail = undefined;
  const ledger = await openAt(world.place, { now: () => world.closeParts.now() });
  assert.equal(newestClose(ledger.tip), '2026-07-10');
  assert.equal(await runClose({ ...world.closeParts, ledger }), undefined, 'it is there already');
  assert.equal((await latest(folder)).day, '2026-07-10');
  await requireVerified(world);
});

test('close round: a crash between the entry and latest.json: the next check writes it', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  const whole = await readFile(join(folder, 'latest.json'));
  await rm(join(folder, 'latest.json'));
  assert.equal(await world.close(), undefined);
  assert.deepEqual(await readFile(join(folder, 'latest.json')), whole);
  await writeFile(join(folder, 'latest.json'), '{');
  assert.equal(await world.close(), undefined);
  assert.deepEqual(await readFile(join(folder, 'latest.json')), whole);
});

/** A mirror that does something at its first file. */
class BusyFolder extends SettlementFolder {
  readonly #then: () => Promise<unknown>;
  writes = 0;

  constructor(folder: string, then: () => Promise<unknown>) {
    super(folder);
    this.#then = then;
  }

  override async put(path: string, bytes: Uint8Array): Promise<void> {
    await super.put(path, bytes);
    this.writes += 1;
    if (this.writes === 1) await this.#then();
  }
}

test('close round: a round that ends while the files are written is in both files and entry', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  world.at('2026-07-11T00:00:05Z');
  world.shown.sample['2026-07-04'] = 214_000;
  const mirror = new BusyFolder(folder, () => world.correct('2026-07-04'));
  const draft = await runClose({ ...world.closeParts, mirror });
  assert.equal(draft?.content.items[1]?.value, '214000');
  const file = await readFile(join(folder, '2026-07-10/LAYOFFS.json'), 'utf8');
  assert.equal((JSON.parse(file) as SettlementPayload).report?.report.status, 'corrected');
  for (const { path, sha256 } of draft.content.files) {
    assert.equal(sha256Of(await readFile(join(folder, path))), sha256, path);
  }
  await requireVerified(world);
});

test('close round: a day that ends while the files are written is the next day’s Close', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  world.at('2026-07-11T23:59:59Z');
  const mirror = new BusyFolder(folder, () => {
    world.at('2026-07-12T00:00:00Z');
    return Promise.resolve();
  });
  const draft = await runClose({ ...world.closeParts, mirror });
  assert.equal(draft?.content.day, '2026-07-11');
  await requireVerified(world);
});

test('close round: a day that ends while the Close is signed is left for the next check', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  await world.week(0);
  world.at('2026-07-11T23:59:59Z');
  const signer = {
    ...REPORT_SIGNER,
    sign(message: Uint8Array) {
      world.at('2026-07-12T00:00:00Z');
      return REPORT_SIGNER.sign(message);
    },
  };
  assert.equal((await runClose({ ...world.closeParts, signer }))?.content.day, '2026-07-10');
  assert.equal(closesOf(world.ledger.tip, day('2026-07-10'))[0]?.at, '2026-07-11T23:59:59Z');
  assert.equal((await world.close())?.content.day, '2026-07-11');
  await requireVerified(world);
});

test('close round: another entry in the same turn is refused or comes before it, and the log is sound', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  await world.week(0);
  world.at('2026-07-16T12:30:00Z');
  world.shown.sample['2026-07-11'] = 209_000;
  world.shown.hidden['2026-07-11'] = 987_654_321_099;
  await Promise.all([
    world.close(),
    world.round(CLAIMS_RULE, '2026-07-11'),
    world.round(HIDDEN_RULE, '2026-07-11'),
  ]);
  assert.equal(closesOf(world.ledger.shown, day('2026-07-15')).length, 1);
  await requireVerified(world);
});

test('close round: the days that stay without, after a gap', () => {
  assert.deepEqual(missedDays(day('2026-12-30'), day('2027-01-03')), {
    from: '2026-12-31',
    to: '2027-01-02',
  });
  assert.deepEqual(missedDays(day('2026-12-30'), day('2027-01-01')), {
    from: '2026-12-31',
    to: '2026-12-31',
  });
  for (const before of [undefined, day('2026-12-30'), day('2026-12-31')]) {
    assert.equal(missedDays(before, day('2026-12-31')), undefined);
  }
});

/** Replaces a text by one as long in every row of a database but its entries; how many rows had it. */
async function rot(folder: string, from: string, to: string): Promise<number> {
  const database = new Level<Buffer, Buffer>(folder, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    compression: false,
  });
  let changed = 0;
  for await (const [key, value] of database.iterator()) {
    const text = value.toString('latin1');
    if (key[0] === 0x65 || !text.includes(from)) continue;
    await database.put(key, Buffer.from(text.replaceAll(from, to), 'latin1'));
    changed += 1;
  }
  await database.close();
  return changed;
}

test('close round: rows that rot at rest are neither served nor signed over', async (t) => {
  for (const prove of ['before', 'behind'] as const) {
    const folder = join(await temporaryFolder(t), 'ledger');
    const guard = probeGuard();
    const signed = new LastSigned(new MemoryNoteSlot());
    const open = async () => ({
      store: probeStore(await openLevelStore(folder)),
      guard,
      signed,
    });
    const world = await closesWorld(await temporaryFolder(t), { place: await open() });
    await world.week(0);
    world.shown.sample['2026-07-11'] = 209_000;
    for (const time of ['2026-07-16T12:30:00Z', '2026-07-16T14:30:00Z']) {
      world.at(time);
      await world.round(CLAIMS_RULE, '2026-07-11');
    }
    const { size } = world.ledger.published ?? {};
    const path = '/indices/LAYOFFS/history.csv';
    const before = answerTo(world.ledger.shown, nodeSha256, path);
    assert.match(Buffer.from(before?.body ?? []).toString(), /209000/);
    await world.place.store.close();
    assert.ok((await rot(folder, '209000', '309000')) > 0);
    world.at('2026-07-17T00:00:10Z');
    const place = await open();
    const ledger = await openAt(place, { now: world.closeParts.now, prove });
    assert.deepEqual(answerTo(ledger.shown, nodeSha256, path), before);
    await ledger.proven();
    await runClose({ ...world.closeParts, ledger });
    assert.equal(ledger.mended.length, 1);
    const [close] = closesOf(ledger.shown, day('2026-07-16'));
    const item = close?.content.items.find(({ ticker }) => ticker === 'LAYOFFS');
    assert.deepEqual([item?.period, item?.value], ['2026-07-11', '209000']);
    assert.equal(close?.seq, size);
    await ledger.close();
  }
});
