import { isDate, parseDate, parseTime, DAY_SECONDS } from '@assay/core/time/time';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { MarketSpan } from '@assay/node/terminal/replay/market-folder';
import { command, type Command, type Given } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { LINE_EVERY_MS, slowProgress, type Terminal } from '../command/tty.ts';
import { outlierText } from '../text/outlier-text.ts';
import { count } from '../text/text-rows.ts';

const OPTIONS = {
  market: option('FOLDER')`
    Market files SYMBOLUSDT.15m.csv or .csv.gz, with the columns close_time,close,volume in UTC.`,
  stocks: option('FOLDER')`
    Market files SYMBOL.15m.csv or .csv.gz, with the columns close_time_new_york,close,volume.`,
  data: option('FOLDER', { required: true })`
    The folder of the log: a new one, or one that an earlier replay of the same files was writing.
    What it holds is computed again and compared.`,
  from: option('TIME', { parse: time })`
    The first tick, a date or a time such as 2025-01-01T00:00:00Z. The default is the first tick
    there is.`,
  to: option('TIME', { parse: time })`
    Replay the ticks before this time alone. The default is to go on to the last tick.`,
} as const;

export const replayCommand: Command = command({
  name: 'replay',
  summary: 'Replay recorded markets into a log.',
  about: `Replays recorded quarter hours into a log of their own, by the code that scores live ticks: leaves, events and receipts in the order of their time. Everybody knows the keys and the salts, and the origin is development/replay: the same files give the same root on any machine.

    A close that leaves the one before it by a factor of five and is back within three quarters of an hour is left out, which the output says: no second source is there to hold it against.

    A replay up to the last tick ends with the study of crypto, from which base rates are answered. With --to it writes no study, so that a later replay can carry the log on; nothing can follow a study.

    The command may be ended at any moment and started again. It does not wait for the disk: after a power cut, remove the folder if it is refused, and replay again. What opens the ticks (prices and volumes) is not kept, because it follows from the same files.`,
  operands: {},
  options: OPTIONS,
  exits: {
    3: 'It could not be completed. The code replay_differs says that the folder holds another log than these files give.',
  },
  examples: {
    'assay replay --market candles --data replay': 'Replay all that was recorded of crypto.',
    'assay replay --market candles --data replay --to 2025-02-01':
      'Replay the ticks before February alone.',
  },
  run: replay,
});

async function replay(given: Given<typeof OPTIONS>, terminal: Terminal): Promise<ExitCode> {
  const { market, stocks, data } = given;
  if (market === undefined && stocks === undefined) {
    throw new UsageError('one of --market and --stocks must be given');
  }
  const span: MarketSpan = { from: given.from ?? 0, to: given.to ?? Number.POSITIVE_INFINITY };
  if (!(span.from < span.to)) throw new UsageError('--to is not after --from');
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
  const studies = (kinds.get('study/1') ?? 0) + (kinds.get('study/2') ?? 0);
  terminal.out(
    `${of('tick/1', 'tick')} of ${of('asset/1', 'asset')}, ${of('event/1', 'event')}, ` +
      `${of('receipt/1', 'receipt')}, ${of('benchmark/1', 'benchmark')}, ${count(studies, 'study', 'studies')} in ${seconds} s`,
  );
  if (end.outliers !== undefined) terminal.out(outlierText(end.outliers));
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
function time(text: string, name: string): number {
  try {
    return isDate(text) ? parseDate(text) * DAY_SECONDS : parseTime(text);
  } catch {
    throw new UsageError(`${name} is a date or a time such as 2025-01-01T00:00:00Z`);
  }
}
