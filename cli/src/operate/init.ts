import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Policies } from '@assay/core/kind/genesis';
import { MAX_THRESHOLD } from '@assay/core/report/cosigner-set';
import type { Predecessor } from '@assay/node/restore/succession-source';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { originName } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';
import { defaultLines, isAgreed, type Terms } from './init-terms.ts';

/** The default number of seconds after which a witness's line is stale. */
const WITNESS_MAX_AGE_S = 86_400;
const MAX_AGE_S = 31_622_400;
const MAX_COUNT = 64;

/** Parses a whole number in a range. */
function counted(from: number, to: number): (text: string, name: string) => number {
  return (text, name) => {
    const value = /^(0|[1-9][0-9]{0,8})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new UsageError(`${name} is a whole number from ${from} to ${to}`);
  };
}

const OPTIONS = {
  origin: option('NAME', { required: true, parse: originName })`
    A host and a path that name the log for good, such as example.org/assay. Begin it with
    development/ for a log that may use sample rules. For every other log the configuration names
    the public calendars that stamp it and two explorers, and the node asks them as soon as it
    runs.`,
  data: option('FOLDER', { required: true })`
    An empty or a new folder for the log.`,
  contact: option('ADDRESS', { required: true, parse: contactAddress })`
    An e-mail address or a page that sources may complain to.`,
  chain: option('ID', { section: 'Options that hold for good' })`
    The chain that holds the feeds, such as solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp. It is given
    together with --program. A key that pays for transactions is made too.`,
  program: option('ADDRESS', { section: 'Options that hold for good' })`
    The program on that chain.`,
  cosigners: option('N', {
    parse: counted(0, MAX_THRESHOLD),
    section: 'Options that hold for good',
  })`
    How many co-signatures a settlement needs. A set of co-signers can ask for 5 at most, so with
    more than that nothing could ever settle. The default is 0: the publisher's word alone
    settles.`,
  witnesses: option('N', {
    parse: counted(0, MAX_COUNT),
    section: 'Options that hold for good',
  })`
    How many witnesses must have cosigned a head before readers are shown it. The node does not
    start before its configuration names as many. The default is 0: a publisher can show two
    histories.`,
  witnessMaxAge: option('S', {
    parse: counted(60, MAX_AGE_S),
    section: 'Options that hold for good',
  })`
    With --witnesses: the number of seconds after which the signature of a witness is stale. The
    default is a day.`,
  succeeds: option('FOLDER')`
    The data folder of a log that has ended. Entry 1 of the new log names the old one, its last
    head that can be proven, and what is lost. The checkpoint key of the old log signs that where
    it lies in the folder. The two logs are not one, and they have two origins.`,
  yes: flag`
    Begin the log without being asked.`,
} as const;

export const initCommand: Command = command({
  name: 'init',
  summary: 'Begin a log.',
  about: `Makes a log: four keys, the database with its first entry, the head guard, and a configuration file.

    Nothing changes the first entry afterwards. On a terminal the command therefore shows what holds for good and asks. Elsewhere it asks nothing, and names on standard error what was chosen by leaving an option out.`,
  operands: {},
  options: OPTIONS,
  variables: {
    ASSAY_PASSPHRASE: 'Locks the key files. The command assay node needs it then too.',
  },
  exits: {
    3: 'Nothing was made, because of an error or because the answer was not yes.',
  },
  examples: {
    'assay init --origin development/trial --data data --contact data@example.org':
      'Begin a log for trials.',
  },
  run: initLog,
});

function contactAddress(text: string): string {
  if (/^[!-'*-[\]-~]+$/.test(text)) return text;
  throw new UsageError('a contact is visible ASCII, such as data@example.org');
}

async function initLog(
  given: Given<typeof OPTIONS>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { origin, data, contact } = given;
  const onchain = onchainOf(given.chain, given.program);
  const policies = policiesOf(given);
  const terms = { origin, policies, onchain, omitted: omittedOf(given) };
  const ask = given.yes ? undefined : terminal.ask;
  if (ask !== undefined && !(await isAgreed(terms, ask, terminal.out))) {
    terminal.error('Nothing was made.');
    return EXIT.incomplete;
  }
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
    given.succeeds === undefined
      ? undefined
      : await predecessor(resolve(given.succeeds), origin, nodeSha256, locked);
  const { log, checkpointVkey } = await initData(folder, nodeSha256, systemClock, {
    origin,
    passphrase: locked,
    policies,
    onchain,
    ...(before === undefined ? {} : { succession: (id) => Promise.resolve(before.text(id)) }),
  });
  // Who was asked has seen them. Nothing was chosen where nothing was made.
  if (ask === undefined) for (const line of defaultLines(terms)) terminal.error(line);
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
      ? ['The keys are not locked, but only you can read them: ASSAY_PASSPHRASE would lock them.']
      : []),
    ...stampText(stamps),
    ...witnessText(policies.witnesses_required),
    ...(before === undefined ? [] : successionText(before)),
    ...(onchain === undefined ? [] : payerText(await payerAddress())),
    '',
    `Next: assay node --config ${config}`,
  ]) {
    terminal.out(line);
  }
  return EXIT.ok;
}

/** The log that the new one succeeds. Throws a `UsageError` if both would have one origin. */
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

/** The options for good that the command line leaves out. */
function omittedOf(given: Given<typeof OPTIONS>): Terms['omitted'] {
  const names = ['cosigners', 'witnesses', 'chain'] as const;
  return new Set(names.filter((name) => given[name] === undefined));
}

/** What the log promises about co-signers and witnesses. */
function policiesOf(given: Given<typeof OPTIONS>): Policies {
  const { cosigners = 0, witnesses = 0, witnessMaxAge } = given;
  if (witnesses === 0 && witnessMaxAge !== undefined) {
    throw new UsageError('--witness-max-age has no effect without --witnesses');
  }
  return {
    cosigners_required: cosigners,
    witnesses_required: witnesses,
    witness_max_age_s: witnesses === 0 ? 0 : (witnessMaxAge ?? WITNESS_MAX_AGE_S),
  };
}

function witnessText(required: number): readonly string[] {
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

function payerText(address: string): readonly string[] {
  return [
    '',
    `On chain ${address} pays: send it lamports, some 0.05 SOL for each index, and as much for each`,
    'page of 32 periods; and name an RPC in the config (solana_rpc).',
  ];
}

/** Which servers the node will ask for stamps. A development log is not stamped. */
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

function stampText({ calendars, bitcoin_explorers: explorers }: StampFields): readonly string[] {
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
