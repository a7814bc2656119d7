import { faultCode, messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { VERIFIER_VERSION } from '@assay/verifier/verdict/version';
import { excerpt, printable } from '@assay/verifier/verdict/printable';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { fileDigest } from '../reader/file-digest.ts';
import { checkOts, type FileCheck } from './check.ts';
import { otsCheckText } from './check-text.ts';
import { type OtsFile, readOts } from './ots-file.ts';
import { type LookupOptions, type Lookups, openLookups } from './lookups.ts';
import { paint, slowProgress, type Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';

/** What every verdict on a stamp begins with as JSON. */
const OTS_VERDICT = { type: 'assay-ots-verdict/1', verifier: VERIFIER_VERSION } as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The options of `assay ots verify`. */
export interface VerifyOptions extends LookupOptions {
  readonly path: string;
  readonly file: string | undefined;
  readonly digest: string | undefined;
  readonly json: boolean;
}

/** Verifies a stamp and prints the result. */
export async function verifyOts(
  options: VerifyOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { path, network } = options;
  if (options.digest !== undefined) {
    if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(options.digest)) {
      throw new UsageError('--digest is 40 or 64 lower-case hex digits');
    }
  }
  const file = options.file ?? (path.endsWith('.ots') ? path.slice(0, -4) : '');
  if (file === '' && options.digest === undefined) {
    throw new UsageError(`${path} does not end in .ots: --file says what was stamped`);
  }
  const ots = await readOts(path).catch((error: unknown) => {
    if (faultCode(error) !== 'bad_proof') throw error;
    return messageOf(error);
  });
  if (typeof ots === 'string') return noStamp(ots, options, terminal);
  const now = Math.floor(Date.now() / 1000);
  const progress = slowProgress(terminal, () => performance.now());
  let checked: FileCheck;
  let opened: Lookups;
  try {
    checked =
      options.digest === undefined
        ? await fileCheck(file, ots, progress.tell)
        : digestCheck(options.digest, ots);
    opened = await openLookups(options, environment, now, progress.tell);
  } finally {
    progress.end();
  }
  const { lookups, refused } = opened;
  const check = await checkOts(checked, ots, { network, lookups });
  if (options.json) {
    terminal.out(JSON.stringify({ ...OTS_VERDICT, ...check, headers_refused: refused }, null, 2));
  } else {
    const context = { ots: path, lookups, refused, now };
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
    terminal.out(JSON.stringify({ ...OTS_VERDICT, outcome: 'wrong', network, reason }, null, 2));
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
