import { parseArgs } from 'node:util';
import { entryBody, scanEntry } from '@assay/core/entry';
import { hashHex, type HashHex, type Sha256, toHashHex } from '@assay/core/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { REPLAY_ORIGIN } from '@assay/core/network';
import type { AssetClass } from '@assay/core/terminal/asset-symbol';
import { scoreRuleHash } from '@assay/core/terminal/score-rule';
import { CRYPTO_REPLAY_RULE, STOCK_REPLAY_RULE } from '@assay/core/terminal/score-rules';
import { nodeSha256 } from '@assay/node/node-sha256';
import type {
  MarketDifference,
  MarketRecount,
  Recounted,
  RecordedMarket,
} from '@assay/node/terminal/market-recount';
import { printable } from '@assay/verifier/printable';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { logUrl } from '../log-url.ts';
import { type LogSource, openLogFolder, openLogUrl } from '../log-source.ts';
import { LINE_EVERY_MS, slowProgress, type Terminal } from '../terminal.ts';
import { count, grouped } from '../text-rows.ts';

/** Differences that are shown. */
const SHOWN = 20;

export const receiptsHelp: string = `assay receipts check [--market DIR] [--stocks DIR] (--url URL | --data DIR)

Recomputes every tick leaf, event, close, receipt and benchmark of a replay's log from the market
files that it was made of, with scores, returns and commitments, and names where the log differs.
Assets, their decimals and times follow from the files too, which must be whole and state no splits.

  --market DIR  files SYMBOLUSDT.15m.csv or .csv.gz, as of \`assay replay\`
  --stocks DIR  files SYMBOL.15m.csv or .csv.gz
  --url URL     the log's server, or a static host of its export
  --data DIR    a data folder at rest, or an export
  --rule HASH   takes a replay under this score rule too; without it one under another than the
                built-in rule differs. Repeatable

The entries must have the checkpoint's root; signatures are for \`assay verify\`. Of a log that is no
replay the vendor values are its publisher's, and nothing can be recomputed.

Exit code: 0 nothing differs, 1 differences, 2 usage, 3 could not be completed.`;

const OPTIONS = {
  market: { type: 'string' },
  stocks: { type: 'string' },
  url: { type: 'string' },
  data: { type: 'string' },
  rule: { type: 'string', multiple: true },
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
  const { market, stocks, url, data, rule = [] } = values;
  const isOne = (url === undefined) !== (data === undefined);
  const isCheck = positionals.length === 1 && positionals[0] === 'check';
  if (!isCheck || !isOne || (market === undefined && stocks === undefined)) {
    throw new UsageError('receipts check takes --market or --stocks, and one of --url and --data');
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
    return await check(source, { market, stocks, rules }, sha256, terminal);
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
    import('@assay/node/terminal/replay-keys'),
    import('@assay/node/terminal/market-recount'),
  ]);
  const { origin, size } = source.checkpoint;
  if (origin !== REPLAY_ORIGIN) {
    throw new UsageError(
      `${printable(origin)} is no replay: what opens its ticks is with its publisher, and is not read here`,
    );
  }
  const differences: MarketDifference[] = [];
  const counts = new Map<Recounted, number>();
  let decimals = 0;
  const recount = new MarketRecount({
    sha256,
    seed: replaySeed(sha256, 'salts'),
    markets: await openMarkets(files, sha256),
    blob: source.blob,
    onDifference(difference) {
      if (differences.length < SHOWN) differences.push(difference);
      counts.set(difference.of, (counts.get(difference.of) ?? 0) + 1);
      if (difference.of === 'assets' && difference.place.endsWith('/decimals')) decimals += 1;
    },
  });
  const progress = slowProgress(terminal, () => performance.now(), LINE_EVERY_MS);
  const parseBody = bodyParser(sha256);
  try {
    let seq = 0;
    for await (const bytes of source.entries()) {
      const layout = scanEntry(bytes);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      if (known === undefined) recount.other(layout.kind, `entry ${seq}`);
      else await recount.entry(known, `entry ${seq}`, layout.at);
      seq += 1;
      progress.tell(seq, size, 'entries');
    }
  } finally {
    progress.end();
    await recount.finish();
  }
  terminal.out(`log  ${printable(origin)}, ${count(size, 'entry', 'entries')}`);
  terminal.out(`root ${hashHex(source.checkpoint.root)}`);
  for (const line of report(recount, counts, { rules: files.rules, sha256 })) terminal.out(line);
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  for (const { of, place, expected, found } of differences) {
    terminal.out('');
    terminal.out(`  ${of}  ${printable(place)}`);
    terminal.out(`    expected  ${printable(expected)}`);
    terminal.out(`    found     ${printable(found)}`);
  }
  if (all > differences.length) terminal.out(`  and ${grouped(all - differences.length)} more`);
  if (decimals > 0) terminal.out(`\n${CUT_FILES}`);
  if (all > 0) return EXIT.findings;
  return recount.checked.ticks === 0 || recount.without.size > 0 ? EXIT.incomplete : EXIT.ok;
}

async function openMarkets(
  { rules, ...paths }: Files,
  sha256: Sha256,
): Promise<ReadonlyMap<AssetClass, RecordedMarket>> {
  const { openReplayMarkets } = await import('@assay/node/terminal/replay-markets');
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
  counts: ReadonlyMap<Recounted, number>,
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
    const different = counts.get(of as Recounted) ?? 0;
    yield `${of.padEnd(12)}${grouped(checked).padStart(12)}${grouped(different).padStart(12)}`;
  }
}
