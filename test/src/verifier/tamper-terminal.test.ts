import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEntry } from '@assay/core/log/entry';
import type { FolderRow } from '@assay/verifier/reader/folder-reader';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { assertFound, flip, runs } from './fixture/flip.ts';
import { Forge } from './fixture/forge.ts';
import { codesOf, folderOf, judgeFolder, judgeSite, publish, siteOf } from './fixture/published.ts';
import { tickedLog } from './fixture/ticked-log.ts';

const log = tickedLog();
const published = publish(log.entries, log.blobs, log.checkpoints);
const site: ReadonlyMap<string, Answer> = siteOf(published);
const folder = folderOf(published);
const kinds = published.entries.map((bytes) => parseEntry(bytes).kind);
const KINDS = [
  'score-rule/1',
  'asset/1',
  'split/1',
  'tick/1',
  'event/1',
  'event-close/1',
  'receipt/1',
  'benchmark/1',
  'study/1',
];

for (const kind of KINDS) {
  test(`one bit of an entry of ${kind}, in a log and in a folder: found`, async () => {
    const places = kinds.flatMap((each, seq) => (each === kind ? [seq] : []));
    assert.equal(places.length > 0, true);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.nat(), fc.nat(7), async (seq, where, bit) => {
        const bytes = published.entries[seq] as Uint8Array;
        const at = where % bytes.length;
        const changed = published.entries.with(seq, flip(bytes, at, bit));
        const served = siteOf(publish(changed, published.blobs, log.checkpoints));
        served.set('/checkpoint', site.get('/checkpoint') as Answer);
        const what = `entry ${seq} byte ${at} bit ${bit}`;
        assertFound(await judgeSite(served), what);
        const rows = folder.rows.map((row) =>
          row.part === 'entry' && row.seq === seq ? { ...row, bytes: flip(bytes, at, bit) } : row,
        );
        assertFound(await judgeFolder({ ...folder, rows }), what);
      }),
      runs(5, 500),
    );
  });
}

test('one bit of a blob of the Terminal, in a log and in a folder: found', async () => {
  const hashes = [...published.blobs.keys()];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...hashes), fc.nat(), fc.nat(7), async (hash, where, bit) => {
      const bytes = published.blobs.get(hash) as Uint8Array;
      const changed = flip(bytes, where % bytes.length, bit);
      const served = new Map(site).set(`/blob/${hash}`, {
        status: 200,
        body: changed,
        logSize: undefined,
      });
      assert.deepEqual(codesOf(await judgeSite(served)), ['blob_differs']);
      const blobs = new Map(folder.blobs).set(hash, changed);
      assert.deepEqual(codesOf(await judgeFolder({ ...folder, blobs })), ['blob_differs']);
    }),
    runs(10, 1000),
  );
});

test('any entry that a tick makes due, left out or made twice by whoever has the keys: found', async () => {
  const due = kinds.flatMap((kind, seq) =>
    ['event/1', 'event-close/1', 'receipt/1', 'benchmark/1'].includes(kind) ? [seq] : [],
  );
  assert.ok(due.length > 10, `${due.length} entries`);
  for (const seq of due) {
    for (const twice of [false, true]) {
      const forge = new Forge(log);
      const draft = forge.drafts[seq] as Forge['drafts'][number];
      forge.drafts.splice(seq, twice ? 0 : 1, ...(twice ? [structuredClone(draft)] : []));
      const codes = codesOf(await judgeSite(siteOf(forge.publish())));
      const [of] = draft.kind.split(/[-/]/);
      const code = `${of}_${twice ? 'not_due' : 'missing'}`;
      assert.ok((codes as readonly string[]).includes(code), `entry ${seq}: ${codes.join(', ')}`);
    }
  }
});

test('a row that the Terminal has made, gone or with one bit the other way: found', async () => {
  const tables = /^(?:assets|score-rules|ticks|events|splits|studies|index-events)/;
  const rows = folder.rows.flatMap((row, i) =>
    row.part === 'view' && tables.test(row.table) ? [{ row, i }] : [],
  );
  assert.ok(rows.length > 240, `${rows.length} rows`);
  for (const { row, i } of rows.filter((_, k) => k % 17 === 0)) {
    const gone = { ...folder, rows: folder.rows.toSpliced(i, 1) };
    assert.deepEqual(codesOf(await judgeFolder(gone)), ['view_missing'], `${row.table} ${row.key}`);
    const value = flip(row.value, (i * 31) % row.value.length, i % 8);
    const changed: FolderRow = { ...row, value };
    const found = await judgeFolder({ ...folder, rows: folder.rows.with(i, changed) });
    assert.deepEqual(codesOf(found), ['view_differs'], `${row.table} ${row.key}`);
  }
});
