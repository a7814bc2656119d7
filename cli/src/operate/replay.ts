import { parseArgs } from 'node:util';
import { isDate, parseDate, parseTime, DAY_SECONDS } from '@assay/core/time/time';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { MarketSpan } from '@assay/node/terminal/replay/market-folder';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { LINE_EVERY_MS, slowProgress, type Terminal } from '../command/tty.ts';
import { count } from '../text/text-rows.ts';

export const replayHelp: string = `assay replay [--market DIR] [--stocks DIR] --data DIR [--from TIME] [--to TIME]

Replays recorded quarter hours into a log of its own, by the code that scores live ticks: leaves,
events, receipts, in the order of their time. Keys and salts are ones that everybody knows, and the
origin is development/replay: the same files give the same root on any machine.

  --market DIR  files SYMBOLUSDT.15m.csv or .csv.gz: close_time,close,volume, UTC
  --stocks DIR  files SYMBOL.15m.csv or .csv.gz: close_time_new_york,close,volume
  --data DIR    folder of the log: a new one, or one that an earlier replay of the same files was
                writing; what it holds is computed again and compared
  --from TIME   first tick, a date or YYYY-MM-DDTHH:MM:SSZ (default: the first there is)
  --to TIME     ticks before this one alone (default: to the last)

To the last tick it ends with the study of crypto, from which base rates are answered. With --to it
writes none, so that a later replay can carry the log on; behind a study nothing can.

It may be ended at any moment and started again. It syncs nothing to the disk: after a power cut
remove the folder if it is refused, and replay again. What opens the ticks (prices, volumes) is not
kept: it follows from the same files.

Exit code: 0 done, 2 usage, 3 could not be completed; replay_differs where the folder holds another
log than these files give.`;

const OPTIONS = {
  market: { type: 'string' },
  stocks: { type: 'string' },
  data: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
} as const;

export async function replayCommand(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values } = parseArgs({ args: [...args], allowPositionals: false, options: OPTIONS });
  const { market, stocks, data } = values;
  if (data === undefined || (market === undefined && stocks === undefined)) {
    throw new UsageError('replay takes --data DIR, and --market DIR or --stocks DIR');
  }
  const span: MarketSpan = {
    from: timeOption(values.from, '--from') ?? 0,
    to: timeOption(values.to, '--to') ?? Number.POSITIVE_INFINITY,
  };
  if (!(span.from < span.to)) throw new UsageError('--to is not behind --from');
  const { replayMarket } = await import('@assay/node/terminal/replay/replay-market');
  const kinds = new Map<string, number>();
  const started = performance.now();
  const progress = slowProgress(terminal, () => performance.now(), LINE_EVERY_MS);
  const end = await replayMarket(nodeSha256, {
    market,
    stocks,
    span,
    data: dataFolder(data),
    onStep({ at, drafts }, of) {
      for (const { kind } of drafts) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const days = (seconds: number): number => Math.ceil(seconds / DAY_SECONDS);
      progress.tell(days(at - of.from), days(of.to - of.from), 'days replayed');
    },
  }).finally(progress.end);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const of = (kind: string, noun: string): string => count(kinds.get(kind) ?? 0, noun);
  terminal.out(
    `${of('tick/1', 'tick')} of ${of('asset/1', 'asset')}, ${of('event/1', 'event')}, ` +
      `${of('receipt/1', 'receipt')}, ${of('benchmark/1', 'benchmark')}, ${count(kinds.get('study/1') ?? 0, 'study', 'studies')} in ${seconds} s`,
  );
  terminal.out(`${count(end.appended, 'entry', 'entries')} appended of ${end.entries}`);
  terminal.out(`log  ${end.log}`);
  terminal.out(`size ${end.entries}`);
  terminal.out(`root ${end.entriesRoot}`);
  if (end.size > end.entries) {
    terminal.out('The log goes on behind these entries, from an earlier replay:');
    terminal.out(`log's size ${end.size}`);
    terminal.out(`log's root ${end.root}`);
  }
  return EXIT.ok;
}

/** Unix seconds of a date or a time. Throws `UsageError`. */
function timeOption(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  try {
    return isDate(text) ? parseDate(text) * DAY_SECONDS : parseTime(text);
  } catch {
    throw new UsageError(`${option} is a date or a time such as 2025-01-01T00:00:00Z`);
  }
}
