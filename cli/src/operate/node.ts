import { parseArgs } from 'node:util';
import type { RunningService } from '@assay/node/service';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { untilStopped } from '../process/stop.ts';
import type { Terminal } from '../command/tty.ts';

export const nodeHelp = `assay node --config FILE

Runs a publisher: reads sources, applies the rules, signs, appends, and serves the API and the log.
docs/config.md explains every field. Variables override some: ASSAY_DATA, ASSAY_HOST, ASSAY_PORT,
ASSAY_TRANSPORT, ASSAY_LOG_LEVEL. ASSAY_PASSPHRASE unlocks the keys; ASSAY_SECRET_NAME fills in
{secret:NAME} in a rule's request. ASSAY_CONFIG stands for --config.`;

export async function nodeCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { config: { type: 'string' } },
  });
  const path = values.config ?? environment['ASSAY_CONFIG'];
  if (path === undefined || positionals.length > 0) throw new UsageError('node takes --config');
  const [{ readConfig }, { startFromConfig }, { makeLogger }] = await Promise.all([
    import('@assay/node/production/config'),
    import('@assay/node/production/production'),
    import('@assay/node/production/logger'),
  ]);
  const config = await readConfig(path, environment);
  let stopped: Promise<void> | undefined;
  const run = ({ port, transport, close }: RunningService): void => {
    terminal.out(`http://${config.host}:${port} by ${transport}`);
    stopped = untilStopped(() => closeOrExit('node', close, CLOSE_MS, terminal), terminal);
  };
  const log = makeLogger(config.log_level);
  const node = await startFromConfig(config, environment, log, undefined, run);
  if (stopped === undefined) run(node);
  await stopped;
  return EXIT.ok;
}
