import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatWire } from '@assay/core/wire/wire';
import { rowDigest } from '@assay/core/view/row-digest';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { FolderRow } from '@assay/verifier/reader/folder-reader';
import { type Folder, folderOf, judgeFolder } from '../fixture/published.ts';
import { makeGround } from '../fixture/misdeeds.ts';

type ViewRow = Extract<FolderRow, { readonly part: 'view' }>;

const ground = await makeGround();

function isView(row: FolderRow): row is ViewRow {
  return row.part === 'view';
}

function nameOf({ table, key }: ViewRow): string {
  return `view ${table} ${key}`;
}

function rowOf(table: string, key: string): ViewRow {
  const value = formatWire(1);
  const digest = rowDigest(nodeSha256, table, key, value);
  return { part: 'view', table, key, value, digest };
}

/** The findings about view rows of an honest folder whose rows were changed, as code and place. */
async function foundIn(
  change: (rows: readonly ViewRow[]) => readonly ViewRow[],
): Promise<readonly string[]> {
  const folder: Folder = folderOf(ground.published);
  const views = folder.rows.filter(isView);
  const others = folder.rows.filter((row) => !isView(row));
  const verdict = await judgeFolder({ ...folder, rows: [...others, ...change(views)] });
  if (verdict.outcome === 'verified') return [];
  assert.equal(verdict.outcome, 'findings');
  assert.equal(verdict.findings_count, verdict.findings.length);
  return verdict.findings.map(({ code, place }) => `${code} ${place}`);
}

const [first, second] = folderOf(ground.published).rows.filter(isView) as [ViewRow, ViewRow];
const last = folderOf(ground.published).rows.filter(isView).at(-1) as ViewRow;

test('view row check: the rows of the fold, in its order, are right', async () => {
  assert.deepEqual(await foundIn((rows) => rows), []);
});

test('view row check: a row that is not there is missing, at each end and between', async () => {
  assert.deepEqual(await foundIn((rows) => rows.slice(1)), [`view_missing ${nameOf(first)}`]);
  assert.deepEqual(await foundIn((rows) => rows.slice(0, -1)), [`view_missing ${nameOf(last)}`]);
  assert.deepEqual(await foundIn((rows) => rows.toSpliced(1, 1)), [
    `view_missing ${nameOf(second)}`,
  ]);
});

test('view row check: a row too many is unknown, at each end and between', async () => {
  const between = rowOf(first.table, `${first.key}0`);
  for (const [row, at] of [
    [rowOf('A', 'a'), 0],
    [between, 1],
    [rowOf('zz', 'z'), Number.POSITIVE_INFINITY],
  ] as const) {
    assert.deepEqual(await foundIn((rows) => rows.toSpliced(at, 0, row)), [
      `view_unknown ${nameOf(row)}`,
    ]);
  }
});

test('view row check: a row that comes twice, or in another place, is not taken for another one', async () => {
  assert.deepEqual(await foundIn((rows) => [first, ...rows]), [`view_unknown ${nameOf(first)}`]);
  assert.deepEqual(await foundIn((rows) => [second, first, ...rows.slice(2)]), [
    `view_missing ${nameOf(first)}`,
    `view_unknown ${nameOf(first)}`,
  ]);
});

test('view row check: another value or another digest differs', async () => {
  const { table, key, digest } = first;
  assert.deepEqual(await foundIn((rows) => [rowOf(table, key), ...rows.slice(1)]), [
    `view_differs ${nameOf(first)}`,
  ]);
  const other = { ...first, digest: digest.map((byte) => byte ^ 1) };
  assert.deepEqual(await foundIn((rows) => [other, ...rows.slice(1)]), [
    `view_differs ${nameOf(first)}`,
  ]);
});

test('view row check: without any row, every row of the fold is missing', async () => {
  const all = folderOf(ground.published).rows.filter(isView);
  const folder = folderOf(ground.published);
  const verdict = await judgeFolder({ ...folder, rows: folder.rows.filter((row) => !isView(row)) });
  assert.equal(verdict.outcome === 'findings' && verdict.findings_count, all.length);
});
