import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '@assay/core/fault';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export const initHelp = `assay init --origin NAME --data FOLDER --contact ADDRESS

Begins a log: four keys, the database with its first entry, the head guard, and a config file.

  --origin NAME   host and path that names the log for good, such as example.org/assay;
                  begin it with development/ for a log that may use sample rules
                  (for any other the config names the public calendars that stamp it,
                  and two explorers: the node asks them as soon as it runs)
  --data FOLDER   an empty or new folder
  --contact ADDR  e-mail address or page that sources may complain to

The variable ASSAY_PASSPHRASE, where set, locks the key files; assay node then needs it too.`;

export async function initCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      origin: { type: 'string' },
      data: { type: 'string' },
      contact: { type: 'string' },
    },
  });
  const { origin, data, contact } = values;
  if (origin === undefined || data === undefined || contact === undefined) {
    throw new UsageError('init takes --origin, --data and --contact');
  }
  if (positionals.length > 0) throw new UsageError('init takes no argument');
  if (!/^[!-'*-[\]-~]+$/.test(contact)) {
    throw new UsageError('a contact is visible ASCII, such as data@example.org');
  }
  if (!/^[a-z0-9][a-z0-9./-]{0,127}$/.test(origin)) {
    throw new UsageError('an origin is small letters, digits, dots, slashes and hyphens');
  }
  const [{ initData, NO_POLICIES }, { dataFolder, keyPath }, { nodeSha256 }, { systemClock }] =
    await Promise.all([
      import('@assay/node/init'),
      import('@assay/node/data-folder'),
      import('@assay/node/node-sha256'),
      import('@assay/node/clock'),
    ]);
  const folder = dataFolder(resolve(data));
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const { log, checkpointVkey } = await initData(folder, nodeSha256, systemClock, {
    origin,
    passphrase: passphrase === '' ? undefined : passphrase,
    policies: NO_POLICIES,
  });
  const config = join(folder.root, 'assay.json');
  const stamps = await stampFields(origin);
  await writeConfig(config, contact, stamps);
  for (const line of [
    `A new log: ${origin}`,
    `  log id          ${log}`,
    `  checkpoint key  ${checkpointVkey}`,
    `  config          ${config}`,
    '',
    'Publish the checkpoint key where your readers will find it: assay verify URL --key KEY.',
    `Move ${keyPath(folder, 'recovery')} and ${keyPath(folder, 'next-report')}`,
    'to a place that is not this machine, and keep a copy of the others.',
    ...(passphrase === undefined || passphrase === ''
      ? ['The keys lie unlocked, readable by you alone: ASSAY_PASSPHRASE would lock them.']
      : []),
    ...stampWords(stamps),
    '',
    `Next: assay node --config ${config}`,
  ]) {
    terminal.out(line);
  }
  return EXIT.ok;
}

/** Whom the node will ask for stamps; a development log is stamped nowhere. */
type StampFields = Partial<
  Readonly<Record<'calendars' | 'calendar_attestors' | 'bitcoin_explorers', readonly string[]>>
>;

async function stampFields(origin: string): Promise<StampFields> {
  const { networkOf } = await import('@assay/core/network');
  if (networkOf(origin) === 'development') return {};
  const { PUBLIC_ATTESTORS, PUBLIC_EXPLORERS, PUBLIC_POOL } =
    await import('@assay/node/anchor/public-network');
  return {
    calendars: PUBLIC_POOL,
    calendar_attestors: PUBLIC_ATTESTORS,
    bitcoin_explorers: PUBLIC_EXPLORERS,
  };
}

function stampWords({ calendars, bitcoin_explorers: explorers }: StampFields): readonly string[] {
  if (calendars === undefined || explorers === undefined) return [];
  const hosts = (addresses: readonly string[]): string =>
    addresses.map((address) => `  ${new URL(address).host}`).join('\n');
  return [
    '',
    'The config names whom the node asks once it runs. Calendars, to stamp the log in Bitcoin:',
    hosts(calendars),
    'Explorers, for the headers of blocks (a Bitcoin node of your own is better: bitcoin_rpc):',
    hosts(explorers),
    'With "calendars": [] and "bitcoin_explorers": [] it asks none of them and stamps nothing.',
  ];
}

async function writeConfig(path: string, contact: string, stamps: StampFields): Promise<void> {
  const config = { data: '.', contact, host: '127.0.0.1', port: 8787, rules: [], ...stamps };
  try {
    await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, { flag: 'wx' });
  } catch (cause) {
    throw new Fault('not_empty', 'config file', { at: path, expected: 'no file there', cause });
  }
}
