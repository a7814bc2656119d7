// `npm run bench`: every comparison in turn, one table, and the page in docs.
import { readFile, writeFile } from 'node:fs/promises';
import { appendRows } from './append.ts';
import { httpRows } from './http.ts';
import { describeMachine } from './machine.ts';
import { otsRows } from './ots.ts';
import { formatPage, formatTable } from './page.ts';
import type { Row } from './row.ts';
import { verifyRows } from './verify.ts';

const PAGE = new URL('../../../docs/bench.md', import.meta.url);
const short = (process.env['ASSAY_BENCH_SHORT'] ?? '') !== '';
const only = process.argv[2];

const SUBJECTS = {
  append: () => appendRows(short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 }),
  verify: () => verifyRows(short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 }),
  ots: () => otsRows(short ? { rounds: 3, ms: 300 } : { rounds: 7, ms: 700 }),
  http: () => httpRows(short ? { rounds: 2, ms: 1000 } : { rounds: 5, ms: 2000 }),
};

const rows: Row[] = [];
for (const [name, measure] of Object.entries(SUBJECTS)) {
  if (only !== undefined && only !== name) continue;
  console.error(`${name} ...`);
  rows.push(...(await measure()));
}
const machine = await describeMachine();
console.log(`${machine}\n\n${formatTable(rows)}`);
if (only === undefined) {
  const before = await readFile(PAGE, 'utf8').catch(() => '');
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(PAGE, formatPage(before, { rows, machine, date, short }));
}
