// `npm run calibrate -- --market FOLDER`: chooses the width of the score's parts on the first part of recorded markets,
// reports on the rest, and holds the page in docs against it; with `--write` it writes the page. With `--placebo` it
// tries base rates where the truth is known, prints that part of the page, and writes it with `--write`.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Fault, messageOf } from '@assay/core/fault';
import { makeStudy } from '@assay/core/terminal/study/base-rate';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { REPLAY_RULES } from '@assay/core/terminal/rule/score-rules';
import { parseTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { errorCode, writeDurable } from '@assay/node/platform/durable-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { storageFault } from '@assay/node/platform/storage-fault';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { daysPerOpen, figuresOf, nearest, type SpanFigures } from './events.ts';
import { measure, type Measured } from './measured.ts';
import { type Calibration, formatPage } from './page.ts';
import type { RecordedStudy } from './page-study.ts';
import { partsAt, WIDTHS } from './parts.ts';
import { placeboPage } from './placebo/command.ts';
import { PANELS } from './placebo/plan.ts';
import { recordedEdges } from './recorded-moments.ts';
import { filesLine, pageFiles } from './recorded-files.ts';
import { recordedData } from './recorded-study.ts';

const PAGE_URL = new URL('../../../docs/calibration.md', import.meta.url);

/** Where the rest begins: nothing from here on is looked at for the choice. */
const CUT = '2025-05-01T00:00:00Z';
/** Asset days for each event that opens. */
const TARGET = 40;

const OPTIONS = {
  market: { type: 'string' },
  placebo: { type: 'boolean', default: false },
  panels: { type: 'string', default: String(PANELS) },
  page: { type: 'string', default: fileURLToPath(PAGE_URL) },
  write: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

const USAGE = `usage: npm run calibrate -- --market FOLDER [--write] [--page FILE]
       npm run calibrate -- --placebo [--panels N] [--market FOLDER] [--write] [--page FILE]`;

const rule = REPLAY_RULES.crypto;

/** Exit codes: 0 the page is what these files give, 1 it is not, 2 usage, 3 could not be completed. */
async function main(): Promise<number> {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    console.error(messageOf(error));
  }
  if (values?.placebo === true && /^[1-9][0-9]{0,5}$/.test(values.panels)) return placebo(values);
  if (values?.market === undefined || values.placebo) {
    console.error(USAGE);
    return 2;
  }
  const { market, page, write } = values;
  const before = await readPage(page);
  const folder = await MarketFolder.open(market, CRYPTO_FORMAT);
  const files = await filesLine(folder);
  const stated = pageFiles(before) ?? 'none';
  if (files !== stated && !write) {
    const detail = { at: market, expected: `${stated} (or --write)`, found: files };
    throw new Fault('malformed', 'recorded market', detail);
  }
  const { run, words } = calibrate(await measure(folder, rule), files);
  const after = formatPage(before, run);
  console.log(`${words}: ${run.chosen} % of the draft's widths`);
  if (after !== before && !write) {
    const detail = { at: page, expected: 'what these files give (or --write)' };
    throw new Fault('replay_differs', 'page', { ...detail, found: firstOther(before, after) });
  }
  if (after !== before) await writeDurable(page, formatUtf8(after)).catch(rethrow);
  if (isDeepStrictEqual(partsAt(run.chosen), rule.parts)) return 0;
  console.error('the rule has other parts');
  return 1;
}

/** Simulated markets with a known truth, and changed records where there is a folder. Exit code 0. */
async function placebo({ market, page, panels, write }: Values): Promise<number> {
  const before = await readPage(page);
  const folder = market === undefined ? undefined : await MarketFolder.open(market, CRYPTO_FORMAT);
  const options = { panels: Number(panels), folder, rule };
  const after = await placeboPage(before, options, (line) => console.error(line));
  if (!write) console.log(after);
  else if (after !== before) await writeDurable(page, formatUtf8(after)).catch(rethrow);
  return 0;
}

async function readPage(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    if (errorCode(cause) !== 'ENOENT') throw storageFault(cause, path);
    throw new Fault('not_found', 'page', { at: path, expected: 'a page', cause });
  });
}

function rethrow(error: unknown): never {
  throw storageFault(error, 'page');
}

/** The first line that is another. */
function firstOther(before: string, after: string): string {
  const [had, has] = [before.split('\n'), after.split('\n')];
  return had.find((line, i) => line !== has[i]) ?? 'fewer lines';
}

/** Chooses on the first part, and looks at the rest. */
function calibrate(
  assets: readonly Measured[],
  files: string,
): { readonly run: Calibration; readonly words: string } {
  const cut = countOf(CUT);
  const scored = assets.map(({ index, zLong, size }) => {
    const at = zLong.findIndex((z) => z >= 0);
    return { first: at < 0 ? Infinity : (index[at] as number), last: index[size - 1] as number };
  });
  const first = Math.min(...scored.map((each) => each.first));
  const last = Math.max(...scored.map((each) => each.last));

  // Figures of a width over spans that begin at these counts of the grid.
  const figuresAt = (width: number, spans: readonly number[]): readonly SpanFigures[] =>
    figuresOf(assets, partsAt(width), rule.event, spans);

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
  const events = [...whole.events, ...rest.events];
  const data = recordedData(assets, events, rule);

  const run: Calibration = {
    files,
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
    ],
    choices,
    study: makeStudy(nodeSha256, data),
    edges: measured(() => recordedEdges(assets, events, rule)),
  };
  return { run, words: describe(assets) };
}

/** Makes a study and says what that cost, with the recorded ticks in memory. */
function measured(make: () => RecordedStudy): RecordedStudy {
  const before = process.cpuUsage();
  const study = make();
  const { user, system } = process.cpuUsage(before);
  const seconds = ((user + system) / 1e6).toFixed(2);
  const most = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  const count = study.moments.length;
  console.log(`study/2 of ${count} moments: ${seconds} s of processor time, ${most} MiB at most`);
  return study;
}

const countOf = (time: string): number => parseTime(time) / GRID_SECONDS;

function describe(all: readonly Measured[]): string {
  return `${all.length} assets, ${all.reduce((sum, { size }) => sum + size, 0)} ticks`;
}

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof Fault)) throw error;
  console.error(`calibrate: ${error.message} [${error.code}]`);
  return error.code === 'replay_differs' ? 1 : 3;
});
