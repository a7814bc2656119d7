import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesOf } from '@assay/cli/text/lines';
import { scratch } from '../fixture/run.ts';

test('whole lines and where they end, over the edges of what is read at once', async (t) => {
  const path = join(await scratch(t), 'lines');
  const long = 'x'.repeat(200_000);
  await writeFile(path, `${long}\n\n\u2028é\ncut`);
  const lines: (readonly [string, number])[] = [];
  for await (const { bytes, end } of linesOf(path)) {
    lines.push([new TextDecoder().decode(bytes), end]);
  }
  assert.deepEqual(lines, [
    [long, 200_001],
    ['', 200_002],
    ['\u2028é', 200_008],
  ]);
  for await (const _ of linesOf(`${path}.none`)) assert.fail();
});
