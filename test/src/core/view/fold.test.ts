import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@assay/core/wire/canonical';
import { setHash } from '@assay/core/report/cosigner-set';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { foldEntry, VIEWS } from '@assay/core/view/fold';
import { OverlayViews } from '../fixture/overlay-views.ts';
import { MemoryViews } from '@assay/core/view/state';
import {
  cosignOf,
  dissentOf,
  recountedReport,
  setOfStrangers,
  STRANGERS,
} from '../fixture/cosigner-fixture.ts';
import { committed, recovery, RECOVERY_2, RECOVERY_3 } from '../fixture/key-fixture.ts';
import { ArenaLog, secretForecaster } from '../arena/arena-log.ts';
import { type SampleLog, sha256, SOME_HASH, table, vectors } from '../fixture/fixture.ts';
import { appendAttested, appendBatch, appendBeacon, blockAt } from '../fixture/anchor-fixture.ts';
import { appendClose } from '../fixture/close-fixture.ts';
import { TerminalMarket } from '../terminal/terminal-log.ts';
import { smallLog } from './small-log.ts';

/** Every row of every table. */
function dump(views: MemoryViews): string {
  return canonicalize(views.tables().map((name) => [name, table(views, name)]));
}

test('fold: folding the entries again gives the same rows to the byte', () => {
  const { entries, log, views } = smallLog();
  const again = new MemoryViews();
  for (const bytes of entries) {
    const { seq, kind, at, ...layout } = scanEntry(bytes);
    const known = bodyParser(sha256)(kind, entryBody(bytes, { seq, kind, at, ...layout }));
    if (known !== undefined) again.write(foldEntry({ ...known, seq, at, log }, again, sha256));
  }
  assert.equal(dump(again), dump(views));
  assert.deepEqual(views.tables(), [
    'index-prints',
    'log',
    'periods/CPI',
    'periods/LAYOFFS',
    'printed',
    'reports/LAYOFFS/2026-07-25',
    'reports/LAYOFFS/2026-08-01',
    'rules/CPI',
    'rules/LAYOFFS',
    'stamped',
    'stamps',
    'tickers',
  ]);
});

test('fold: stamps, batches and beacons come out the same in one go and in pieces', () => {
  const sample = smallLog();
  appendBeacon(sample, 7);
  appendBatch(sample, 9);
  appendClose(sample, '2026-08-21');
  appendAttested(sample, 0, [blockAt(9)]);
  appendBatch(sample);
  for (const cut of [1, 6, 12, 13, 14, 15]) {
    const stored = new MemoryViews();
    const fold = (bytes: Uint8Array, into: MemoryViews | OverlayViews): void => {
      const layout = scanEntry(bytes);
      const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
      if (known === undefined) return;
      const entry = { ...known, seq: layout.seq, at: layout.at, log: sample.log };
      // As a store gives rows back: by value.
      const writes = foldEntry(entry, into, sha256);
      into.write(JSON.parse(JSON.stringify(writes)) as typeof writes);
    };
    for (const bytes of sample.entries.slice(0, cut)) fold(bytes, stored);
    const before = dump(stored);
    const overlay = new OverlayViews(stored);
    for (const bytes of sample.entries.slice(cut)) fold(bytes, overlay);
    for (const name of sample.views.tables()) {
      assert.equal(
        canonicalize([...overlay.list(name)]),
        canonicalize([...sample.views.list(name)]),
        `${name}, cut at ${cut}`,
      );
    }
    assert.equal(dump(stored), before);
  }
});

test('fold: no two views write to one table', () => {
  const sample = smallLog();
  appendClose(sample, '2026-08-21');
  appendBeacon(sample, 7);
  appendBatch(sample);
  appendAttested(sample, 0, [blockAt(9)]);
  const [first, second, third] = STRANGERS;
  const set = setOfStrangers();
  sample.append('cosigners/1', set, '2026-08-22T00:00:05Z');
  const named = { set: setHash(sha256, set), required: 2 };
  const report = recountedReport('final', { log: sample.log, cosigners: named });
  sample.append('cosign/1', cosignOf(report, first), '2026-08-22T00:00:05Z');
  sample.append('dissent/1', dissentOf(report, second), '2026-08-22T00:00:05Z');
  const word = { ...cosignOf(report, third), dissent_signature: null };
  sample.append('statement/1', word, '2026-08-22T00:00:05Z');
  sample.append('key/1', recovery(sample.log), '2026-08-22T00:00:05Z');
  const promise = {
    type: 'checkpoint-promise',
    number: 1,
    next_checkpoint_sha256: SOME_HASH,
    recovery_key: RECOVERY_2.key,
    next_recovery_key_sha256: committed(RECOVERY_3),
    signature: '00'.repeat(64),
  };
  sample.append('key/2', promise, '2026-08-22T00:00:05Z');
  const { entries: indexes } = vectors<{ readonly entries: readonly { readonly body: object }[] }>(
    'index/index',
  );
  sample.append('index/1', indexes[0]?.body ?? {}, '2026-08-22T00:00:05Z');
  const [print] = vectors<readonly { readonly body: object }[]>('print-entry/entries');
  sample.append('print/1', print?.body ?? {}, '2026-08-22T00:00:05Z');
  const { drafts } = new TerminalMarket(2);
  for (const { kind, body, at } of drafts) sample.append(kind, body, at);
  const study = { class: 'crypto', from: 0, to: 9, rule: SOME_HASH, blob: SOME_HASH };
  sample.append('study/1', study, '2026-08-30T00:00:00Z');
  const effective_at = '2026-08-30T13:30:00Z';
  const split = { symbol: 'SPY', effective_at, numerator: 2, denominator: 1 };
  sample.append('split/1', split, '2026-08-30T00:00:00Z');
  const [question] = vectors<readonly { readonly body: object }[]>('referee/entries');
  sample.append('question/1', question?.body ?? {}, '2026-08-30T00:00:00Z');
  const arena = new ArenaLog();
  arena.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  arena.play('2026-08-02', '1100', [[secretForecaster('ada'), 1000n]]);
  const owners = new Map<string, string>();
  for (const each of [sample, arena]) noteOwners(each, owners);
  assert.deepEqual(new Set(owners.values()), new Set(VIEWS.map(({ name }) => name)));
});

/** Notes which view writes to each table. */
function noteOwners({ entries, log }: SampleLog, owners: Map<string, string>): void {
  const views = new MemoryViews();
  for (const bytes of entries) {
    const layout = scanEntry(bytes);
    const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
    if (known === undefined) continue;
    const entry = { ...known, seq: layout.seq, at: layout.at, log };
    const writes = VIEWS.flatMap((view) =>
      view.apply(entry, views, sha256).map((write) => {
        assert.equal(owners.get(write.table) ?? view.name, view.name, write.table);
        owners.set(write.table, view.name);
        return write;
      }),
    );
    assert.deepEqual(writes, foldEntry(entry, views, sha256));
    views.write(writes);
  }
}
