import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { faultCode, messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import type { HeaderLookup } from '@assay/verifier/header-lookup';
import { excerpt, printable } from '@assay/verifier/printable';
import { EXIT, type ExitCode, UsageError } from './exit.ts';
import { fileDigest } from './file-digest.ts';
import { urlOption } from './options.ts';
import { checkOts, countsFor, type FileCheck } from './ots-check.ts';
import { otsCheckText } from './ots-check-text.ts';
import { type OtsFile, readOts } from './ots-file.ts';
import { paint, slowProgress, type Terminal } from './terminal.ts';
import { textRows } from './text-rows.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What `assay ots verify` was asked. */
export interface VerifyOptions {
  readonly path: string;
  readonly file: string | undefined;
  readonly digest: string | undefined;
  readonly headers: string | undefined;
  readonly rpc: string | undefined;
  readonly explorer: string | undefined;
  readonly network: BitcoinNetwork;
  readonly json: boolean;
}

/** Verifies a stamp and says what came of it. */
export async function verifyOts(
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
  const { explorerLookup, fileLookup, nodeLookup } = await import('./headers-lookup.ts');
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
