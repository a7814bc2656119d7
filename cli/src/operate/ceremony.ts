import { newestCheckpointKey } from '@assay/core/view/key/checkpoint-keys';
import { keyInForce } from '@assay/core/view/key/keys';
import { logRow } from '@assay/core/view/log';
import type { KeyChangeParts } from '@assay/node/key/key-change';
import type { Environment, Given, Operand } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { flag, option } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import { showKeys } from './shown-keys.ts';

export const DATA: Operand = {
  value: 'DATA',
  about: 'The data folder of the log, whose node is stopped.',
};

interface Valued {
  readonly value: string;
  readonly about: string;
}

/** What each change of a key is given. */
export const CEREMONY_OPTIONS: {
  readonly mirror: Valued & { readonly many: true };
  readonly config: Valued;
  readonly yes: { readonly about: string };
} = {
  mirror: option('URL', { many: true })`
    A place that serves a copy of the log. The command refuses to go on where the head of that
    copy is newer.`,
  config: option('FILE')`
    The configuration of the node, where it names a head guard in a database.`,
  yes: flag`
    Write the change. Without it the command only says what it would do.`,
};

export const CEREMONY_VARIABLES: Readonly<Record<string, string>> = {
  ASSAY_PASSPHRASE: 'Unlocks key files, and locks those that are made.',
  ASSAY_GUARD_PASSWORD: 'The password of the database, where the configuration names no file.',
};

export interface ChangeOptions extends Pick<Given<typeof CEREMONY_OPTIONS>, 'mirror' | 'config'> {
  /** Whether the checkpoint key may be lost. */
  readonly unsigned?: boolean;
}

/**
 * Changes a key of the log in the folder `root` and says what was done, or that an earlier change is finished. Without
 * `yes` it shows the keys and writes nothing.
 */
export async function ceremony(
  action: string,
  root: string,
  given: ChangeOptions & Pick<Given<typeof CEREMONY_OPTIONS>, 'yes'>,
  terminal: Terminal,
  environment: Environment,
  work: (parts: KeyChangeParts) => Promise<readonly string[]>,
): Promise<ExitCode> {
  await requireDataFolder(root);
  if (!given.yes) {
    await showKeys(root, terminal);
    terminal.out('');
    terminal.out(`Nothing was written: a change of keys cannot be undone. Add --yes to ${action}.`);
    return EXIT.ok;
  }
  const lines = await changed(
    root,
    given,
    environment,
    async (parts) => (await finished(parts)) ?? work(parts),
  );
  for (const line of lines) terminal.out(line);
  await tellWitnesses(root, terminal);
  return EXIT.ok;
}

/** Opens the log of a folder for a change of a key, does the work, and closes it. */
export async function changed<T>(
  root: string,
  { mirror: mirrors, config: path, unsigned = false }: ChangeOptions,
  environment: Environment,
  work: (parts: KeyChangeParts) => Promise<T>,
): Promise<T> {
  const [
    { openRest },
    { dataFolder },
    { nodeSha256 },
    { systemClock },
    { readConfig },
    { storageFault },
  ] = await Promise.all([
    import('@assay/node/data/open-rest'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/platform/node-sha256'),
    import('@assay/node/platform/clock'),
    import('@assay/node/production/config'),
    import('@assay/node/platform/storage-fault'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'] || undefined;
  const guard = path === undefined ? undefined : (await readConfig(path, environment)).head_guard;
  const database = guard?.kind === 'postgres' ? { database: { config: guard, environment } } : {};
  const options = { passphrase, mirrors, unsigned, ...database };
  try {
    const parts = await openRest(dataFolder(root), nodeSha256, systemClock, options);
    try {
      return await work(parts);
    } finally {
      await parts.ledger.close();
    }
  } catch (error) {
    throw storageFault(error, 'data folder');
  }
}

/**
 * What to say instead of a change where an earlier one had been cut short, which this finishes: the same command would be
 * another change. Undefined where there was none.
 */
export async function finished(parts: KeyChangeParts): Promise<readonly string[] | undefined> {
  const { settleKeys } = await import('@assay/node/key/settle-keys');
  if (!(await settleKeys(parts))) return undefined;
  const { tip } = parts.ledger;
  const report = keyInForce(tip)?.number ?? 0;
  const checkpoint = newestCheckpointKey(tip, parts.sha256)?.number ?? 0;
  return [
    `A change that was cut short is finished: checkpoint key ${checkpoint} is in force, and report key ${report}.`,
    'Nothing else was changed: run the command again for another.',
  ];
}

/** Says when readers see an entry, if that is not at once. */
async function tellWitnesses(root: string, terminal: Terminal): Promise<void> {
  const { withFoldedRows } = await import('../reader/folded-rows.ts');
  const required = await withFoldedRows(
    root,
    (views) => logRow(views)?.policies.witnesses_required ?? 0,
  );
  if (required === 0) return;
  terminal.out(
    `The log requires the lines of ${required} witnesses: the entry is committed, and readers are shown it once`,
  );
  terminal.out('the node runs and so many have cosigned it.');
}
