import { hashOption, keyOption, rpcOption, ticker } from './options.ts';
import type { Demands } from './read.ts';
import { command, type Given, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { UsageError } from '../command/exit.ts';
import { date, positive } from '../command/options.ts';

const RPC = option('URL')`
  A Solana node. The default is the one in ASSAY_SOLANA_RPC.`;
const RPC_VARIABLE = {
  ASSAY_SOLANA_RPC: 'A Solana node, where --rpc is not given. An address with a key belongs here.',
};
const SENDING = {
  ...RPC_VARIABLE,
  ASSAY_PASSPHRASE: 'Unlocks key files that Assay has made.',
};

const URL_OPTION = option('LOG')`
  The address of a log, whose first entry names the chain, the program and the publisher.`;
const PROGRAM = option('ADDRESS')`
  The address of the program.`;
const DATA = option('FOLDER')`
  The data folder of a log whose node is stopped.`;
const INDEX = option('TICKER', { required: true, parse: ticker })`
  The ticker of the index, such as LAYOFFS.`;
const PERIOD = option('DATE', { required: true, parse: date })`
  The period.`;
const PAYER = option('FILE')`
  Who pays: a key file of Assay or of Solana's command line.`;
const FOLDER_PAYER = option('FILE')`
  ${PAYER.about} The default is keys/payer.json of the data folder.`;
const YES = flag`
  Send it. Without this option the command says what it would do, and sends nothing.`;
const ELF = option('FILE')`
  The executable. The default is the one of this package.`;
const JSON_OPTION = flag`
  Print what was found as JSON.`;

const TARGET_OPTIONS = {
  rpc: RPC,
  url: option('LOG')`
    ${URL_OPTION.about} It may be left out where --program and --publisher are given.`,
  program: option('ADDRESS')`
    The address of the program, as you know it.`,
  publisher: option('KEY')`
    The first report key of the log, as you know it, in hex or base58.`,
  index: INDEX,
  period: PERIOD,
} as const;

const DEMANDS = {
  rule: option('HASH', { section: 'Demands of a final report' })`
    The rule that it must be under. The four demands are given together, with --program and
    --publisher. docs/venues.md explains them.`,
  cosigner: option('KEY', { many: true, section: 'Demands of a final report' })`
    A co-signer that you trust.`,
  required: option('N', { parse: positive, section: 'Demands of a final report' })`
    How many of those must have signed.`,
  maxAge: option('S', { parse: positive, section: 'Demands of a final report' })`
    How many seconds ago it may have been published at most.`,
} as const;

const BY_WORD =
  'Accounts are read at the commitment finalized. The command trusts the node about their contents.';

const statusCommand = command({
  name: 'chain status',
  summary: 'Show the feed of each index, and what it lacks of the log.',
  about: `Shows the feed of each index of a log: its keys, rules and sets of co-signers, and the periods that the log has but the feed lacks. ${BY_WORD}`,
  operands: {},
  options: {
    rpc: RPC,
    url: URL_OPTION,
    data: DATA,
    payer: option('KEY')`
      An address, or a key file, whose balance is shown.`,
    json: JSON_OPTION,
  },
  oneOf: [['url', 'data']],
  variables: SENDING,
  examples: {
    'assay chain status --url https://index.example.org': 'Look at the feeds of a log.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { chainStatus } = await import('./status.ts');
    return chainStatus({ ...given, rpc }, terminal, environment);
  },
});

const readCommand = command({
  name: 'chain read',
  summary: 'Read one period from the chain, and check demands of its final report.',
  about: `Reads what is on chain about one period. With demands, it checks whether the final report of that period meets them. ${BY_WORD}`,
  operands: {},
  options: {
    ...TARGET_OPTIONS,
    save: option('FILE')`
      Keep the accounts as they were read, for assay verify --chain-accounts.`,
    json: JSON_OPTION,
    ...DEMANDS,
  },
  variables: RPC_VARIABLE,
  exits: { 0: 'It was read, and every demand is met.', 1: 'A demand is not met.' },
  examples: {
    'assay chain read --url https://index.example.org --index LAYOFFS --period 2026-07-25':
      'Read the number of one period.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const demands = await demandsOf(given);
    const { readChain } = await import('./read.ts');
    return readChain({ ...given, ticker: given.index, rpc, demands }, terminal);
  },
});

const verifyProgramCommand = command({
  name: 'chain verify-program',
  summary: 'Compare the program on chain with the one of this package.',
  about: `Checks whether the program on chain is the one of this package to the byte, and shows who can replace it. ${BY_WORD}`,
  operands: {},
  options: { rpc: RPC, url: URL_OPTION, program: PROGRAM, elf: ELF, json: JSON_OPTION },
  oneOf: [['url', 'program']],
  variables: RPC_VARIABLE,
  exits: { 0: 'The programs are the same.', 1: 'The programs differ.' },
  examples: {
    'assay chain verify-program --url https://index.example.org':
      'Check the program that a log names.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { verifyChainProgram } = await import('./verify-program.ts');
    return verifyChainProgram({ ...given, rpc }, terminal);
  },
});

const deployCommand = command({
  name: 'chain deploy',
  summary: 'Put the program on a chain.',
  about: 'Puts the program on a chain. If a run was interrupted, a second run continues it.',
  operands: {},
  options: {
    rpc: RPC,
    payer: { ...PAYER, required: true },
    programKey: option('FILE', { required: true })`
      The key whose address the program gets. It is needed only for the deployment.`,
    authority: option('KEY')`
      Who can replace the program later. The default is the payer.`,
    final: flag`
      Nobody can ever replace the program. This cannot be undone. It also applies to a program that
      is there already.`,
    yes: YES,
    elf: ELF,
  },
  atMostOne: [['authority', 'final']],
  variables: SENDING,
  examples: {
    'assay chain deploy --payer payer.json --program-key program.json':
      'See what the deployment would cost.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { deployChainProgram } = await import('./deploy.ts');
    return deployChainProgram({ ...given, rpc }, terminal, environment);
  },
});

const initFeedCommand = command({
  name: 'chain init-feed',
  summary: 'Make the feed of an index.',
  about: 'Makes the feed of an index from what its log contains. A feed cannot be removed.',
  operands: {},
  options: {
    rpc: RPC,
    config: option('FILE')`
      The configuration of the node, which names the data folder.`,
    data: DATA,
    index: INDEX,
    payer: FOLDER_PAYER,
    yes: YES,
  },
  oneOf: [['config', 'data']],
  variables: SENDING,
  examples: {
    'assay chain init-feed --data data --index LAYOFFS': 'See what the feed would be and cost.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { initChainFeed } = await import('./init-feed.ts');
    return initChainFeed({ ...given, ticker: given.index, rpc }, terminal, environment);
  },
});

const openPageCommand = command({
  name: 'chain open-page',
  summary: 'Make room for 32 periods of a feed.',
  about: 'Makes room for 32 periods of a feed. Anybody may do that.',
  operands: {},
  options: { ...TARGET_OPTIONS, payer: { ...PAYER, required: true }, yes: YES },
  variables: SENDING,
  examples: {
    'assay chain open-page --url https://index.example.org --index LAYOFFS --period 2026-07-25 --payer payer.json':
      'See what the page would cost.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { openChainPage } = await import('./open-page.ts');
    return openChainPage({ ...given, ticker: given.index, rpc }, terminal, environment);
  },
});

const rotateCommand = command({
  name: 'chain rotate',
  summary: 'Hand the feeds of a log to its next report key.',
  about:
    'Hands the feeds of a log to its next report key, which comes into force a week later. docs/keys.md describes the ceremony.',
  operands: {},
  options: {
    rpc: RPC,
    data: { ...DATA, required: true },
    next: option('FILE')`
      The promised key, where it is kept elsewhere.`,
    payer: FOLDER_PAYER,
    yes: YES,
  },
  variables: SENDING,
  examples: {
    'assay chain rotate --data data --yes': 'Begin the week.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { rotateFeeds } = await import('./rotate.ts');
    return rotateFeeds({ ...given, rpc }, terminal, environment);
  },
});

const cancelCommand = command({
  name: 'chain cancel',
  summary: 'Cancel what is waiting in a feed, with the recovery key.',
  about: 'Cancels what is waiting in a feed, with the recovery key.',
  operands: {},
  options: {
    rpc: RPC,
    data: { ...DATA, required: true },
    index: INDEX,
    recovery: option('FILE', { required: true })`
      The recovery key.`,
    what: option('LIST', { parse: whatOf, fallback: ['rotation'] })`
      What to cancel: rotation, rule, set, or several of them separated by commas.`,
    payer: FOLDER_PAYER,
    yes: YES,
  },
  variables: SENDING,
  examples: {
    'assay chain cancel --data data --index LAYOFFS --recovery recovery.json --yes':
      'Stop a rotation that a thief has begun.',
  },
  run: async (given, terminal, environment) => {
    const rpc = rpcOption(given.rpc, environment);
    const { cancelFeed } = await import('./rotate.ts');
    return cancelFeed({ ...given, ticker: given.index, rpc }, terminal, environment);
  },
});

export const chainCommand: Group = group({
  name: 'chain',
  summary: 'Read and maintain feeds on Solana, and deploy the program.',
  about: `Works on feeds on Solana: accounts that hold the prints of an index. The commands that send something say what they would do and what it costs, and send it only with --yes. docs/chain.md explains feeds.`,
  commands: [
    statusCommand,
    readCommand,
    verifyProgramCommand,
    deployCommand,
    initFeedCommand,
    openPageCommand,
    rotateCommand,
    cancelCommand,
  ],
});

/** What the recovery key is to cancel. Throws `UsageError`. */
function whatOf(text: string, name: string): readonly ('rotation' | 'rule' | 'set')[] {
  const named = text.split(',');
  const known = (['rotation', 'rule', 'set'] as const).filter((each) => named.includes(each));
  if (known.length === named.length) return known;
  throw new UsageError(`${name} is rotation, rule, set, or several of them separated by commas`);
}

/** All four demands or none, because a venue does not settle on a final that was checked against only three. */
async function demandsOf({
  rule,
  cosigner,
  required,
  maxAge,
}: Given<typeof DEMANDS>): Promise<Demands | undefined> {
  const isNone = [rule, required, maxAge].every((each) => each === undefined);
  if (isNone && cosigner.length === 0) return undefined;
  if (
    rule === undefined ||
    cosigner.length === 0 ||
    required === undefined ||
    maxAge === undefined
  ) {
    throw new UsageError('demands are --rule, --cosigner, --required and --max-age together');
  }
  if (required > cosigner.length) {
    throw new UsageError('--required is more than there are of --cosigner');
  }
  const keys = await Promise.all(cosigner.map((each) => keyOption(each, '--cosigner')));
  if (new Set(keys).size !== keys.length) throw new UsageError('a --cosigner is named twice');
  return { rule: hashOption(rule, '--rule'), cosigners: keys, required, maxAge };
}
