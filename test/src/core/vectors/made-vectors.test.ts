import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../fixture/fixture.ts';
import { MADE_VECTORS, vectorText } from './made-vectors.ts';

for (const [name, rows] of Object.entries(MADE_VECTORS)) {
  test(`made vectors: vectors/${name}.json is what its cases make`, () => {
    const text = readFileSync(join(ROOT, 'vectors', `${name}.json`), 'utf8');
    assert.equal(text, vectorText(rows));
  });
}
