import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownData } from '../fixture/data-folder.ts';
import { assay } from '../fixture/run.ts';

test('correct: a period whose sources give nothing stays as it is', async (t) => {
  const folder = await ownData(t);
  await writeFile(
    join(folder, 'c.json'),
    JSON.stringify({ data: 'data', contact: 'a@b.example', log_level: 'silent' }),
  );
  const args = ['correct', '--config', 'c.json', 'LAYOFFS', '2025-04-26'];
  const { code, out, err } = await assay(folder, [...args, '--why', 'a test']);
  assert.equal(code, 3, err);
  assert.doesNotMatch(err, /./);
  assert.match(out, /sample-claims-csv: unreachable\n/);
  assert.match(out, /\nNothing is published: /);
  // The log is as it was.
  assert.equal((await assay(folder, ['verify', 'data'])).code, 0);
});

test('correct: what it takes', async (t) => {
  const folder = await ownData(t);
  await writeFile(
    join(folder, 'c.json'),
    JSON.stringify({ data: 'data', contact: 'a@b.example', log_level: 'silent' }),
  );
  const good = ['correct', '--config', 'c.json', 'LAYOFFS', '2025-04-26', '--why', 'a test'];
  for (const args of [
    good.slice(0, 5),
    good.with(6, ' ').with(5, '--why'),
    good.with(4, '2025-02-30'),
    ['correct', 'LAYOFFS', '2025-04-26', '--why', 'x'],
    [...good, 'more'],
  ]) {
    assert.equal((await assay(folder, args)).code, 2, args.join(' '));
  }
  const unknown = await assay(folder, good.with(3, 'NOPE'));
  assert.deepEqual([unknown.code, /\[not_found\]/.test(unknown.err)], [3, true]);
});
