import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, vectors } from '../fixture/fixture.ts';

const PAGE = readFileSync(join(ROOT, 'docs/spec/vectors.md'), 'utf8');
const FOLDER = join(ROOT, 'vectors');
const FILES = readdirSync(FOLDER)
  .flatMap((folder) => readdirSync(join(FOLDER, folder)).map((name) => `${folder}/${name}`))
  .map((path) => path.replace(/\.json$/, ''));
const namesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name as string);
const ROWS = [...PAGE.matchAll(/^\| `([a-z0-9-]+\/[a-z0-9-]+)` \|([^|]*)\|[^|]*\|$/gm)].map(
  ([, file = '', members = '']) => ({
    file,
    isObject: members.trim().startsWith('an object:'),
    members: namesIn(members),
  }),
);

type Rows = readonly Readonly<Record<string, unknown>>[];

test('vectors page: each file has its row, and each row its file', () => {
  assert.deepEqual(ROWS.map(({ file }) => file).toSorted(), FILES.toSorted());
});

test('vectors page: a row names the members that its file has, and no others', () => {
  for (const { file, members, isObject } of ROWS) {
    const found = vectors<Rows | Readonly<Record<string, unknown>>>(file);
    assert.equal(Array.isArray(found), !isObject, file);
    const names = Array.isArray(found)
      ? (found as Rows).flatMap((each) => Object.keys(each))
      : Object.keys(found);
    assert.deepEqual(members.toSorted(), [...new Set(names)].sort(), file);
  }
});

/** The values of a member, wherever it is. */
function valuesOf(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesOf(name, each));
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
  return [...own, ...Object.values(value).flatMap((each) => valuesOf(name, each))];
}

test('vectors page: every code of a refusal is explained, and none that no row has', () => {
  const codes = FILES.flatMap((file) => valuesOf('fault', vectors(file))) as readonly string[];
  const [, table = ''] = PAGE.split('\n## Codes of refusals\n');
  const explained = [...table.matchAll(/^\| ((?:`[a-z0-9_]+`(?:, )?)+) \|/gm)].flatMap(
    ([, cell = '']) => namesIn(cell),
  );
  assert.deepEqual(explained.toSorted(), [...new Set(codes)].sort());
});

test('vectors page: members that it explains for many files are in more than one', () => {
  const [, section = ''] = PAGE.split('\n## Members that are the same in many files\n');
  const [table = ''] = section.split('\n## ');
  const common = [...table.matchAll(/^\| ((?:`[a-z0-9_]+`(?:, )?)+) \|/gm)].flatMap(
    ([, cell = '']) => namesIn(cell),
  );
  assert.ok(common.length > 10);
  for (const name of common) {
    const files = FILES.filter((file) => valuesOf(name, vectors(file)).length > 0);
    assert.ok(files.length > 1, name);
  }
});
