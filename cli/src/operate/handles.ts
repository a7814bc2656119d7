import { resolve } from 'node:path';
import { foldName } from '@assay/core/arena/forecast/handle';
import type { HandleStore } from '@assay/node/arena/handle-store';
import { command, group, type Group } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { flag } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';
import { requireDataFolder } from '../reader/data-reader.ts';

const DATA = {
  value: 'DATA',
  about: 'The data folder of the log, whose node is stopped.',
} as const;

const forgetCommand = command({
  name: 'handles forget',
  summary: 'Forget the name of a handle.',
  about: `Forgets the name of a handle, with its salt and what is known of its secret. Its forecasts stay in the log under its id, from which nothing leads back to the name. The handle cannot forecast again unless it has a key, and somebody else may take the name, under another id.

    Back-ups that were made before still hold the name. Without --yes the command only says what it would do.`,
  operands: { data: DATA, name: { value: 'NAME', about: 'The name, in any case.' } },
  options: {
    yes: flag`
      Forget the name. Without it the command only says what it would do.`,
  },
  exits: {
    0: 'The name is forgotten, or would be.',
    1: 'No handle has this name.',
  },
  examples: {
    'assay handles forget data ada --yes': 'Forget who stands behind a handle.',
  },
  run: ({ data, name, yes }, terminal) => forget(resolve(data), foldName(name), yes, terminal),
});

export const handlesCommand: Group = group({
  name: 'handles',
  summary: 'Forget the names of handles in the Arena.',
  about: 'Works on the names of handles, which stand beside the log of a stopped node.',
  commands: [forgetCommand],
});

async function forget(
  root: string,
  name: string,
  yes: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  await requireDataFolder(root);
  return withHandles(root, async (handles) => {
    const known = handles.named(name);
    if (known === undefined) {
      terminal.error(`assay handles: no handle has the name ${name}`);
      return EXIT.findings;
    }
    const { handle } = known;
    if (!yes) {
      terminal.out(`The name ${name} of handle ${handle} would be forgotten: --yes does it.`);
      return EXIT.ok;
    }
    await handles.forget(handle);
    terminal.out(`The name ${name} of handle ${handle} is forgotten.`);
    return EXIT.ok;
  });
}

/** Opens the names of a folder. Its ledger is opened meanwhile, which a running node does not let happen. */
async function withHandles<T>(
  root: string,
  work: (handles: HandleStore) => Promise<T>,
): Promise<T> {
  const [{ HandleStore: Store }, { dataFolder }, { openLevelStore }, { nodeSha256 }] =
    await Promise.all([
      import('@assay/node/arena/handle-store'),
      import('@assay/node/platform/data-folder'),
      import('@assay/node/ledger/store/level-store'),
      import('@assay/node/platform/node-sha256'),
    ]);
  const folder = dataFolder(root);
  const ledger = await openLevelStore(folder.ledger);
  try {
    const handles = await Store.open(folder.handles, { sha256: nodeSha256 });
    try {
      return await work(handles);
    } finally {
      await handles.close();
    }
  } finally {
    await ledger.close();
  }
}
