import { dataFolder } from '@assay/node/platform/data-folder';
import { withWayForward } from '@assay/node/ledger/way-forward';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { command, type Command } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import type { Terminal } from '../command/tty.ts';

export const rebuildCommand: Command = command({
  name: 'rebuild',
  summary: 'Derive the views and tiles of a log from its entries again.',
  about: `Derives every view and every tile from the entries again and stores them. The bytes of a sound folder are the same afterwards.

    The node must be stopped.`,
  operands: { data: { value: 'DATA', about: 'The data folder of the node.' } },
  options: {},
  examples: {
    'assay rebuild data': 'Derive the views of the log in the folder data again.',
  },
  run: ({ data }, terminal) =>
    run(data, terminal).catch((error: unknown) => {
      throw withWayForward(error, data);
    }),
});

async function run(data: string, terminal: Terminal): Promise<ExitCode> {
  await requireDataFolder(data);
  const [{ openLevelStore }, { openGuard }, { rebuild }] = await Promise.all([
    import('@assay/node/ledger/store/level-store'),
    import('@assay/node/ledger/guard/open-guard'),
    import('@assay/node/ledger/derived/recover'),
  ]);
  const folder = dataFolder(data);
  const store = await openLevelStore(folder.ledger);
  let guard;
  try {
    ({ guard } = await openGuard(folder));
    const { size, rows, changed } = await rebuild(nodeSha256, store, guard);
    const words =
      changed === 0 ? 'the same bytes as before' : `${changed} were not as they should be`;
    terminal.out(`${rows} view rows from ${size} entries: ${words}`);
    return EXIT.ok;
  } finally {
    await store.close();
    await guard?.close();
  }
}
