import type { RunningService } from '@assay/node/service';
import { CLOSE_MS, closeOrExit } from '../process/closing.ts';
import { command, type Command, type Environment } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { flag } from '../command/option.ts';
import { untilStopped } from '../process/stop.ts';
import type { Terminal } from '../command/tty.ts';

export const nodeCommand: Command = command({
  name: 'node',
  summary: 'Run a publisher.',
  about: `Runs a publisher until it is stopped. It reads sources, applies the rules, signs reports, appends them to the log, and serves the API and the log. docs/config.md explains every field of the configuration.

    With --standby it follows another publisher of the same log instead, into this data folder. It opens no key then. When assay promote has made this folder the writer's, the same process goes on as the publisher.`,
  operands: {},
  options: {
    config: { value: 'FILE', about: 'The configuration.' },
    standby: flag`
      Follow the publisher that the configuration names under standby, sign nothing, and wait for assay promote.`,
  },
  variables: {
    ASSAY_CONFIG: 'The configuration, where --config is not given.',
    'ASSAY_DATA, ASSAY_HOST, ASSAY_PORT, ASSAY_TRANSPORT, ASSAY_LOG_LEVEL':
      'Override fields of the configuration.',
    ASSAY_PASSPHRASE: 'Unlocks the key files.',
    ASSAY_GUARD_PASSWORD:
      'The password of the head guard in a database, where the configuration names no file.',
    ASSAY_SECRET_NAME: 'Fills in {secret:NAME} in the requests of a rule, for any NAME.',
  },
  exits: { 0: 'The node was stopped.' },
  examples: {
    'assay node --config data/assay.json': 'Run the node that assay init has made.',
    'assay node --standby --config standby/assay.json':
      'Follow the publisher of a log, ready to take its place.',
  },
  run: ({ config, standby }, terminal, environment) =>
    runNode(config, standby, terminal, environment),
});

async function runNode(
  given: string | undefined,
  isStandby: boolean,
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
  const log = makeLogger(config.log_level);
  // A standby that becomes the publisher is closed as that.
  let close: (() => Promise<void>) | undefined;
  let stopped: Promise<void> | undefined;
  const untilEnd = (): Promise<void> =>
    (stopped ??= untilStopped(
      () => closeOrExit('node', close ?? (() => Promise.resolve()), CLOSE_MS, terminal),
      terminal,
    ));
  if (isStandby) {
    const { startStandby } = await import('@assay/node/standby/standby-service');
    const standby = await startStandby(config, environment, log);
    close = standby.close;
    terminal.out(`http://${config.host}:${standby.port}, following ${config.standby?.publisher}`);
    const ended = await Promise.race([untilEnd().then(() => true), standby.promoted]);
    if (ended === true) return EXIT.ok;
    close = undefined;
  }
  const run = (node: RunningService): void => {
    close = node.close;
    terminal.out(`http://${config.host}:${node.port} by ${node.transport}`);
    void untilEnd();
  };
  let isListening = false;
  const node = await startFromConfig(config, environment, log, undefined, (listening) => {
    isListening = true;
    run(listening);
  });
  if (!isListening) run(node);
  await untilEnd();
  return EXIT.ok;
}
