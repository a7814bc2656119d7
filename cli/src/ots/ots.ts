import { parseArgs } from 'node:util';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHex } from '@assay/core/bytes/hex';
import { printable } from '@assay/verifier/verdict/printable';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { positiveOption } from '../command/options.ts';
import { readOts } from './ots-file.ts';
import { otsTree } from './tree.ts';
import { verifyOts } from './verify.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { count, textRows } from '../text/text-rows.ts';

/** Seconds that a calendar may take to answer. */
const TIMEOUT_S = 10;

export const otsHelp: string = `assay ots info FILE.ots
assay ots verify FILE.ots [--file FILE | --digest HEX] [--headers FILE]
                  [--bitcoin-rpc URL] [--explorer URL]
assay ots upgrade FILE.ots [FILE.ots...] [--attestor URI]... [--headers FILE]
                  [--bitcoin-rpc URL] [--explorer URL]

info     says what is stamped, by which steps it leads to blocks, and what calendars promise.
verify   hashes the file, and compares each block of the stamp with Bitcoin headers that you bring:
         without any, nothing is proven. It asks no calendar.
upgrade  asks the calendars of promises what has become of them, and adds that to the file. With
         headers it adds no block that they do not have; without, no block is looked at.

  --full             info: every argument whole
  --file FILE        verify: what was stamped (default: FILE.ots without .ots)
  --digest HEX       verify: its digest instead, as of a record of a log
  --headers FILE     verify, upgrade: raw headers, as assay headers sync writes them; all are
                     checked
  --bitcoin-rpc URL  the same from your own Bitcoin node; user:password in ASSAY_BITCOIN_RPC_AUTH
  --explorer URL     an explorer's word (Esplora, such as https://host/api), which proves nothing
  --development      verify, upgrade: the development network counts, which proves nothing
                     elsewhere
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
  upgrade: ['attestor', 'timeout', 'headers', 'bitcoin-rpc', 'explorer', 'development'],
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
  const lookups = {
    headers: values.headers,
    rpc: values['bitcoin-rpc'],
    explorer: values.explorer,
    network: values.development === true ? DEVELOPMENT : BITCOIN,
  };
  if (action === 'upgrade') {
    const seconds = Math.min(positiveOption(values.timeout, '--timeout') ?? TIMEOUT_S, 3600);
    const { upgradeFiles } = await import('./upgrade-files.ts');
    const options = { ...lookups, attestors: values.attestor ?? [], timeoutMs: 1000 * seconds };
    return upgradeFiles([path, ...others], options, terminal, environment);
  }
  return verifyOts(
    {
      ...lookups,
      path,
      file: values.file,
      digest: values.digest,
      json: values.json === true,
    },
    terminal,
    environment,
  );
}

async function info(path: string, full: boolean, terminal: Terminal): Promise<ExitCode> {
  const { bytes, proof, attested } = await readOts(path);
  const head = [
    paint(terminal, 'bold', `${printable(path)}, ${count(bytes.length, 'byte')}`),
    ...textRows('stamped', `${proof.hash} ${formatHex(proof.digest)}`, terminal),
    ...textRows('holds', summary(attested.map(({ attestation }) => attestation.kind)), terminal),
    '',
  ];
  for (const line of head) terminal.out(line);
  for (const line of otsTree(proof.timestamp, attested, full)) terminal.out(`  ${line}`);
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
