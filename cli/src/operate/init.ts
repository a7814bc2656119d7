import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Policies } from '@assay/core/kind/genesis';
import type { Predecessor } from '@assay/node/restore/succession-source';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

export const initHelp = `assay init --origin NAME --data FOLDER --contact ADDRESS [--chain ID --program ADDRESS]
           [--cosigners N] [--witnesses N [--witness-max-age S]] [--succeeds FOLDER]

Begins a log: four keys, the database with its first entry, the head guard, and a config file.

  --origin NAME   host and path that names the log for good, such as example.org/assay;
                  begin it with development/ for a log that may use sample rules
                  (for any other the config names the public calendars that stamp it,
                  and two explorers: the node asks them as soon as it runs)
  --data FOLDER   an empty or new folder
  --contact ADDR  e-mail address or page that sources may complain to
  --chain ID      chain that holds the feeds, such as solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp, and
  --program ADDR  the program there: both or neither, for good; a key that pays is made too
  --cosigners N   co-signatures that a settlement needs, for good; 0 without
  --witnesses N   witnesses who must have cosigned a head before readers are shown it, for good; 0
                  without. The node does not start before its config names as many
  --witness-max-age S
                  seconds after which a witness's line is stale; a day without
  --succeeds FOLDER
                  the data folder of a log that has ended: entry 1 names it, its last head that can
                  be proven, and what is lost, signed by its checkpoint key where that lies there.
                  The two logs are not one, and have two origins

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
      chain: { type: 'string' },
      program: { type: 'string' },
      cosigners: { type: 'string' },
      witnesses: { type: 'string' },
      'witness-max-age': { type: 'string' },
      succeeds: { type: 'string' },
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
  const onchain = onchainOf(values.chain, values.program);
  const policies = policiesOf(values);
  const [{ initData }, { dataFolder, keyPath }, { nodeSha256 }, { systemClock }] =
    await Promise.all([
      import('@assay/node/data/init'),
      import('@assay/node/platform/data-folder'),
      import('@assay/node/platform/node-sha256'),
      import('@assay/node/platform/clock'),
    ]);
  const folder = dataFolder(resolve(data));
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const locked = passphrase === '' ? undefined : passphrase;
  const before =
    values.succeeds === undefined
      ? undefined
      : await predecessor(resolve(values.succeeds), origin, nodeSha256, locked);
  const { log, checkpointVkey } = await initData(folder, nodeSha256, systemClock, {
    origin,
    passphrase: locked,
    policies,
    onchain,
    ...(before === undefined ? {} : { succession: (id) => Promise.resolve(before.text(id)) }),
  });
  const payerAddress = async (): Promise<string> => {
    const { readPublicKey } = await import('@assay/node/key/keystore');
    const { addressOfKey } = await import('@assay/chain/addresses');
    const { formatHex } = await import('@assay/core/bytes/hex');
    return addressOfKey(formatHex(await readPublicKey(keyPath(folder, 'payer'))));
  };
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
    ...witnessWords(policies.witnesses_required),
    ...(before === undefined ? [] : successionText(before)),
    ...(onchain === undefined ? [] : payerWords(await payerAddress())),
    '',
    `Next: assay node --config ${config}`,
  ]) {
    terminal.out(line);
  }
  return EXIT.ok;
}

/** The log that the new one succeeds. Throws a `UsageError` where both would have one origin. */
async function predecessor(
  root: string,
  origin: string,
  sha256: Sha256,
  passphrase: string | undefined,
): Promise<Predecessor> {
  const { openPredecessor } = await import('@assay/node/restore/succession-source');
  const before = await openPredecessor(root, sha256, { passphrase });
  if (before.facts.genesis.origin !== origin) return before;
  throw new UsageError(
    `a new log has another origin than the one before: witnesses and mirrors know ${origin} as that`,
  );
}

function successionText({ facts, isSigned }: Predecessor): readonly string[] {
  const { log, genesis, head, lost } = facts;
  return [
    '',
    `Entry 1 says that this log succeeds ${genesis.origin}, log ${log},`,
    `behind its head of ${head.size} entries${lost === null ? '.' : `; entries ${head.size} to ${lost.size - 1} of it are lost.`}`,
    isSigned
      ? 'The checkpoint key of that log signed it.'
      : 'Its checkpoint key is not in the folder: nothing of that log signs it, so say it elsewhere too.',
    'Go on serving the old log as far as it goes, from a mirror or an export.',
  ];
}

/** Seconds after which a witness's line is stale, where nothing else is said. */
const WITNESS_MAX_AGE_S = 86_400;
const MAX_AGE_S = 31_622_400;
const MAX_COUNT = 64;

/** What the log promises of co-signers and witnesses. */
function policiesOf(values: {
  readonly cosigners?: string | undefined;
  readonly witnesses?: string | undefined;
  readonly 'witness-max-age'?: string | undefined;
}): Policies {
  const number = (name: keyof typeof values, from: number, to: number, without: number): number => {
    const text = values[name];
    if (text === undefined) return without;
    const value = /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new UsageError(`--${name} is a whole number from ${from} to ${to}`);
  };
  const witnesses = number('witnesses', 0, MAX_COUNT, 0);
  if (witnesses === 0 && values['witness-max-age'] !== undefined) {
    throw new UsageError('--witness-max-age says nothing without --witnesses');
  }
  return {
    cosigners_required: number('cosigners', 0, MAX_COUNT, 0),
    witnesses_required: witnesses,
    witness_max_age_s:
      witnesses === 0 ? 0 : number('witness-max-age', 60, MAX_AGE_S, WITNESS_MAX_AGE_S),
  };
}

function witnessWords(required: number): readonly string[] {
  if (required === 0) return [];
  return [
    '',
    `Name at least ${required} of the log's witnesses in the config, as "witnesses": [{ "url", "vkey" }]: the node`,
    'does not start with fewer. Give each of them the origin and the checkpoint key from above.',
  ];
}

/** The chain and the program that the log names; both or neither. */
function onchainOf(
  chain: string | undefined,
  program: string | undefined,
): { readonly chain: string; readonly program: string } | undefined {
  if (chain === undefined && program === undefined) return undefined;
  if (chain === undefined || program === undefined) {
    throw new UsageError('init takes both --chain and --program, or neither');
  }
  if (!/^solana:[1-9A-HJ-NP-Za-km-z]{32}$/.test(chain)) {
    throw new UsageError('a chain is solana: and the first 32 characters of its genesis hash');
  }
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(program)) {
    throw new UsageError('a program is an address, 32 bytes in base58');
  }
  return { chain, program };
}

function payerWords(address: string): readonly string[] {
  return [
    '',
    `On chain ${address} pays: send it lamports, some 0.05 SOL for each index, and as much for each`,
    'page of 32 periods; and name an RPC in the config (solana_rpc).',
  ];
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
