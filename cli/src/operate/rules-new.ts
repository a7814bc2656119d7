import { writeFile } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { PERIOD_KINDS, type PeriodKind } from '@assay/core/rule/period';
import { command, type Command } from '../command/command.ts';
import { EXIT, UsageError } from '../command/exit.ts';
import { option } from '../command/option.ts';
import { serverUrl } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';

const OPTIONS = {
  ticker: option('NAME', { required: true, parse: tickerName })`
    The name of the index for good: capital letters and digits, such as RAIN.`,
  csv: option('URL', { required: true, parse: serverUrl })`
    The address of a CSV file. Its first row names the columns.`,
  day: option('COLUMN', { required: true })`
    The column with the day that a row is about, such as 2026-11-22, or with the month, such as
    2026-11.`,
  value: option('COLUMN', { required: true })`
    The column with the number.`,
  output: option('FILE', { short: 'o', required: true })`
    The rule file to write.`,
  title: option('TEXT')`
    What the number is, for people. The default is the name of its column.`,
  unit: option('TEXT')`
    What is counted, such as mm. The default is the name of its column.`,
  decimals: option('N', { parse: decimals })`
    The decimals of the number, from 0 to 18. The default is 0.`,
  period: option('KIND', { parse: kind })`
    One of utc_day, week_ending_saturday and month. The default is utc_day.`,
  release: option('HH:MM', { parse: clock })`
    When the number is read, in UTC, on the first day after its period. The default is 12:00.`,
} as const;

export const rulesNewCommand: Command = command({
  name: 'rules new',
  summary: 'Make a rule over a CSV file, to try an index of your own.',
  about: `Makes a rule that reads one column of a CSV file at an address. The rule begins with the period that is released next. It is valid on a log whose name begins with development/ alone, because nobody has read the terms of the source, and it is final as soon as the number is read. It makes no requests.

    What a production rule has beyond that, such as a second source, is in docs/rules.md.`,
  operands: {},
  options: OPTIONS,
  examples: {
    'assay rules new --ticker RAIN --csv http://127.0.0.1:8800/rain.csv --day day --value mm --decimals 1 -o rain.json':
      'Make a rule over the column mm of a file.',
  },
  run: async ({ output, csv, title, unit, ...given }, terminal) => {
    const [{ csvRule }, { nodeSha256 }] = await Promise.all([
      import('@assay/node/rule/csv-rule'),
      import('@assay/node/platform/node-sha256'),
    ]);
    const index = {
      ticker: given.ticker,
      url: csv,
      day: given.day,
      value: given.value,
      title: title ?? given.value,
      unit: unit ?? given.value,
      decimals: given.decimals ?? 0,
      period: given.period ?? 'utc_day',
      release: given.release ?? '12:00',
    };
    const rule = csvRule(nodeSha256, index, Math.floor(Date.now() / 1000));
    await writeNew(output, `${JSON.stringify(rule, null, 2)}\n`, terminal);
    return EXIT.ok;
  },
});

async function writeNew(path: string, text: string, terminal: Terminal): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (cause) {
    throw new Fault('not_empty', 'output', { at: path, expected: 'no file there', cause });
  }
  terminal.out(`${path}: a development rule`);
  terminal.out(`Next: assay rules check ${path}`);
}

function tickerName(text: string, name: string): string {
  if (/^[A-Z][A-Z0-9]{0,15}$/.test(text) && text !== 'CLOSE') return text;
  throw new UsageError(`${name} is up to 16 capital letters and digits, and not CLOSE`);
}

function decimals(text: string, name: string): number {
  if (/^(?:[0-9]|1[0-8])$/.test(text)) return Number(text);
  throw new UsageError(`${name} is a whole number from 0 to 18`);
}

function kind(text: string, name: string): PeriodKind {
  const found = PERIOD_KINDS.find((each) => each === text);
  if (found !== undefined) return found;
  throw new UsageError(`${name} is one of ${PERIOD_KINDS.join(', ')}`);
}

function clock(text: string, name: string): string {
  if (/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/.test(text)) return text;
  throw new UsageError(`${name} is a time of the day such as 08:30`);
}
