import { formatValue } from '@assay/core/report/decide';
import { isDate } from '@assay/core/time/time';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

const OPTIONS = {
  config: option('FILE')`
    The configuration of the node.`,
  why: option('TEXT', { required: true, parse: reason })`
    What was wrong. The text is published in a note.`,
} as const;

export const correctCommand: Command = command({
  name: 'correct',
  summary: 'Publish a correction of a final period.',
  about: `Corrects a final period after an error of the publisher's own. The command reads the sources again. Where a quorum of them gives another number, it publishes that number as a correction, with the reason in a note. A correction never settles anything: the first final report does.

    The node must be stopped.`,
  operands: {
    index: { value: 'INDEX', about: 'The ticker of the index.' },
    period: { value: 'PERIOD', about: 'The period, a date YYYY-MM-DD.' },
  },
  options: OPTIONS,
  variables: { ASSAY_CONFIG: 'The configuration, where --config is not given.' },
  exits: { 0: 'A correction was published.', 3: 'Nothing was published.' },
  examples: {
    "assay correct --config assay.json LAYOFFS 2026-07-25 --why 'A page was read twice.'":
      'Correct one number.',
  },
  run: correctPeriod,
});

function reason(text: string, name: string): string {
  if (text.trim() === '') throw new UsageError(`${name} says nothing`);
  return text;
}

async function correctPeriod(
  given: Given<typeof OPTIONS> & { readonly index: string; readonly period: string },
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { index, period, why } = given;
  const path = given.config ?? environment['ASSAY_CONFIG'];
  if (path === undefined) throw new UsageError('the option --config FILE is missing');
  if (!isDate(period)) throw new UsageError('a period is a date YYYY-MM-DD');
  const [{ readConfig }, { correct }, { makeLogger }] = await Promise.all([
    import('@assay/node/production/config'),
    import('@assay/node/production/correction'),
    import('@assay/node/production/logger'),
  ]);
  const config = await readConfig(path, environment);
  const log = makeLogger(config.log_level);
  const { report, reads } = await correct(config, environment, log, { index, period, why });
  for (const { provider, read } of reads) {
    const value =
      read.value === null || report === undefined
        ? ''
        : ` ${formatValue(report, BigInt(read.value))}`;
    terminal.out(`  ${provider.id}: ${read.outcome}${value}`);
  }
  if (report === undefined || report.value === null) {
    terminal.out(
      'Nothing is published: the period is not final, or a quorum gives no other number.',
    );
    return EXIT.incomplete;
  }
  terminal.out(
    `Corrected: ${report.ticker} ${report.period} is ${formatValue(report, BigInt(report.value))}, issue ${report.issue}. ` +
      'The settlement value stays.',
  );
  return EXIT.ok;
}
