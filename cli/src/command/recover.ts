import { parseArgs } from 'node:util';
import { dataFolder } from '@assay/node/data-folder';
import { nodeSha256 } from '@assay/node/node-sha256';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export const recoverHelp = `assay recover <data folder>

Puts a ledger back to the head that its guard holds: reads every entry again, demands that root,
derives tiles and views anew, and drops only entries behind it, of which nobody was told. It refuses
where the entries do not reach the guard's head: then copy the log back from a mirror. The node must
be stopped. A node continues such entries by itself at start; recover is for when it must not.`;

export async function recoverCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [data, ...rest] = positionals;
  if (data === undefined || rest.length > 0) throw new UsageError('recover takes a data folder');
  const [{ openData }, { recover }] = await Promise.all([
    import('@assay/node/open-data'),
    import('@assay/node/ledger/recover'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const opened = await openData(dataFolder(data), nodeSha256, {
    passphrase: passphrase === '' ? undefined : passphrase,
  });
  try {
    const { size, dropped } = await recover(
      nodeSha256,
      opened.store,
      opened.guard,
      opened.checkpoints,
    );
    terminal.out(`${size} entries, as the head guard has it; ${dropped} behind it dropped`);
    return EXIT.ok;
  } finally {
    await opened.store.close();
  }
}
