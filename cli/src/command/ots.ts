import { realpath, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { faultCode, messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import { formatProof } from '@assay/core/ots/proof';
import { excerpt, printable } from '@assay/verifier/printable';
import type { HeaderLookup } from '@assay/verifier/header-lookup';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { fileDigest } from '../file-digest.ts';
import { positiveOption, urlOption } from '../options.ts';
import { checkOts, countsFor, type FileCheck } from '../ots-check.ts';
import { otsCheckText } from '../ots-check-text.ts';
import { type OtsFile, readOts } from '../ots-file.ts';
import { otsTree } from '../ots-tree.ts';
import type { Asked } from '../ots-upgrade.ts';
import { paint, slowProgress, type Terminal } from '../terminal.ts';
import { count, textRows } from '../text-rows.ts';

/** Seconds that a calendar may take to answer. */
const TIMEOUT_S = 10;

export const otsHelp: string = `assay ots info FILE.ots
assay ots verify FILE.ots [--file FILE | --digest HEX] [--headers FILE]
                  [--bitcoin-rpc URL] [--explorer URL]
assay ots upgrade FILE.ots [FILE.ots...]

info     says what is stamped, by which steps it leads to blocks, and what calendars promise.
verify   hashes the file, and compares each block of the stamp with Bitcoin headers that you bring:
         without any, nothing is proven. It asks no calendar.
upgrade  asks the calendars of promises what has become of them, and adds that to the file.

  --full             info: every argument whole
  --file FILE        verify: what was stamped (default: FILE.ots without .ots)
  --digest HEX       verify: its digest instead, as of a record of a log
  --headers FILE     verify: raw headers, as assay headers sync writes them; all are checked
  --bitcoin-rpc URL  verify: your own Bitcoin node; user:password in ASSAY_BITCOIN_RPC_AUTH
  --explorer URL     verify: an explorer's word (Esplora, such as https://host/api)
  --development      verify: the development network counts, which proves nothing elsewhere
  --json             verify: as JSON
  --attestor URI     upgrade: ask this calendar too; the public ones are always asked
  --timeout S        upgrade: seconds that each may take (default ${TIMEOUT_S})

Exit code: 0 proven (upgrade: it holds a block), 1 wrong, 2 usage, 3 not proven or not completed.`;

const OPTIONS = {
  full: { type: 'boolean' },
  file: { type: 'string' },
  digest: { type: 'string' },
  headers: { type: 'string' },
  'bitcoin-rpc': { type: 'string' },
  explorer: { type: 'string' },
  development: { type: 'boolean' },
  json: { type: 'boolean' },
  attestor: { type: 'string', multiple: true },
  timeout: { type: 'string' },
} as const;

const TAKES: Readonly<Record<string, readonly (keyof typeof OPTIONS)[]>> = {
  info: ['full'],
  verify: ['file', 'digest', 'headers', 'bitcoin-rpc', 'explorer', 'development', 'json'],
  upgrade: ['attestor', 'timeout'],
};

type Environment = Readonly<Record<string, string | undefined>>;

export async function otsCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  const [action = '', path, ...others] = positionals;
  const takes = Object.hasOwn(TAKES, action) ? TAKES[action] : undefined;
  if (takes === undefined) throw new UsageError('ots takes info, verify or upgrade, and a file');
  if (path === undefined || (others.length > 0 && action !== 'upgrade')) {
    throw new UsageError(`ots ${action} takes one file`);
  }
  const wrong = Object.keys(values).find((name) => !takes.some((each) => each === name));
  if (wrong !== undefined) throw new UsageError(`ots ${action} takes no --${wrong}`);
  if (action === 'info') return info(path, values.full === true, terminal);
  if (action === 'upgrade') {
    return upgrade([path, ...others], values.attestor ?? [], values.timeout, terminal);
  }
  return verify(
    {
      path,
      file: values.file,
      digest: values.digest,
      headers: values.headers,
      rpc: values['bitcoin-rpc'],
      explorer: values.explorer,
      network: values.development === true ? DEVELOPMENT : BITCOIN,
      json: values.json === true,
    },
    terminal,
    environment,
  );
}

async function info(path: string, full: boolean, terminal: Terminal): Promise<ExitCode> {
  const { bytes, proof, attested } = await readOts(path);
  const lines = [
    paint(terminal, 'bold', `${printable(path)}, ${count(bytes, 'byte')}`),
    ...textRows('stamped', `${proof.hash} ${formatHex(proof.digest)}`, terminal),
    ...textRows('holds', summary(attested.map(({ attestation }) => attestation.kind)), terminal),
    '',
    ...otsTree(proof.timestamp, attested, full).map((line) => `  ${line}`),
  ];
  for (const line of lines) terminal.out(line);
  return EXIT.ok;
}

/** How many attestations of each kind. */
function summary(kinds: readonly string[]): string {
  const words: readonly (readonly [string, string, string])[] = [
    ['bitcoin', 'Bitcoin block', 'Bitcoin blocks'],
    ['pending', "calendar's promise", "calendars' promises"],
    ['litecoin', 'Litecoin block', 'Litecoin blocks'],
    ['ethereum', 'Ethereum block', 'Ethereum blocks'],
    ['unknown', 'attestation of unknown kind', 'attestations of unknown kind'],
  ];
  return words
    .flatMap(([kind, one, many]) => {
      const n = kinds.filter((each) => each === kind).length;
      return n === 0 ? [] : [count(n, one, many)];
    })
    .join(', ');
}

interface VerifyOptions {
  readonly path: string;
  readonly file: string | undefined;
  readonly digest: string | undefined;
  readonly headers: string | undefined;
  readonly rpc: string | undefined;
  readonly explorer: string | undefined;
  readonly network: BitcoinNetwork;
  readonly json: boolean;
}

async function verify(
  options: VerifyOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { path, network } = options;
  if (options.digest !== undefined) {
    if (options.file !== undefined) throw new UsageError('--digest stands instead of --file');
    if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(options.digest)) {
      throw new UsageError('--digest is 40 or 64 lower-case hex digits');
    }
  }
  const file = options.file ?? (path.endsWith('.ots') ? path.slice(0, -4) : '');
  if (file === '' && options.digest === undefined) {
    throw new UsageError(`${path} does not end in .ots: --file says what was stamped`);
  }
  if (options.rpc !== undefined) urlOption(options.rpc, '--bitcoin-rpc');
  if (options.explorer !== undefined) urlOption(options.explorer, '--explorer');
  const ots = await readOts(path).catch((error: unknown) => {
    if (faultCode(error) !== 'bad_proof') throw error;
    return messageOf(error);
  });
  if (typeof ots === 'string') return noStamp(ots, options, terminal);
  const progress = slowProgress(terminal, () => performance.now());
  let checked: FileCheck;
  let opened: Opened;
  try {
    checked =
      options.digest === undefined
        ? await fileCheck(file, ots, progress.tell)
        : digestCheck(options.digest, ots);
    opened = await openLookups(options, environment, progress.tell);
  } finally {
    progress.end();
  }
  const { lookups, refused } = opened;
  const check = await checkOts(checked, ots, { network, lookups });
  if (options.json) {
    terminal.out(JSON.stringify({ ...check, headers_refused: refused }, null, 2));
  } else {
    const context = { ots: path, lookups, refused, now: Math.floor(Date.now() / 1000) };
    for (const line of otsCheckText(check, terminal, context)) terminal.out(line);
  }
  switch (check.outcome) {
    case 'proven':
      return EXIT.ok;
    case 'wrong':
      return EXIT.findings;
    case 'pending':
    case 'incomplete':
      return EXIT.incomplete;
  }
}

/** A file that breaks the format proves nothing, whatever it once was. */
function noStamp(reason: string, options: VerifyOptions, terminal: Terminal): ExitCode {
  if (options.json) {
    const { name: network } = options.network;
    terminal.out(JSON.stringify({ outcome: 'wrong', network, reason }, null, 2));
  } else {
    terminal.out(paint(terminal, 'red', `WRONG: ${printable(options.path)} is no stamp`));
    for (const line of textRows('why', reason, terminal)) terminal.out(line);
  }
  return EXIT.findings;
}

async function fileCheck(
  path: string,
  { proof }: OtsFile,
  tell: (done: number, total: number, what: string) => void,
): Promise<FileCheck> {
  const digest = await fileDigest(path, proof.hash, (done, total) => {
    tell(done, total, `${excerpt(path, 40)}: bytes`);
  });
  return {
    path,
    hash: proof.hash,
    stamped: formatHex(proof.digest),
    found: digest === undefined ? null : formatHex(digest),
  };
}

function digestCheck(digest: string, { proof }: OtsFile): FileCheck {
  return { path: null, hash: proof.hash, stamped: formatHex(proof.digest), found: digest };
}

interface Opened {
  /** The most trusted first. */
  readonly lookups: readonly HeaderLookup[];
  /** Why others do not count, in words. */
  readonly refused: readonly string[];
}

async function openLookups(
  { headers, rpc, explorer, network }: VerifyOptions,
  environment: Environment,
  tell: (done: number, total: number, what: string) => void,
): Promise<Opened> {
  const { explorerLookup, fileLookup, nodeLookup } = await import('../headers-lookup.ts');
  const login = environment['ASSAY_BITCOIN_RPC_AUTH'] || undefined;
  const given: (readonly [string, () => Promise<HeaderLookup>])[] = [];
  if (headers !== undefined) given.push(['--headers', () => fileLookup(headers, tell)]);
  if (rpc !== undefined) given.push(['--bitcoin-rpc', () => nodeLookup(rpc, login)]);
  if (explorer !== undefined) given.push(['--explorer', () => explorerLookup(explorer)]);
  const lookups: HeaderLookup[] = [];
  const refused: string[] = [];
  for (const [option, open] of given) {
    try {
      const lookup = await open();
      const reason = countsFor(network, lookup);
      if (reason === undefined) lookups.push(lookup);
      else refused.push(`${option}: ${reason}`);
    } catch (error) {
      refused.push(`${option}: ${messageOf(error)}`);
    }
  }
  return { lookups, refused };
}

async function upgrade(
  paths: readonly string[],
  attestors: readonly string[],
  timeout: string | undefined,
  terminal: Terminal,
): Promise<ExitCode> {
  const timeoutS = Math.min(positiveOption(timeout, '--timeout') ?? TIMEOUT_S, 3600);
  const [{ CalendarClient }, { calendarFetch }, { PUBLIC_ATTESTORS }, { nodeSha256 }] =
    await Promise.all([
      import('@assay/node/bitcoin/calendar-client'),
      import('@assay/node/bitcoin/calendar-fetch'),
      import('@assay/node/anchor/public-network'),
      import('@assay/node/node-sha256'),
    ]);
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool: [],
    attestors: [...PUBLIC_ATTESTORS, ...attestors],
    timeoutMs: 1000 * timeoutS,
    sha256: nodeSha256,
  });
  const { upgradeOts } = await import('../ots-upgrade.ts');
  const { writeDurable } = await import('@assay/node/durable-file');
  let complete = true;
  for (const path of paths) {
    const ots = await readOts(path);
    const { proof, asked, changed } = await upgradeOts(ots, client);
    if (changed) {
      // The file that a link leads to, with the permissions that it has.
      const target = await realpath(path);
      const { mode } = await stat(target);
      await writeDurable(target, formatProof(proof), { mode: mode & 0o777 });
    }
    const { attested } = changed ? await readOts(path) : ots;
    const heights = attested.flatMap(({ attestation }) =>
      attestation.kind === 'bitcoin' ? [attestation.height] : [],
    );
    complete &&= heights.length > 0;
    const head =
      heights.length > 0
        ? paint(terminal, 'green', changed ? 'UPGRADED' : 'HAS A BLOCK')
        : paint(terminal, 'yellow', 'NO BLOCK YET');
    terminal.out(`${head} ${printable(path)}`);
    const blocks = [...new Set(heights)].sort((a, b) => a - b).join(', ');
    const rows = [
      ...(heights.length > 0 ? textRows('blocks', blocks, terminal) : []),
      ...asked.flatMap(({ uri, kind, reason }) => {
        if (kind === 'attested') return textRows('answered', `${uri}: in a block`, terminal);
        return textRows(kind, `${uri}: ${reason}`, terminal, 'yellow');
      }),
      ...(heights.length > 0
        ? textRows('next', `assay ots verify ${path}: no block has been looked at yet`, terminal)
        : textRows('next', nextWords(asked), terminal)),
    ];
    for (const line of rows) terminal.out(line);
  }
  return complete ? EXIT.ok : EXIT.incomplete;
}

function nextWords(asked: readonly Asked[]): string {
  if (asked.length === 0) return 'nothing: no calendar has promised a Bitcoin block';
  if (asked.every(({ kind }) => kind === 'refused')) {
    return 'the same with --attestor, if you know that calendar';
  }
  return 'the same again in some hours';
}
