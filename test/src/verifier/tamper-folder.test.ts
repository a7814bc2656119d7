import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { concatBytes } from '@assay/core/bytes/bytes';
import { hashHex } from '@assay/core/hash/hash';
import { formatWire } from '@assay/core/wire/wire';
import type { FolderRow } from '@assay/verifier/reader/folder-reader';
import { assertFound, flip, places, runs } from './fixture/flip.ts';
import {
  codesOf,
  type Folder,
  folderOf,
  judge,
  judgeFolder,
  publish,
  youngLog,
} from './fixture/published.ts';
import { sampleLog } from './fixture/sample-log.ts';

const log = await sampleLog();
const whole = publish(log.entries, log.blobs, log.checkpoints);
const small = youngLog(log);

/** The bytes of a row, whatever its part. */
function bytesOf(row: FolderRow): Uint8Array {
  switch (row.part) {
    case 'view':
      return concatBytes(row.value, row.digest);
    case 'unknown':
      return row.key;
    default:
      return row.bytes;
  }
}

function withBytes(row: FolderRow, bytes: Uint8Array): FolderRow {
  switch (row.part) {
    case 'view':
      return { ...row, value: bytes.slice(0, -32), digest: bytes.slice(-32) };
    case 'unknown':
      return { ...row, key: bytes };
    default:
      return { ...row, bytes };
  }
}

/** A row as text: part, key and bytes. */
function spelled(row: FolderRow): string {
  const { part, ...key } = withBytes(row, new Uint8Array(0));
  return `${part} ${JSON.stringify(key)} ${Buffer.from(bytesOf(row)).toString('hex')}`;
}

/** A folder with one row in another's place. */
function withRow(base: Folder, i: number, row: FolderRow): Folder {
  return { ...base, rows: base.rows.with(i, row) };
}

test('what the ledger itself has stored is what the suite holds it against, and is verified', async () => {
  const stored: FolderRow[] = [];
  for await (const row of log.store.rows()) stored.push(row);
  assert.deepEqual(stored.map(spelled).sort(), folderOf(whole).rows.map(spelled).sort());
  const verdict = await judge({
    kind: 'folder',
    folder: {
      rows: () => log.store.rows(),
      guard: () => log.signed.read(),
      blob: (hash) => log.blobStore.get(hash),
    },
  });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal((await judgeFolder(folderOf(small))).outcome, 'verified');
});

test('one bit of one row of the large folder: found', async () => {
  const base = folderOf(whole);
  const kinds = ['entry', 'tile', 'view', 'head'] as const;
  // Each part as often as the others, however many rows it has.
  const row = fc.oneof(
    ...kinds.map((kind) =>
      fc.constantFrom(...base.rows.flatMap(({ part }, i) => (part === kind ? [i] : []))),
    ),
  );
  await fc.assert(
    fc.asyncProperty(row, fc.nat(), fc.nat(7), async (i, where, bit) => {
      const found = base.rows[i] as FolderRow;
      const at = where % bytesOf(found).length;
      const changed = withBytes(found, flip(bytesOf(found), at, bit));
      assertFound(await judgeFolder(withRow(base, i, changed)), `row ${i} byte ${at} bit ${bit}`);
    }),
    runs(25, 3000),
  );
});

test('every byte of the guard: found', async () => {
  const base = folderOf(small);
  const guard = base.guard as Uint8Array;
  for (const { at, bit } of places(guard.length, 1)) {
    const verdict = await judgeFolder({ ...base, guard: flip(guard, at, bit) });
    assertFound(verdict, `guard byte ${at} bit ${bit}`);
  }
});

test(
  'bits all over the rows and blobs of the small folder: found',
  { timeout: 3_600_000 },
  async () => {
    const base = folderOf(small);
    for (const [i, row] of base.rows.entries()) {
      for (const { at, bit } of places(bytesOf(row).length, 41)) {
        const changed = withBytes(row, flip(bytesOf(row), at, bit));
        assertFound(await judgeFolder(withRow(base, i, changed)), `row ${i} byte ${at} bit ${bit}`);
      }
    }
    for (const [hash, bytes] of base.blobs) {
      for (const { at, bit } of places(bytes.length, 61)) {
        const blobs = new Map(base.blobs).set(hash, flip(bytes, at, bit));
        assertFound(await judgeFolder({ ...base, blobs }), `blob ${hash} byte ${at} bit ${bit}`);
      }
    }
  },
);

test('the key of a row, or a row gone, doubled or exchanged: found', async () => {
  const base = folderOf(small);
  for (const [i, row] of base.rows.entries()) {
    const gone = { ...base, rows: base.rows.toSpliced(i, 1) };
    assertFound(await judgeFolder(gone), `row ${i} gone`);
    if (row.part === 'entry') {
      const next = base.rows[i + 1];
      if (next?.part === 'entry') {
        const swapped = base.rows
          .with(i, { ...row, bytes: next.bytes })
          .with(i + 1, { ...next, bytes: row.bytes });
        assertFound(await judgeFolder({ ...base, rows: swapped }), `rows ${i} exchanged`);
      }
      const moved = withRow(base, i, { ...row, seq: row.seq + 1000 });
      assertFound(await judgeFolder(moved), `entry ${i} under another key`);
    }
    if (row.part === 'view') {
      for (const changed of [
        { ...row, table: `${row.table}x` },
        { ...row, key: `${row.key}x` },
      ]) {
        assertFound(await judgeFolder(withRow(base, i, changed)), `view ${row.table} ${row.key}`);
        const more = { ...base, rows: [...base.rows, changed] };
        assertFound(await judgeFolder(more), `view ${changed.table} ${changed.key} too many`);
      }
    }
  }
  for (const hash of base.blobs.keys()) {
    const blobs = new Map(base.blobs);
    blobs.delete(hash);
    assert.deepEqual(codesOf(await judgeFolder({ ...base, blobs })), ['blob_missing']);
  }
});

test('tile rows of the large folder, renamed or doubled: found', async () => {
  const base = folderOf(whole);
  const tiles = base.rows.flatMap((row, i) => (row.part === 'tile' ? [{ row, i }] : []));
  assert.equal(tiles.length, 2);
  for (const { row, i } of tiles) {
    for (const changed of [
      { ...row, index: row.index + 7 },
      { ...row, level: row.level + 1 },
    ]) {
      assertFound(await judgeFolder(withRow(base, i, changed)), 'tile renamed');
      assertFound(await judgeFolder({ ...base, rows: [...base.rows, changed] }), 'tile too many');
    }
    assertFound(await judgeFolder({ ...base, rows: [...base.rows, row] }), 'tile twice');
  }
});

test('entries behind the head and the guard, whole and linked: found', async () => {
  const entries = log.entries.slice(0, small.entries.length + 1);
  const longer = publish(entries, log.blobs, log.checkpoints);
  const folder = { ...folderOf(longer), guard: small.checkpoint };
  const verdict = await judgeFolder(folder);
  assert.deepEqual(codesOf(verdict), ['guard_differs']);
  assert.equal(
    verdict.outcome === 'findings' && verdict.findings[0]?.found.includes('cut short'),
    true,
  );
  const size = small.entries.length;
  const head = formatWire({ root: hashHex(longer.leaves[0] as never), size });
  const behind = { ...folderOf(longer), guard: small.checkpoint };
  behind.rows[behind.rows.findIndex(({ part }) => part === 'head')] = { part: 'head', bytes: head };
  assert.deepEqual(codesOf(await judgeFolder(behind)), ['head_differs', 'guard_differs']);
});

test('a database put back to an older copy: the guard tells', async () => {
  const older = publish(log.entries.slice(0, 300), log.blobs, log.checkpoints);
  const verdict = await judgeFolder({ ...folderOf(older), guard: whole.checkpoint });
  assert.deepEqual(codesOf(verdict), ['guard_differs']);
  assert.equal(
    verdict.outcome === 'findings' && verdict.findings[0]?.found.includes('are gone'),
    true,
  );
});
