import { parseArgs } from 'node:util';
import { formatValue } from '@assay/core/report/decide';
import { isDate } from '@assay/core/time/time';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

export const correctHelp = `assay correct --config FILE INDEX PERIOD --why TEXT

Corrects a final period after an error of the publisher's own: reads the sources again and, where a
quorum of them gives another number, publishes it as a correction with TEXT in a note. It never
settles: the first final does. The node must be stopped. Exit code 3 where nothing was published.`;

export async function correctCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { config: { type: 'string' }, why: { type: 'string' } },
  });
  const [index, period, ...others] = positionals;
  const path = values.config ?? environment['ASSAY_CONFIG'];
  const { why } = values;
  if (path === undefined || index === undefined || period === undefined || others.length > 0) {
    throw new UsageError('correct takes --config, an index and a period');
  }
  if (!isDate(period)) throw new UsageError('a period is a date YYYY-MM-DD');
  if (why === undefined || why.trim() === '') throw new UsageError('correct takes --why');
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
