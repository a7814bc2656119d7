import type { RunningService } from '@assay/node/service';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { command, type Command, type Environment } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { untilStopped } from '../process/stop.ts';
import type { Terminal } from '../command/tty.ts';

export const nodeCommand: Command = command({
  name: 'node',
  summary: 'Run a publisher.',
  about: `Runs a publisher until it is stopped. It reads sources, applies the rules, signs reports, appends them to the log, and serves the API and the log. docs/config.md explains every field of the configuration.`,
  operands: {},
  options: { config: { value: 'FILE', about: 'The configuration.' } },
  variables: {
    ASSAY_CONFIG: 'The configuration, where --config is not given.',
    'ASSAY_DATA, ASSAY_HOST, ASSAY_PORT, ASSAY_TRANSPORT, ASSAY_LOG_LEVEL':
      'Override fields of the configuration.',
    ASSAY_PASSPHRASE: 'Unlocks the key files.',
    ASSAY_SECRET_NAME: 'Fills in {secret:NAME} in the requests of a rule, for any NAME.',
  },
  exits: { 0: 'The node was stopped.' },
  examples: {
    'assay node --config data/assay.json': 'Run the node that assay init has made.',
  },
  run: ({ config }, terminal, environment) => runNode(config, terminal, environment),
});

async function runNode(
  given: string | undefined,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const path = given ?? environment['ASSAY_CONFIG'];
  if (path === undefined) throw new UsageError('the option --config FILE is missing');
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
