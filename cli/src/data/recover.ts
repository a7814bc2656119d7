import { dataFolder } from '@assay/node/platform/data-folder';
import { withWayForward } from '@assay/node/ledger/way-forward';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { entryCount } from '../command/options.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import type { Terminal } from '../command/tty.ts';

const OPTIONS = {
  mirror: option('URL', { many: true })`
    A place that serves a copy of the log. The command refuses to go on where the head of that
    copy is newer than the guard's, for then the guard is an old copy itself.`,
  drop: option('N', { parse: entryCount, fallback: 0 })`
    Consent to drop N entries. The command drops none without it, and says how many there are.`,
} as const;

export const recoverCommand: Command = command({
  name: 'recover',
  summary: 'Put a ledger back to the head that its guard holds.',
  about: `Reads every entry again, demands that they lead to the head that the guard holds, and derives tiles and views anew. It drops only the entries after that head, which nobody has been shown.

    It refuses where the entries do not reach the head of the guard: then assay restore brings the log back from the copies of others. The node must be stopped. A node continues after such entries by itself when it starts, so this command is for when it must not.`,
  operands: { data: { value: 'DATA', about: 'The data folder of the node.' } },
  options: OPTIONS,
  variables: { ASSAY_PASSPHRASE: 'Unlocks the key files.' },
  examples: {
    'assay recover data': 'Say how many entries lie after the head of the guard.',
    'assay recover data --drop 3 --mirror https://mirror.example.net':
      'Drop three of them, unless a mirror has seen a newer head.',
  },
  run: (given, terminal, environment) =>
    run(given, terminal, environment).catch((error: unknown) => {
      throw withWayForward(error, given.data);
    }),
});

async function run(
  { data, mirror, drop }: Given<typeof OPTIONS> & { readonly data: string },
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  await requireDataFolder(data);
  const [{ openData }, { recover }, { fetchNote, mirrorHeads }] = await Promise.all([
    import('@assay/node/data/open-data'),
    import('@assay/node/ledger/derived/recover'),
    import('@assay/node/witness/client/mirror-heads'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const opened = await openData(dataFolder(data), nodeSha256, {
    passphrase: passphrase === '' ? undefined : passphrase,
  });
  try {
    const known =
      mirror.length === 0 ? [] : await mirrorHeads(mirror, opened.checkpoints, fetchNote)();
    const { size, dropped } = await recover(nodeSha256, opened.store, opened.guard, {
      drop,
      known,
    });
    terminal.out(`${size} entries, as the head guard has it; ${dropped} behind it dropped`);
    return EXIT.ok;
  } finally {
    await opened.store.close();
    await opened.guard.close();
  }
}
