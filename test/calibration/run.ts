// `npm run calibrate -- --market FOLDER`: chooses the width of the score's parts on the first part of recorded markets,
// reports on the rest, and writes the page in docs.
import { readFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { makeStudy } from '@assay/core/terminal/base-rate';
import { GRID_SECONDS } from '@assay/core/terminal/grid';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/score-rules';
import { parseTime } from '@assay/core/time';
import { nodeSha256 } from '@assay/node/node-sha256';
import { MarketFolder } from '@assay/node/terminal/market-folder';
import { CRYPTO_FORMAT } from '@assay/node/terminal/market-formats';
import { daysPerOpen, figuresOf, nearest, type SpanFigures } from './events.ts';
import { measure, type Measured } from './measured.ts';
import { formatPage } from './page.ts';
import { partsAt, WIDTHS } from './parts.ts';
import { recordedData } from './recorded-study.ts';

const PAGE = new URL('../../../docs/calibration.md', import.meta.url);

/** Where the rest begins: nothing from here on is looked at for the choice. */
const CUT = '2025-05-01T00:00:00Z';
/** Asset days for each event that opens. */
const TARGET = 40;

const { values } = parseArgs({ options: { market: { type: 'string' } } });
if (values.market === undefined) {
  console.error('usage: npm run calibrate -- --market FOLDER');
  process.exit(2);
}
const rule = CRYPTO_REPLAY_RULE;
const assets = await measure(await MarketFolder.open(values.market, CRYPTO_FORMAT), rule);

const countOf = (time: string): number => parseTime(time) / GRID_SECONDS;
const cut = countOf(CUT);
const scored = assets.map(({ index, zLong, size }) => {
  const at = zLong.findIndex((z) => z >= 0);
  return { first: at < 0 ? Infinity : (index[at] as number), last: index[size - 1] as number };
});
const first = Math.min(...scored.map((each) => each.first));
const last = Math.max(...scored.map((each) => each.last));

/** Figures of a width over spans that begin at these counts of the grid. */
function figuresAt(width: number, spans: readonly number[]): readonly SpanFigures[] {
  return figuresOf(assets, partsAt(width), rule.event, spans);
}

const firstHalf = Math.floor((first + cut) / 2);
const restHalf = Math.floor((cut + last) / 2);
const tried: (readonly [number, SpanFigures])[] = [];
const halves: readonly [number, number][][] = [[], []];
for (const width of WIDTHS) {
  const [whole] = figuresAt(width, [first, cut]);
  tried.push([width, whole as SpanFigures]);
  for (const [i, figures] of figuresAt(width, [first, firstHalf, cut]).slice(0, 2).entries()) {
    halves[i]?.push([width, daysPerOpen(figures)]);
  }
}
const chosen = nearest(
  tried.map(([width, figures]) => [width, daysPerOpen(figures)]),
  TARGET,
);
const [whole, rest] = figuresAt(chosen, [first, cut]) as [SpanFigures, SpanFigures];
const quarters = figuresAt(chosen, [first, firstHalf, cut, restHalf]) as SpanFigures[];
const crash = countOf('2025-10-10T00:00:00Z');
const [, calm] = figuresAt(chosen, [first, cut, crash, crash + 192]) as SpanFigures[];
const choices = halves.map((rates, i) => [`its half ${i + 1}`, nearest(rates, TARGET)] as const);
const data = recordedData(assets, [...whole.events, ...rest.events], rule);

const run = {
  cut: CUT.slice(0, 10),
  target: TARGET,
  chosen,
  tried,
  spans: [
    [`first part, before ${CUT.slice(0, 10)}`, whole],
    ['its first half', quarters[0] as SpanFigures],
    ['its second half', quarters[1] as SpanFigures],
    ['the rest', rest],
    ['its first half', quarters[2] as SpanFigures],
    ['its second half', quarters[3] as SpanFigures],
    ['the rest up to 2025-10-09', calm as SpanFigures],
  ] as const,
  choices,
  study: makeStudy(nodeSha256, data),
};
await writeFile(PAGE, formatPage(await readFile(PAGE, 'utf8'), run));
console.log(`${describe(assets)}: ${chosen} % of the draft's widths`);
if (!isDeepStrictEqual(partsAt(chosen), rule.parts)) {
  console.error('the rule has other parts');
  process.exitCode = 1;
}

function describe(all: readonly Measured[]): string {
  return `${all.length} assets, ${all.reduce((sum, { size }) => sum + size, 0)} ticks`;
}
