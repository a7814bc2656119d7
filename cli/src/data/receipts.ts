import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { hashHex, type HashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { REPLAY_ORIGIN } from '@assay/core/network';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import {
  CRYPTO_REPLAY_RULE,
  CRYPTO_RULE,
  STOCK_REPLAY_RULE,
  STOCK_RULE,
} from '@assay/core/terminal/rule/score-rules';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { MarketRecount, RecordedMarket } from '@assay/node/terminal/check/market-recount';
import type { Opened, OpeningsRecount } from '@assay/node/terminal/check/openings-recount';
import { printable } from '@assay/verifier/verdict/printable';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { logUrl } from '../reader/log-url.ts';
import { type LogSource, openLogFolder, openLogUrl } from '../reader/log-source.ts';
import { LINE_EVERY_MS, slowProgress, type Terminal } from '../command/tty.ts';
import { count, grouped } from '../text/text-rows.ts';

/** Differences that are shown. */
const SHOWN = 20;

export const receiptsHelp: string = `assay receipts check [--market DIR] [--stocks DIR] (--url URL | --data DIR)
assay receipts check --openings DIR [--seed FILE] (--url URL | --data DIR)

Recomputes every tick leaf, event, close, receipt, benchmark and study of a replay's log from the
market files that it was made of, with scores, returns and commitments, and names where the log
differs. Assets, their decimals and times follow from the files too, which must be whole and state
no splits.

Of a log with live ticks the vendor values are its publisher's. Who was handed the openings of its
ticks recomputes what they cover: leaves, scores, events, receipts, benchmarks. What is not open is
counted as committed. Openings may be read while the node writes them.

  --market DIR    files SYMBOLUSDT.15m.csv or .csv.gz, as of \`assay replay\`
  --stocks DIR    files SYMBOL.15m.csv or .csv.gz
  --openings DIR  folders crypto and stock of tick openings, as \`tick-openings\` of a data folder, or
                  some days of them
  --seed FILE     the tick seed, as \`keys/tick-seed\` of a data folder: opens the prices that entries
                  commit to as well, and is for the operator alone
  --url URL       the log's server, or a static host of its export
  --data DIR      a data folder at rest, or an export
  --rule HASH     takes a replay under this score rule too; without it one under another than the
                  built-in rule differs. Repeatable

The entries must have the checkpoint's root; signatures are for \`assay verify\`.

Exit code: 0 nothing differs, 1 differences, 2 usage, 3 could not be completed.`;

const OPTIONS = {
  market: { type: 'string' },
  stocks: { type: 'string' },
  url: { type: 'string' },
  data: { type: 'string' },
  rule: { type: 'string', multiple: true },
  openings: { type: 'string' },
  seed: { type: 'string' },
} as const;

export async function receiptsCommand(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  const { market, stocks, url, data, openings, seed, rule = [] } = values;
  const isOne = (url === undefined) !== (data === undefined);
  const isCheck = positionals.length === 1 && positionals[0] === 'check';
  const ofFiles = market !== undefined || stocks !== undefined;
  if (!isCheck || !isOne || ofFiles === (openings !== undefined)) {
    throw new UsageError(
      'receipts check takes --market or --stocks, or else --openings, and one of --url and --data',
    );
  }
  if (openings === undefined ? seed !== undefined : rule.length > 0) {
    throw new UsageError('--seed goes with --openings, and --rule with --market or --stocks');
  }
  const address = url === undefined ? undefined : logUrl(url);
  if (url !== undefined && address === undefined) throw new UsageError(`${url} is no URL`);
  const wrong = rule.find((hash) => !/^[0-9a-f]{64}$/.test(hash));
  if (wrong !== undefined) throw new UsageError(`${wrong} is no hash of a score rule`);
  const rules = rule.map(toHashHex);
  const sha256: Sha256 = nodeSha256;
  const source =
    address === undefined
      ? await openLogFolder(data as string, sha256)
      : await openLogUrl(address, sha256);
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
  /** Rules that a replay may be under beside the built-in one. */
  readonly rules: readonly HashHex[];
}

/** Why a log may differ from the files that it is held against in its assets alone. */
const CUT_FILES =
  'Decimals are the most of any close in a whole file: files that were cut, or that went on since, give others.';

async function check(
  source: LogSource,
  files: Files,
  sha256: Sha256,
  terminal: Terminal,
): Promise<ExitCode> {
  const [{ replaySeed }, { MarketRecount }] = await Promise.all([
    import('@assay/node/terminal/replay/replay-keys'),
    import('@assay/node/terminal/check/market-recount'),
  ]);
  const { origin } = source.checkpoint;
  if (origin !== REPLAY_ORIGIN) {
    throw new UsageError(
      `${printable(origin)} is no replay: its publisher has what opens its ticks, which --openings takes`,
    );
  }
  const differences = new Differences();
  let decimals = 0;
  const recount = new MarketRecount({
    sha256,
    seed: replaySeed(sha256, 'salts'),
    markets: await openMarkets(files, sha256),
    blob: source.blob,
    onDifference(difference) {
      differences.add(difference);
      if (difference.of === 'assets' && difference.place.endsWith('/decimals')) decimals += 1;
    },
  });
  await walk(source, recount, sha256, terminal);
  for (const line of head(source)) terminal.out(line);
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

/** What a recount found, the first of it to be shown. */
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
  /** One of a kind that this version does not know; it is passed over without. */
  readonly other?: (kind: string, place: string) => void;
  readonly finish: () => Promise<void>;
}

/** Gives a recount all that the checkpoint covers. */
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
      const market = { folder, grid, rules: new Set([scoreRuleHash(sha256, rule), ...rules]) };
      return [rule.class, market];
    }),
  );
}

/** What was recomputed, over which times, as a table. */
function* report(
  recount: MarketRecount,
  differences: Differences,
  { rules, sha256 }: { readonly rules: readonly HashHex[]; readonly sha256: Sha256 },
): Generator<string> {
  for (const shipped of [CRYPTO_REPLAY_RULE, STOCK_REPLAY_RULE]) {
    const { class: of } = shipped;
    if (recount.without.has(of)) yield `${of}: not recomputed, no files of it were given`;
    const followed = recount.followed(of);
    if (followed === undefined) continue;
    const { rule, from, to } = followed;
    const hash = scoreRuleHash(sha256, rule);
    const isShipped = hash === scoreRuleHash(sha256, shipped);
    const named = rules.includes(hash) ? `${hash}, as named` : `${hash}, NOT the one of replays`;
    const words = isShipped ? 'the one of replays' : named;
    yield `${of}: ${from} to ${to}`;
    yield `${of}: score rule ${rule.version}, ${words}; ${count(rule.sources.required, 'source')}`;
  }
  yield `${''.padEnd(12)}${'recomputed'.padStart(12)}${'different'.padStart(12)}`;
  for (const [of, checked] of Object.entries(recount.checked)) {
    const different = differences.count(of);
    yield `${of.padEnd(12)}${grouped(checked).padStart(12)}${grouped(different).padStart(12)}`;
  }
}

/** What was recomputed, and what the log only commits to for whoever has these openings. */
function* openingsReport(
  recount: OpeningsRecount,
  differences: Differences,
  sha256: Sha256,
): Generator<string> {
  for (const shipped of [CRYPTO_RULE, STOCK_RULE]) {
    const { class: of } = shipped;
    if (recount.without.has(of)) yield `${of}: not recomputed, no openings of it were given`;
    const followed = recount.followed(of);
    if (followed === undefined) continue;
    const { rule, from, to } = followed;
    const hash = scoreRuleHash(sha256, rule);
    const isShipped = hash === scoreRuleHash(sha256, shipped);
    const words = isShipped ? 'the one of live ticks' : `${hash}, NOT the one of live ticks`;
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
