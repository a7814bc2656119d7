// Writes the vector files that are made from cases. No other file under `vectors` is touched.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../fixture/fixture.ts';
import { MADE_VECTORS, vectorText } from './made-vectors.ts';

for (const [name, rows] of Object.entries(MADE_VECTORS)) {
  const path = join(ROOT, 'vectors', `${name}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, vectorText(rows));
  console.log(`vectors/${name}.json: ${rows.length}`);
}
