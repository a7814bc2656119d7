import { faultCode } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import type { Promoted } from '@assay/node/standby/promotion';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { option } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';

const OPTIONS = {
  config: { value: 'FILE', about: 'The configuration of this machine.' },
  fenced: option('WORDS')`
    How the old writer and its database were shut out, such as "db1 is powered off". Without it, enough witnesses of the log
    must answer.`,
} as const;

/** How often a standby that runs is looked at for its answer, and how long the pause between is. */
const TRIES = 1200;
const PAUSE_MS = 100;

export const promoteCommand: Command = command({
  name: 'promote',
  summary: 'Make this machine the writer of its log.',
  about: `Takes the next epoch of the head guard for the data folder of this machine, whoever held it. The writer before moves no head from then on, wherever it was stopped. docs/standby.md has the steps.

    A promotion must know that no other database goes on with the old writer. Either you say how you shut it out (--fenced), or enough witnesses of the log answer, and what they hold is compared. The command says which it had. It refuses where this machine lacks an entry that was signed.

    Where a standby runs on the folder, it goes on as the writer in the same process. Otherwise start assay node afterwards.`,
  operands: {},
  options: OPTIONS,
  variables: {
    ASSAY_CONFIG: 'The configuration, where --config is not given.',
    ASSAY_PASSPHRASE: 'Unlocks the key files.',
    ASSAY_GUARD_PASSWORD: 'The password of the database, where the configuration names no file.',
  },
  exits: { 0: 'This folder is the writer of the log.' },
  examples: {
    'assay promote --config standby/assay.json --fenced "db1 and its machine are powered off"':
      'Go on from the standby, on the word of an operator.',
    'assay promote --config standby/assay.json':
      'Go on from the standby, if enough witnesses answer.',
  },
  run: (given, terminal, environment) => run(given, terminal, environment),
});

async function run(
  { config: given, fenced }: Given<typeof OPTIONS>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const path = given ?? environment['ASSAY_CONFIG'];
  if (path === undefined) throw new UsageError('the option --config FILE is missing');
  if (fenced !== undefined && (fenced.trim() === '' || fenced.length > 500)) {
    throw new UsageError(
      '--fenced takes 1 to 500 letters that say how the old writer was shut out',
    );
  }
  const [
    { readConfig },
    { openLevelStore },
    { dataFolder },
    { hasData },
    { nodeSha256 },
    { promoteFolder },
    { askStandby },
    { setTimeout: sleep },
  ] = await Promise.all([
    import('@assay/node/production/config'),
    import('@assay/node/ledger/store/level-store'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/data/open-data'),
    import('@assay/node/platform/node-sha256'),
    import('@assay/node/standby/folder-promotion'),
    import('@assay/node/standby/promotion-request'),
    import('node:timers/promises'),
  ]);
  const config = await readConfig(path, environment);
  const folder = dataFolder(config.data);
  if (!(await hasData(folder))) throw new UsageError(`${config.data} has no copy of a log`);
  const store = await openLevelStore(folder.ledger).catch((error: unknown) => {
    // Another process holds it: the standby, which takes requests.
    if (faultCode(error) === 'refused') return undefined;
    throw error;
  });
  if (store === undefined) {
    terminal.error('a process runs on this folder, and is asked');
    const pause = async (): Promise<void> => {
      await sleep(PAUSE_MS);
    };
    tell(await askStandby(folder.root, fenced, { tries: TRIES, pause }), terminal);
    terminal.out('The process goes on as the writer.');
    return EXIT.ok;
  }
  try {
    tell(await promoteFolder(config, environment, nodeSha256, store, fenced), terminal);
  } finally {
    await store.close();
  }
  terminal.out(`Next: assay node --config ${path}`);
  return EXIT.ok;
}

function tell(
  { grounds, epoch, before, size, replayed, lacking }: Promoted,
  terminal: Terminal,
): void {
  terminal.out(
    grounds.kind === 'fenced'
      ? `The old writer is fenced, as the operator says: ${printable(grounds.words)}`
      : `A third voter answered: ${grounds.answered} of ${grounds.of} witnesses.`,
  );
  terminal.out(`Epoch ${epoch} is this folder's. The writer before was ${printable(before)}.`);
  terminal.out(`The log has ${size} entries, of which ${replayed} come from the head guard.`);
  if (lacking.length === 0) return;
  terminal.out(`${lacking.length} blobs that those entries name are not here:`);
  for (const each of lacking) terminal.out(`  ${each}`);
}
