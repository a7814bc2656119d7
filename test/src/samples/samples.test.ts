import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../core/fixture/fixture.ts';

test('the README of the samples lists every folder, and none that is not there', () => {
  const folder = join(ROOT, 'samples');
  const there = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| ['));
  const listed = rows.flatMap((row) => {
    const [, first = ''] = row.split('|');
    return [...first.matchAll(/\[`([^`]+)`\]\(\1\)/g)].map(([, name = '']) => name);
  });
  assert.deepEqual(listed.sort(), there.map(({ name }) => name).sort());
});
