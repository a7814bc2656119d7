import { parseArgs } from 'node:util';
import { dataFolder } from '@assay/node/platform/data-folder';
import { withWayForward } from '@assay/node/ledger/way-forward';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

export const recoverHelp = `assay recover <data folder> [--mirror URL] [--drop N]

Puts a ledger back to the head that its guard holds: reads every entry again, demands that root,
derives tiles and views anew, and drops only entries behind it, of which nobody was told. It refuses
where the entries do not reach the guard's head: assay restore brings the log back from others'
copies then. The node must be stopped. A node continues such entries by itself at start; recover is
for when it must not.

  --mirror URL  a place that serves a copy of the log: recover refuses where its head is newer than
                the guard's, for then the guard is an old copy. May be given more than once
  --drop N      consent to drop N entries; without it nothing is dropped, and the number is said`;

export async function recoverCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  let folder = '';
  try {
    return await run(args, terminal, environment, (data) => (folder = data));
  } catch (error) {
    throw withWayForward(error, folder);
  }
}

async function run(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
  onFolder: (data: string) => void,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { mirror: { type: 'string', multiple: true }, drop: { type: 'string' } },
  });
  const [data, ...rest] = positionals;
  if (data === undefined || rest.length > 0) throw new UsageError('recover takes a data folder');
  onFolder(data);
  const drop = values.drop ?? '0';
  if (!/^[0-9]{1,15}$/.test(drop)) throw new UsageError('--drop is a number of entries');
  const [{ openData }, { recover }, { fetchNote, mirrorHeads }] = await Promise.all([
    import('@assay/node/data/open-data'),
    import('@assay/node/ledger/recover'),
    import('@assay/node/witness/client/mirror-heads'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const opened = await openData(dataFolder(data), nodeSha256, {
    passphrase: passphrase === '' ? undefined : passphrase,
  });
  try {
    const mirrors = values.mirror ?? [];
    const known =
      mirrors.length === 0 ? [] : await mirrorHeads(mirrors, opened.checkpoints, fetchNote)();
    const { size, dropped } = await recover(
      nodeSha256,
      opened.store,
      opened.guard,
      opened.checkpoints,
      { drop: Number(drop), known },
    );
    terminal.out(`${size} entries, as the head guard has it; ${dropped} behind it dropped`);
    return EXIT.ok;
  } finally {
    await opened.store.close();
  }
}
