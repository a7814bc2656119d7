// `npm run bench`: every comparison in turn, one table, and the page in docs.
import { readFile, writeFile } from 'node:fs/promises';
import { answerRows } from './answers.ts';
import { appendRows } from './append.ts';
import { chainSection } from './chain.ts';
import { eventRows } from './events.ts';
import { firstPaintRows } from './first-paint.ts';
import { forecastRows } from './forecasts.ts';
import { yearRows } from './history-year.ts';
import { httpRows } from './http.ts';
import { lengthSection } from './length.ts';
import { linkSection } from './link.ts';
import { millionSection } from './million.ts';
import { describeMachine } from './machine.ts';
import { otsRows } from './ots.ts';
import { formatPage, formatTable } from './page.ts';
import { readerRows } from './readers.ts';
import { replaySection } from './replay.ts';
import { paymentRows } from './payments.ts';
import type { Row } from './row.ts';
import { studySection } from './study.ts';
import { tickSection } from './tick.ts';
import { timelockSection } from './timelock.ts';
import { verifyRows } from './verify.ts';

const PAGE = new URL('../../../docs/bench.md', import.meta.url);
const short = (process.env['ASSAY_BENCH_SHORT'] ?? '') !== '';
const only = process.argv[2];

const SUBJECTS = {
  append: () => appendRows(short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 }),
  verify: () => verifyRows(short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 }),
  ots: () => otsRows(short ? { rounds: 3, ms: 300 } : { rounds: 7, ms: 700 }),
  answers: () => answerRows(short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 }),
  forecasts: () => forecastRows(short ? { rounds: 3, ms: 300 } : { rounds: 9, ms: 700 }),
  payments: async () => [
    ...(await paymentRows(short ? { rounds: 2, ms: 500 } : { rounds: 5, ms: 2000 })),
    ...(await yearRows(short ? 30 : 365)),
  ],
  events: () => eventRows(short ? { rounds: 2, ms: 500 } : { rounds: 5, ms: 2000 }),
  pages: () => firstPaintRows(short ? 3 : 15),
  readers: () => readerRows(short ? { rounds: 1, ms: 1000 } : { rounds: 5, ms: 3000 }),
  http: () => httpRows(short ? { rounds: 2, ms: 1000 } : { rounds: 5, ms: 2000 }),
};

/** What has a heading of its own below the table. */
const SECTIONS = {
  chain: () => chainSection(),
  replay: () => replaySection(short),
  study: () => studySection(),
  tick: () => tickSection(short),
  timelock: () => timelockSection(short),
  length: () => lengthSection(short),
  link: () => linkSection(short),
  million: () => millionSection(short),
};

const rows: Row[] = [];
for (const [name, measure] of Object.entries(SUBJECTS)) {
  if (only !== undefined && only !== name) continue;
  console.error(`${name} ...`);
  rows.push(...(await measure()));
}
const machine = await describeMachine();
if (only === undefined || rows.length > 0) console.log(`${machine}\n\n${formatTable(rows)}\n`);
const sections: string[] = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (only !== undefined && only !== name) continue;
  console.error(`${name} ...`);
  sections.push(await measure());
}
for (const section of sections) console.log(section);
if (only === undefined) {
  const before = await readFile(PAGE, 'utf8').catch(() => '');
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(PAGE, formatPage(before, { rows, sections, machine, date, short }));
}
