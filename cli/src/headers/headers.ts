import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import type { HeaderChain } from './header-checker.ts';
import { messageOf } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';
import {
  type HeadersWorth,
  isCheap,
  worthOf,
  worthText,
} from '@assay/verifier/bitcoin/header-lookup';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Environment, type Given, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { AFTER_TABLE, readHeadersFile, workAfterTable } from './headers-file.ts';
import type { SyncSource } from './headers-sync.ts';
import { serverUrl } from '../command/options.ts';
import { paint, slowProgress, type Terminal } from '../command/tty.ts';
import { count, duration, grouped, textRows } from '../text/text-rows.ts';

/** The time limit of one exchange with a node or an explorer, in milliseconds. */
const TIMEOUT_MS = 30_000;
/** The headers between two writes. A node gives hundreds at once; an explorer is asked twice for each. */
const NODE_BATCH = 500;
const EXPLORER_BATCH = 24;
/** A chain whose newest block is older than this is behind or truncated. */
const OLD_S = 86_400;

const DEVELOPMENT_OPTION = flag`
  Work with the headers of the development network.`;
const SYNC_OPTIONS = {
  output: option('FILE', { short: 'o', required: true })`
    The file to write or to carry on.`,
  rpc: option('URL', { many: true, parse: serverUrl })`
    A Bitcoin node, best your own.`,
  explorer: option('URL', { many: true, parse: serverUrl })`
    An explorer (Esplora, such as https://host/api). It is asked twice for each header, so take it
    for the last few thousand.`,
  fromTable: flag`
    Begin a new file at height ${AFTER_TABLE}, where the shipped difficulty table ends, and not at
    the first block. The file is much smaller, and blocks before it cannot be looked up.`,
  development: DEVELOPMENT_OPTION,
} as const;

const syncCommand = command({
  name: 'headers sync',
  summary: 'Fetch block headers into a file, or carry a file on.',
  about: `Writes the block headers of Bitcoin to a file, 80 bytes each, or carries a file on where it ends. It checks each header first: its link, its proof of work, its difficulty and its time. Of several sources it keeps the chain with the most work. The command may be ended at any moment and started again.`,
  operands: {},
  options: SYNC_OPTIONS,
  variables: {
    ASSAY_BITCOIN_RPC_AUTH:
      'The user:password for --rpc, which may be given only once then: the login goes to no other node.',
  },
  examples: {
    'assay headers sync -o headers.bin --rpc http://127.0.0.1:8332':
      'Fetch all headers from your own Bitcoin node.',
    'assay headers sync -o headers.bin --explorer https://blockstream.info/api --from-table':
      'Fetch the newest headers from an explorer.',
  },
  run: syncFile,
});

const checkCommand = command({
  name: 'headers check',
  summary: 'Check a file of block headers, and say where it ends.',
  about:
    'Checks a whole file of block headers: the link, the proof of work, the difficulty and the time of each. It says where the file ends.',
  operands: { file: { value: 'FILE', about: 'The file.' } },
  options: { development: DEVELOPMENT_OPTION },
  exits: { 0: 'Every header is good.', 1: 'A header is bad.' },
  examples: {
    'assay headers check headers.bin': 'Check a file that somebody gave you.',
  },
  run: ({ file, development }, terminal) => check(file, networkOf(development), terminal),
});

export const headersCommand: Group = group({
  name: 'headers',
  summary: 'Fetch and check the block headers of Bitcoin.',
  about:
    'Works on files of block headers of Bitcoin, which assay verify and assay ots verify prove times with.',
  commands: [syncCommand, checkCommand],
});

function networkOf(development: boolean): BitcoinNetwork {
  return development ? DEVELOPMENT : BITCOIN;
}

async function syncFile(
  { output, rpc, explorer, fromTable, development }: Given<typeof SYNC_OPTIONS>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  if (rpc.length + explorer.length === 0) {
    throw new UsageError('--rpc or --explorer must be given: somebody must have the headers');
  }
  const network = networkOf(development);
  if (fromTable && network === DEVELOPMENT) {
    throw new UsageError("--from-table is for Bitcoin's chain");
  }
  const sources = await openSources(rpc, explorer, environment);
  return sync({ output, network, fromTable, sources }, terminal);
}

async function openSources(
  rpc: readonly string[],
  explorer: readonly string[],
  environment: Environment,
): Promise<readonly SyncSource[]> {
  const login = environment['ASSAY_BITCOIN_RPC_AUTH'] || undefined;
  if (login !== undefined && rpc.length > 1) {
    // It is not known which of them it is for, and the owner of another one would receive it.
    throw new UsageError('with ASSAY_BITCOIN_RPC_AUTH set, --rpc is given once');
  }
  const authorization =
    login === undefined ? undefined : `Basic ${Buffer.from(login, 'utf8').toString('base64')}`;
  const sources: SyncSource[] = [];
  if (rpc.length > 0) {
    const { coreRpc } = await import('@assay/node/bitcoin/core-rpc');
    for (const url of rpc) {
      const name = new URL(url).host;
      const source = coreRpc({ name, url, authorization, timeoutMs: TIMEOUT_MS });
      sources.push({ source, batch: NODE_BATCH });
    }
  }
  if (explorer.length > 0) {
    const { esplora } = await import('@assay/node/bitcoin/esplora');
    for (const url of explorer) {
      const source = esplora({ name: new URL(url).host, url, timeoutMs: TIMEOUT_MS });
      sources.push({ source, batch: EXPLORER_BATCH });
    }
  }
  return sources;
}

interface SyncOptions {
  readonly output: string;
  readonly network: BitcoinNetwork;
  readonly fromTable: boolean;
  readonly sources: readonly SyncSource[];
}

async function sync(options: SyncOptions, terminal: Terminal): Promise<ExitCode> {
  const { output, network, fromTable, sources } = options;
  const { HeadersSync } = await import('./headers-sync.ts');
  const progress = slowProgress(terminal, () => performance.now());
  const note = (line: string): void => {
    progress.end();
    terminal.error(`assay headers sync: ${printable(line)}`);
  };
  const events = { progress: progress.tell, note, now: clock };
  const file = await HeadersSync.open(output, network, fromTable, events).finally(progress.end);
  const before = file.height;
  let answered = 0;
  let ended: HeaderChain;
  try {
    for (const each of sources) {
      try {
        await file.follow(each);
        answered += 1;
      } catch (error) {
        note(messageOf(error));
      }
    }
    progress.end();
    if (answered === 0 || file.count === 0) {
      const kept = file.height > before ? `; up to height ${file.height} is kept` : '';
      terminal.error(`assay headers sync: no source could be read to its end${kept}`);
      await file.close();
      return EXIT.incomplete;
    }
    ended = await file.end();
  } catch (error) {
    progress.end();
    await file.close();
    throw error;
  }
  const grown = ended.tip.height - before;
  const more = grown > 0 ? `, ${grouped(grown)} of them new` : ', none of them new';
  terminal.out(`${printable(output)}: ${count(ended.count, 'header')}${more}`);
  for (const line of chainRows(ended, terminal)) terminal.out(line);
  return EXIT.ok;
}

async function check(path: string, network: BitcoinNetwork, terminal: Terminal): Promise<ExitCode> {
  const progress = slowProgress(terminal, () => performance.now());
  const started = performance.now();
  let chain: HeaderChain;
  try {
    chain = await readHeadersFile(path, network, { now: clock(), progress: progress.tell });
  } catch (error) {
    progress.end();
    const code = (error as { readonly code?: unknown }).code;
    if (code !== 'bad_header' && code !== 'malformed') throw error;
    terminal.out(`${paint(terminal, 'red', 'BAD')} ${printable(path)}`);
    for (const line of textRows('why', messageOf(error), terminal)) terminal.out(line);
    return EXIT.findings;
  }
  progress.end();
  const seconds = (performance.now() - started) / 1000;
  const speed = Math.round(chain.count / Math.max(seconds, 0.001));
  terminal.out(
    `${paint(terminal, 'green', 'GOOD')} ${printable(path)}: ${count(chain.count, 'header')}`,
  );
  for (const line of chainRows(chain, terminal)) terminal.out(line);
  const took = `link, work, difficulty and time of each, in ${seconds.toFixed(1)} s`;
  for (const line of textRows('checked', `${took}: ${grouped(speed)} a second`, terminal)) {
    terminal.out(line);
  }
  return EXIT.ok;
}

function chainRows(chain: HeaderChain, terminal: Terminal): readonly string[] {
  const { network, first, tip, work } = chain;
  const age = clock() - tip.time;
  const after = workAfterTable(chain);
  const old = age > OLD_S;
  const start = first === 0 ? 'the first block' : 'where the shipped difficulty table ends';
  const short = network.name === 'bitcoin' && tip.height < LAST_EPOCH.height;
  return [
    ...(network.name === 'development'
      ? textRows(
          'network',
          'development: these headers prove nothing elsewhere',
          terminal,
          'yellow',
        )
      : []),
    ...textRows('from', `height ${first}, ${start}`, terminal),
    ...textRows('to', `height ${tip.height}`, terminal),
    ...textRows('id', tip.id, terminal),
    ...textRows(
      'mined',
      `${formatTime(tip.time)}, ${age < 0 ? 'in the future' : `${duration(age)} ago`}`,
      terminal,
      old ? 'yellow' : undefined,
    ),
    ...textRows('work', `about 2^${log2(work).toFixed(1)} hashes`, terminal),
    ...(after === null || after.count === 0 ? [] : worthRows(worthOf(after), terminal)),
    ...(short
      ? textRows(
          'caution',
          `it ends before height ${LAST_EPOCH.height}: assay ots verify and assay verify want more`,
          terminal,
          'yellow',
        )
      : []),
  ];
}

function worthRows(worth: HeadersWorth, terminal: Terminal): readonly string[] {
  const cheap = isCheap(worth);
  const why = ': less than half, so that they vouch for no block after the table';
  const words = `after the shipped table, ${worthText(worth)} of its end${cheap ? why : ''}`;
  return textRows('worth', words, terminal, cheap ? 'yellow' : undefined);
}

/** Unix seconds. */
function clock(): number {
  return Math.floor(Date.now() / 1000);
}

/** The base-2 logarithm of a number above 0. */
function log2(value: bigint): number {
  const bits = value.toString(2).length;
  const shift = Math.max(0, bits - 53);
  return Math.log2(Number(value >> BigInt(shift))) + shift;
}
