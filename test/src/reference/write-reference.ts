// Writes the pages of docs/reference from the tables in the code.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../core/fixture/fixture.ts';
import { referencePages } from './reference-pages.ts';

const closers: (() => unknown)[] = [];
const pages = await referencePages({ after: (close) => void closers.push(close as () => unknown) });
const folder = join(ROOT, 'docs', 'reference');
mkdirSync(folder, { recursive: true });
for (const [name, text] of pages) {
  writeFileSync(join(folder, name), text);
  console.log(`docs/reference/${name}: ${text.split('\n').length - 1} lines`);
}
for (const close of closers.toReversed()) await close();
