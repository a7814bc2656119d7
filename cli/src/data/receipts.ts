import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { hashHex, type HashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { REPLAY_ORIGIN } from '@assay/core/network';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import {
  FORMER_LIVE_RULES,
  FORMER_REPLAY_RULES,
  LIVE_RULES,
  REPLAY_RULES,
} from '@assay/core/terminal/rule/score-rules';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { MarketRecount, RecordedMarket } from '@assay/node/terminal/check/market-recount';
import type { Opened, OpeningsRecount } from '@assay/node/terminal/check/openings-recount';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Given, group, type Group } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { logUrl } from '../reader/log-url.ts';
import { type LogSource, openLogFolder, openLogUrl } from '../reader/log-source.ts';
import { LINE_EVERY_MS, slowProgress, type Terminal } from '../command/tty.ts';
import { outlierText } from '../text/outlier-text.ts';
import { count, grouped } from '../text/text-rows.ts';

/** How many differences are shown. */
const SHOWN = 20;

const OPTIONS = {
  market: option('FOLDER', { section: 'What the log is compared with' })`
    Market files SYMBOLUSDT.15m.csv or .csv.gz, as assay replay reads them.`,
  stocks: option('FOLDER', { section: 'What the log is compared with' })`
    Market files SYMBOL.15m.csv or .csv.gz.`,
  openings: option('FOLDER', { section: 'What the log is compared with' })`
    Folders crypto and stock of tick openings, as in tick-openings of a data folder, or some days
    of them.`,
  seed: option('FILE', { section: 'What the log is compared with' })`
    With --openings: the tick seed, as in keys/tick-seed of a data folder. It opens the prices
    that entries commit to as well, and is for the operator alone.`,
  rule: option('HASH', { many: true, parse: scoreRule, section: 'What the log is compared with' })`
    With --market or --stocks: accept a replay under this score rule too. Without it, one under
    a rule that no release of Assay had for replays differs.`,
  url: option('URL', { parse: logAddress })`
    The server of the log, or a static host of its export.`,
  data: option('FOLDER')`
    A data folder whose node is stopped, or an export.`,
} as const;

const checkCommand = command({
  name: 'receipts check',
  summary: 'Compute the receipts of a log again from market files or openings.',
  about: `Computes every tick leaf, event, close, receipt, benchmark and study of a replay's log again from the market files that it was made of, with scores, returns and commitments, and names where the log differs. Assets, their decimals and times follow from the files too. The files must be whole and state no splits.

    In a log with live ticks the values of vendors are known to its publisher alone. Whoever was handed the openings of its ticks computes what they cover: leaves, scores, events, receipts and benchmarks. What is not open is counted as committed. Openings may be read while the node writes them.

    The entries must have the root of the checkpoint. Signatures are checked by assay verify, and not here.`,
  operands: {},
  options: OPTIONS,
  oneOf: [['url', 'data']],
  exits: { 0: 'Nothing differs.', 1: 'Something differs.' },
  examples: {
    'assay receipts check --market candles --url https://replay.example.org':
      'Compare the log of a replay with the market files that you have.',
    'assay receipts check --openings tick-openings --data data':
      'Compare a log with the openings of its ticks.',
  },
  run: checkReceipts,
});

export const receiptsCommand: Group = group({
  name: 'receipts',
  summary: 'Check the events and receipts of a Terminal.',
  about: 'Checks the events and receipts of a Terminal by computing them again.',
  commands: [checkCommand],
});

function scoreRule(text: string): HashHex {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new UsageError(`${text} is no hash of a score rule`);
  return toHashHex(text);
}

function logAddress(text: string): string {
  const url = logUrl(text);
  if (url === undefined) throw new UsageError(`${text} is no URL`);
  return url;
}

async function checkReceipts(
  { market, stocks, url, data, openings, seed, rule: rules }: Given<typeof OPTIONS>,
  terminal: Terminal,
): Promise<ExitCode> {
  if ((market !== undefined || stocks !== undefined) === (openings !== undefined)) {
    throw new UsageError('it takes --market or --stocks, or else --openings');
  }
  if (openings === undefined ? seed !== undefined : rules.length > 0) {
    throw new UsageError('--seed goes with --openings, and --rule with --market or --stocks');
  }
  const sha256: Sha256 = nodeSha256;
  const source =
    url === undefined ? await openLogFolder(data as string, sha256) : await openLogUrl(url, sha256);
  try {
    return openings === undefined
      ? await check(source, { market, stocks, rules }, sha256, terminal)
      : await checkOpenings(source, { openings, seed }, sha256, terminal);
  } finally {
    await source.close();
  }
}

interface Files {
  readonly market: string | undefined;
  readonly stocks: string | undefined;
  /** Rules that a replay may have in addition to the built-in ones. */
  readonly rules: readonly HashHex[];
}

/** Why a log may differ only in its assets from the files that it is compared with. */
const CUT_FILES =
  'Decimals follow from every close of a whole file: files that were cut, or that went on since, may give others.';

async function check(
  source: LogSource,
  files: Files,
  sha256: Sha256,
  terminal: Terminal,
): Promise<ExitCode> {
  const [{ replaySeed }, { MarketRecount }, { foundOutliers }] = await Promise.all([
    import('@assay/node/terminal/replay/replay-keys'),
    import('@assay/node/terminal/check/market-recount'),
    import('@assay/node/terminal/replay/found-outliers'),
  ]);
  const { origin } = source.checkpoint;
  if (origin !== REPLAY_ORIGIN) {
    throw new UsageError(
      `${printable(origin)} is no replay: its publisher has what opens its ticks, which --openings takes`,
    );
  }
  const differences = new Differences();
  const markets = await openMarkets(files, sha256);
  let decimals = 0;
  const recount = new MarketRecount({
    sha256,
    seed: replaySeed(sha256, 'salts'),
    markets,
    blob: source.blob,
    onDifference(difference) {
      differences.add(difference);
      if (difference.of === 'assets' && difference.place.endsWith('/decimals')) decimals += 1;
    },
  });
  await walk(source, recount, sha256, terminal);
  for (const line of head(source)) terminal.out(line);
  const outliers = foundOutliers([...markets.values()].flatMap(({ folder }) => folder.files));
  if (outliers !== undefined) terminal.out(outlierText(outliers));
  for (const line of report(recount, differences, { rules: files.rules, sha256 })) {
    terminal.out(line);
  }
  for (const line of differences.lines()) terminal.out(line);
  if (decimals > 0) terminal.out(`\n${CUT_FILES}`);
  if (differences.all > 0) return EXIT.findings;
  return recount.checked.ticks === 0 || recount.without.size > 0 ? EXIT.incomplete : EXIT.ok;
}

async function checkOpenings(
  source: LogSource,
  { openings, seed }: { readonly openings: string; readonly seed: string | undefined },
  sha256: Sha256,
  terminal: Terminal,
): Promise<ExitCode> {
  const [{ CLASS_GRIDS }, { OpeningsRecount }, { TickOpenings }, { openTickSeed }] =
    await Promise.all([
      import('@assay/node/api/terminal-routes'),
      import('@assay/node/terminal/check/openings-recount'),
      import('@assay/node/terminal/tick/tick-openings'),
      import('@assay/node/terminal/tick/tick-seed'),
    ]);
  const found = new Set(await readdir(openings));
  const classes = new Map(
    ASSET_CLASSES.filter((of) => found.has(of)).map((of) => {
      const reader = TickOpenings.reader(join(openings, of), sha256);
      return [of, { openings: reader, grid: CLASS_GRIDS[of] }];
    }),
  );
  if (classes.size === 0) {
    throw new UsageError(`${openings} has neither a folder crypto nor a folder stock of openings`);
  }
  const differences = new Differences();
  const recount = new OpeningsRecount({
    sha256,
    classes,
    seed: seed === undefined ? undefined : await openTickSeed(seed, false),
    blob: source.blob,
    onDifference: (difference) => differences.add(difference),
  });
  await walk(source, recount, sha256, terminal);
  await recount.recountStudies((size) => firstOf(source.entries(), size));
  for (const line of head(source)) terminal.out(line);
  for (const line of openingsReport(recount, differences, sha256)) terminal.out(line);
  for (const line of differences.lines()) terminal.out(line);
  if (differences.all > 0) return EXIT.findings;
  return recount.recomputed.leaves === 0 ? EXIT.incomplete : EXIT.ok;
}

/** What a recount found, of which the first are shown. */
class Differences {
  all = 0;
  readonly #shown: Difference[] = [];
  readonly #counts = new Map<string, number>();

  add(difference: Difference): void {
    this.all += 1;
    if (this.#shown.length < SHOWN) this.#shown.push(difference);
    this.#counts.set(difference.of, this.count(difference.of) + 1);
  }

  count(of: string): number {
    return this.#counts.get(of) ?? 0;
  }

  *lines(): Generator<string> {
    for (const { of, place, expected, found } of this.#shown) {
      yield '';
      yield `  ${of}  ${printable(place)}`;
      yield `    expected  ${printable(expected)}`;
      yield `    found     ${printable(found)}`;
    }
    const more = this.all - this.#shown.length;
    if (more > 0) yield `  and ${grouped(more)} more`;
  }
}

interface Difference {
  readonly of: string;
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

/** Takes a log's entries one after the other. */
interface Recount {
  readonly entry: (known: KnownBody, place: string, at: string) => Promise<void>;
  /** Takes an entry of a kind that this version does not know. Without it, such an entry is skipped. */
  readonly other?: (kind: string, place: string) => void;
  readonly finish: () => Promise<void>;
}

/** Passes everything that the checkpoint covers to a recount. */
async function walk(
  source: LogSource,
  recount: Recount,
  sha256: Sha256,
  terminal: Terminal,
): Promise<void> {
  const progress = slowProgress(terminal, () => performance.now(), LINE_EVERY_MS);
  const parseBody = bodyParser(sha256);
  try {
    let seq = 0;
    for await (const bytes of source.entries()) {
      const layout = scanEntry(bytes);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      if (known === undefined) recount.other?.(layout.kind, `entry ${seq}`);
      else await recount.entry(known, `entry ${seq}`, layout.at);
      seq += 1;
      progress.tell(seq, source.checkpoint.size, 'entries');
    }
  } finally {
    progress.end();
    await recount.finish();
  }
}

async function* firstOf(
  entries: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const bytes of entries) {
    if (left === 0) return;
    left -= 1;
    yield bytes;
  }
}

/** What was read. */
function* head({ checkpoint: { origin, size, root } }: LogSource): Generator<string> {
  yield `log  ${printable(origin)}, ${count(size, 'entry', 'entries')}`;
  yield `root ${hashHex(root)}`;
}

async function openMarkets(
  { rules, ...paths }: Files,
  sha256: Sha256,
): Promise<ReadonlyMap<AssetClass, RecordedMarket>> {
  const { openReplayMarkets } = await import('@assay/node/terminal/replay/replay-markets');
  return new Map(
    (await openReplayMarkets(paths)).map(({ folder, rule, grid }) => {
      const built = [rule, ...FORMER_REPLAY_RULES].map((each) => scoreRuleHash(sha256, each));
      return [rule.class, { folder, grid, rules: new Set([...built, ...rules]) }];
    }),
  );
}

/** What a rule is, if it is or was built in; undefined for any other. */
function shippedText(
  hash: HashHex,
  now: HashHex,
  former: readonly HashHex[],
  ticks: string,
): string | undefined {
  if (hash === now) return `the one of ${ticks}`;
  return former.includes(hash) ? `an earlier one of ${ticks}` : undefined;
}

/** What was recomputed, over which times, as a table. */
function* report(
  recount: MarketRecount,
  differences: Differences,
  { rules, sha256 }: { readonly rules: readonly HashHex[]; readonly sha256: Sha256 },
): Generator<string> {
  for (const of of ASSET_CLASSES) {
    if (recount.without.has(of)) yield `${of}: not recomputed, no files of it were given`;
    const followed = recount.followed(of);
    if (followed === undefined) continue;
    const { rule, from, to } = followed;
    const hash = scoreRuleHash(sha256, rule);
    const named = rules.includes(hash) ? `${hash}, as named` : `${hash}, NOT the one of replays`;
    const former = FORMER_REPLAY_RULES.map((each) => scoreRuleHash(sha256, each));
    const now = scoreRuleHash(sha256, REPLAY_RULES[of]);
    const words = shippedText(hash, now, former, 'replays') ?? named;
    yield `${of}: ${from} to ${to}`;
    yield `${of}: score rule ${rule.version}, ${words}; ${count(rule.sources.required, 'source')}`;
  }
  yield `${''.padEnd(12)}${'recomputed'.padStart(12)}${'different'.padStart(12)}`;
  for (const [of, checked] of Object.entries(recount.checked)) {
    const different = differences.count(of);
    yield `${of.padEnd(12)}${grouped(checked).padStart(12)}${grouped(different).padStart(12)}`;
  }
}

/** What was recomputed, and what the log only commits to for anybody without other openings. */
function* openingsReport(
  recount: OpeningsRecount,
  differences: Differences,
  sha256: Sha256,
): Generator<string> {
  for (const of of ASSET_CLASSES) {
    if (recount.without.has(of)) yield `${of}: not recomputed, no openings of it were given`;
    const followed = recount.followed(of);
    if (followed === undefined) continue;
    const { rule, from, to } = followed;
    const hash = scoreRuleHash(sha256, rule);
    const former = FORMER_LIVE_RULES.map((each) => scoreRuleHash(sha256, each));
    const now = scoreRuleHash(sha256, LIVE_RULES[of]);
    const words =
      shippedText(hash, now, former, 'live ticks') ?? `${hash}, NOT the one of live ticks`;
    yield `${of}: ${from} to ${to}`;
    yield `${of}: score rule ${rule.version}, ${words}; ${count(rule.sources.required, 'source')}`;
  }
  const column = (text: string): string => text.padStart(12);
  yield `${''.padEnd(12)}${['recomputed', 'committed', 'different'].map(column).join('')}`;
  for (const [of, recomputed] of Object.entries(recount.recomputed)) {
    const committed = recount.closed[of as Opened];
    const numbers = [recomputed, committed, differences.count(of)];
    yield `${of.padEnd(12)}${numbers.map((each) => column(grouped(each))).join('')}`;
  }
}
