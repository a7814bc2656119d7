import { parseArgs } from 'node:util';
import { dataFolder } from '@assay/node/platform/data-folder';
import { withWayForward } from '@assay/node/ledger/way-forward';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

export const rebuildHelp = `assay rebuild <data folder>

Derives every view and tile from the entries again and stores them. A sound folder has the same
bytes afterwards. The node must be stopped.`;

export async function rebuildCommand(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  let folder = '';
  try {
    return await run(args, terminal, (data) => (folder = data));
  } catch (error) {
    throw withWayForward(error, folder);
  }
}

async function run(
  args: readonly string[],
  terminal: Terminal,
  onFolder: (data: string) => void,
): Promise<ExitCode> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [data, ...rest] = positionals;
  if (data === undefined || rest.length > 0) throw new UsageError('rebuild takes a data folder');
  onFolder(data);
  const [{ openLevelStore }, { FileHeadGuard }, { rebuild }] = await Promise.all([
    import('@assay/node/ledger/store/level-store'),
    import('@assay/node/ledger/file-head-guard'),
    import('@assay/node/ledger/recover'),
  ]);
  const folder = dataFolder(data);
  const store = await openLevelStore(folder.ledger);
  try {
    const guard = await FileHeadGuard.open(folder.guard);
    const { size, rows, changed } = await rebuild(nodeSha256, store, guard);
    const words =
      changed === 0 ? 'the same bytes as before' : `${changed} were not as they should be`;
    terminal.out(`${rows} view rows from ${size} entries: ${words}`);
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
