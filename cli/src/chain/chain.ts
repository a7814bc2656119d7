import { parseArgs } from 'node:util';
import { hashOption, keyOption, needed, periodOption, rpcOption, tickerOption } from './options.ts';
import type { Demands } from './read.ts';
import { type ExitCode, UsageError } from '../command/exit.ts';
import { positiveOption } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';

export const chainHelp = `assay chain status         --url LOG | --data FOLDER  [--payer KEY] [--json]
assay chain read           --url LOG  --index T --period DATE  [demands] [--save FILE] [--json]
assay chain verify-program --program P | --url LOG  [--elf FILE] [--json]
assay chain deploy         --payer FILE --program-key FILE  [--authority KEY | --final] [--yes]
assay chain init-feed      --config FILE | --data FOLDER  --index T  [--payer FILE] [--yes]
assay chain open-page      --url LOG  --index T --period DATE --payer FILE  [--yes]
assay chain rotate         --data FOLDER  [--next FILE] [--payer FILE] [--yes]
assay chain cancel         --data FOLDER  --index T --recovery FILE  [--what LIST] [--payer FILE]
                           [--yes]

status          each index's feed: keys, rules, co-signer sets, and what the log has and it has not
read            what stands on chain of one period; with demands, whether its final meets them
verify-program  whether the program on chain is this package's to the byte, and who can replace it
deploy          puts the program on a chain; once more, it goes on where it was cut off
init-feed       makes the feed of an index by its log
open-page       makes room for 32 periods; anybody may
rotate          hands the log's feeds on to its next report key, a week later (docs/keys.md)
cancel          takes back what waits under a feed, with the recovery key

deploy, init-feed, open-page, rotate and cancel say what they would do and its cost; they send with
--yes alone.

  --rpc URL        a Solana node; or in ASSAY_SOLANA_RPC, where an address with a key belongs
  --url LOG        a log: its first entry names chain, program and publisher. Without a log, or to
                   hold it to what you know, as demands do:
  --program P      the program's address, and with read and open-page
  --publisher KEY  the log's first report key, in hex or base58
  --index T        an index by its ticker
  --period DATE    YYYY-MM-DD, as the period is named
  --payer FILE     who pays: a key file of assay or of Solana's command line; status: or an address
  --program-key F  the key whose address the program gets; needed for the deployment alone
  --authority KEY  who can replace the program later; the payer, where nothing is said
  --final          nobody can; also for a program that is there already. For good
  --next FILE      the promised key, where it is kept elsewhere
  --recovery FILE  the recovery key
  --what LIST      rotation, rule, set, or some with commas between; rotation without
  --yes            send it
  --elf FILE       another executable than this package's
  --save FILE      keeps the accounts as they were read, for assay verify --chain-accounts

Demands of a final, all four, with --program and --publisher: exit code 1 where one is not met
(docs/venues.md).
  --rule HASH      the rule that it must stand under
  --cosigner KEY   a co-signer that you trust; repeat it for each
  --required N     how many of those must have signed
  --max-age S      seconds since it was published, at most

Accounts are read at commitment finalized, and are the word of the node that answers.
ASSAY_PASSPHRASE unlocks key files of assay.

Exit code: 0 done, 1 a demand not met or a program that differs, 2 usage, 3 could not be completed.`;

const OPTIONS = {
  rpc: { type: 'string' },
  url: { type: 'string' },
  data: { type: 'string' },
  config: { type: 'string' },
  program: { type: 'string' },
  publisher: { type: 'string' },
  index: { type: 'string' },
  period: { type: 'string' },
  payer: { type: 'string' },
  'program-key': { type: 'string' },
  authority: { type: 'string' },
  final: { type: 'boolean' },
  yes: { type: 'boolean' },
  elf: { type: 'string' },
  rule: { type: 'string' },
  cosigner: { type: 'string', multiple: true },
  required: { type: 'string' },
  'max-age': { type: 'string' },
  save: { type: 'string' },
  next: { type: 'string' },
  recovery: { type: 'string' },
  what: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Option = keyof typeof OPTIONS;
type Values = ReturnType<typeof parsed>['values'];
type Environment = Readonly<Record<string, string | undefined>>;

const TARGET: readonly Option[] = ['rpc', 'url', 'program', 'publisher'];
const DEMANDS: readonly Option[] = ['rule', 'cosigner', 'required', 'max-age'];

/** What each action takes: another option is a mistake that must not pass unseen. */
const TAKES: Readonly<Record<string, readonly Option[]>> = {
  status: ['rpc', 'url', 'data', 'payer', 'json'],
  read: [...TARGET, 'index', 'period', 'save', 'json', ...DEMANDS],
  'verify-program': ['rpc', 'url', 'program', 'elf', 'json'],
  deploy: ['rpc', 'payer', 'program-key', 'authority', 'final', 'yes', 'elf'],
  'init-feed': ['rpc', 'config', 'data', 'index', 'payer', 'yes'],
  'open-page': [...TARGET, 'index', 'period', 'payer', 'yes'],
  rotate: ['rpc', 'data', 'next', 'payer', 'yes'],
  cancel: ['rpc', 'data', 'index', 'recovery', 'what', 'payer', 'yes'],
};

export async function chainCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { values, positionals } = parsed(args);
  const [action = '', ...rest] = positionals;
  const takes = Object.hasOwn(TAKES, action) ? TAKES[action] : undefined;
  if (takes === undefined || rest.length > 0) {
    throw new UsageError(`chain takes one of ${Object.keys(TAKES).join(', ')}`);
  }
  const strange = (Object.keys(values) as Option[]).find((each) => !takes.includes(each));
  if (strange !== undefined) throw new UsageError(`chain ${action} takes no --${strange}`);
  const rpc = rpcOption(values.rpc, environment);
  const { url, program, publisher } = values;
  const json = values.json === true;
  const yes = values.yes === true;
  switch (action) {
    case 'status': {
      const { chainStatus } = await import('./status.ts');
      const { data, payer } = values;
      return chainStatus({ rpc, url, data, payer, json }, terminal, environment);
    }
    case 'read': {
      const { readChain } = await import('./read.ts');
      const [ticker, period] = [tickerOption(values.index), periodOption(values.period)];
      const demands = await demandsOf(values);
      const { save } = values;
      const target = { rpc, url, program, publisher };
      return readChain({ ...target, ticker, period, demands, save, json }, terminal);
    }
    case 'verify-program': {
      const { verifyChainProgram } = await import('./verify-program.ts');
      return verifyChainProgram({ rpc, url, program, elf: values.elf, json }, terminal);
    }
    case 'deploy': {
      const { deployChainProgram } = await import('./deploy.ts');
      const options = {
        rpc,
        payer: needed(values.payer, '--payer'),
        programKey: needed(values['program-key'], '--program-key'),
        authority: values.authority,
        final: values.final === true,
        yes,
        elf: values.elf,
      };
      return deployChainProgram(options, terminal, environment);
    }
    case 'init-feed': {
      const { initChainFeed } = await import('./init-feed.ts');
      const { config, data, payer } = values;
      const ticker = tickerOption(values.index);
      return initChainFeed({ rpc, config, data, ticker, payer, yes }, terminal, environment);
    }
    case 'rotate': {
      const { rotateFeeds } = await import('./rotate.ts');
      const data = needed(values.data, '--data');
      const { next, payer } = values;
      return rotateFeeds({ rpc, data, next, payer, yes }, terminal, environment);
    }
    case 'cancel': {
      const { cancelFeed } = await import('./rotate.ts');
      const data = needed(values.data, '--data');
      const recovery = needed(values.recovery, '--recovery');
      const ticker = tickerOption(values.index);
      const what = whatOf(values.what ?? 'rotation');
      const { payer } = values;
      const options = { rpc, data, ticker, recovery, payer, what, yes };
      return cancelFeed(options, terminal, environment);
    }
    default: {
      const { openChainPage } = await import('./open-page.ts');
      const [ticker, period] = [tickerOption(values.index), periodOption(values.period)];
      const payer = needed(values.payer, '--payer');
      const target = { rpc, url, program, publisher };
      return openChainPage({ ...target, ticker, period, payer, yes }, terminal, environment);
    }
  }
}

/** What the recovery key is to take back. Throws `UsageError`. */
function whatOf(text: string): readonly ('rotation' | 'rule' | 'set')[] {
  const named = text.split(',');
  const known = (['rotation', 'rule', 'set'] as const).filter((each) => named.includes(each));
  if (known.length === named.length) return known;
  throw new UsageError('--what is rotation, rule, set, or some with commas between');
}

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
}

/** All four demands, or none: a final that is held against three of them is not what a venue settles on. */
async function demandsOf(values: Values): Promise<Demands | undefined> {
  const { rule, cosigner = [], required } = values;
  const age = values['max-age'];
  if (DEMANDS.every((each) => values[each] === undefined)) return undefined;
  if (rule === undefined || cosigner.length === 0 || required === undefined || age === undefined) {
    throw new UsageError('demands are --rule, --cosigner, --required and --max-age together');
  }
  const count = positiveOption(required, '--required') ?? 1;
  if (count > cosigner.length) {
    throw new UsageError('--required is more than there are of --cosigner');
  }
  const keys = await Promise.all(cosigner.map((each) => keyOption(each, '--cosigner')));
  if (new Set(keys).size !== keys.length) throw new UsageError('a --cosigner is named twice');
  return {
    rule: hashOption(rule, '--rule'),
    cosigners: keys,
    required: count,
    maxAge: positiveOption(age, '--max-age') ?? 1,
  };
}
