import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEntry } from '@assay/core/log/entry';
import type { FolderRow } from '@assay/verifier/reader/folder-reader';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { CHECKPOINTS } from '../node/ledger/ledger-fixture.ts';
import { chained } from './fixture/chained-log.ts';
import { assertFound, flip, runs } from './fixture/flip.ts';
import {
  codesOf,
  folderOf,
  judgeFolder,
  judgeSite,
  publish,
  relink,
  siteOf,
} from './fixture/published.ts';

const { published, seqOf } = chained();
const site: ReadonlyMap<string, Answer> = siteOf(published);
const folder = folderOf(published);
const kinds = published.entries.map((bytes) => parseEntry(bytes).kind);

/** Kinds of what co-signers say and of what stands on chain. */
const NEW_KINDS: readonly string[] = ['cosigners/1', 'cosign/1', 'dissent/1', 'print/1'];
const placesOf = (kind: string): readonly number[] =>
  kinds.flatMap((each, seq) => (each === kind ? [seq] : []));

for (const kind of NEW_KINDS) {
  test(`one bit of an entry of ${kind}, in a log and in a folder: found`, async () => {
    const places = placesOf(kind);
    assert.equal(places.length > 0, true);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.nat(), fc.nat(7), async (seq, where, bit) => {
        const bytes = published.entries[seq] as Uint8Array;
        const at = where % bytes.length;
        const changed = published.entries.with(seq, flip(bytes, at, bit));
        const served = siteOf(publish(changed, published.blobs, CHECKPOINTS));
        served.set('/checkpoint', site.get('/checkpoint') as Answer);
        const what = `entry ${seq} byte ${at} bit ${bit}`;
        assertFound(await judgeSite(served), what);
        const rows = folder.rows.map((row) =>
          row.part === 'entry' && row.seq === seq ? { ...row, bytes: flip(bytes, at, bit) } : row,
        );
        assertFound(await judgeFolder({ ...folder, rows }), what);
      }),
      runs(15, 1000),
    );
  });
}

test('a row that co-signers or the chain have made, gone or with one bit the other way: found', async () => {
  const tables = /^(?:cosign|dissent|onchain)/;
  const rows = folder.rows.flatMap((row, i) =>
    row.part === 'view' && tables.test(row.table) ? [{ row, i }] : [],
  );
  assert.equal(rows.length > 40, true, `${rows.length} rows`);
  for (const { row, i } of rows) {
    const gone = { ...folder, rows: folder.rows.toSpliced(i, 1) };
    assert.deepEqual(codesOf(await judgeFolder(gone)), ['view_missing'], `${row.table} ${row.key}`);
    const value = flip(row.value, (i * 31) % row.value.length, i % 8);
    const changed: FolderRow = { ...row, value };
    const found = await judgeFolder({ ...folder, rows: folder.rows.with(i, changed) });
    assert.deepEqual(codesOf(found), ['view_differs'], `${row.table} ${row.key}`);
  }
});

test('history before a statement, rewritten and signed by its own publisher: found without any pin', async () => {
  const last = seqOf('2026-08-01 final 0');
  const rewrites = {
    drop: (i: number) => published.entries.toSpliced(i, 1),
    duplicate: (i: number) => published.entries.toSpliced(i, 0, published.entries[i] as Uint8Array),
  };
  for (let i = 1; i < last; i += 1) {
    for (const [how, rewrite] of Object.entries(rewrites)) {
      const forged = publish(relink(rewrite(i)), published.blobs, CHECKPOINTS);
      const verdict = await judgeSite(siteOf(forged));
      const codes = codesOf(verdict);
      assert.equal(codes.includes('statement_differs'), true, `${how} ${i}: ${codes.join()}`);
    }
  }
});

test('what is recorded of the chain, dropped, doubled or moved by its publisher', async () => {
  for (const seq of placesOf('print/1')) {
    const bytes = published.entries[seq] as Uint8Array;
    const doubled = relink(published.entries.toSpliced(seq, 0, bytes));
    const verdict = await judgeSite(siteOf(publish(doubled, published.blobs, CHECKPOINTS)));
    assert.equal(codesOf(verdict).includes('feed_entry_wrong'), true, `entry ${seq}`);
    const early = relink([
      ...published.entries.slice(0, 3),
      bytes,
      ...published.entries.slice(3).filter((each) => each !== bytes),
    ]);
    const moved = await judgeSite(siteOf(publish(early, published.blobs, CHECKPOINTS)));
    assert.equal(codesOf(moved).includes('feed_entry_wrong'), true, `entry ${seq} moved`);
  }
});
