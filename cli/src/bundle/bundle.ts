import { writeFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { formatScaled } from '@assay/core/number/rational';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { printable } from '@assay/verifier/verdict/printable';
import {
  gatherBundle,
  type HeadReader,
  type MadeBundle,
} from '@assay/verifier/client/bundle-maker';
import type { NoteKey } from '@assay/core/log/note';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { witnessKey } from '@assay/verifier/verdict/policy';
import { nodeAccounts } from '../chain/accounts.ts';
import { command, type Command, type Given } from '../command/command.ts';
import { option } from '../command/option.ts';
import { logAbove } from '../reader/log-above.ts';
import { meantUrl } from '../reader/log-url.ts';
import { witnessedHead } from './witnessed-head.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { date } from '../command/options.ts';
import { httpReader } from '../reader/http-reader.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';
import { withUnit } from '@assay/verifier/summary/unit-text';

const OPTIONS = {
  index: option('TICKER', { required: true })`
    The ticker of the index, in upper or lower case, and not the name in its address.`,
  period: option('DATE', { parse: date })`
    The period. The default is the newest one that is printed.`,
  chainRpc: option('URL', { parse: nodeUrl })`
    Add the accounts that hold the print on chain, and believe a Solana node about them.`,
  witness: option('OPERATOR=VKEY', { many: true })`
    A witness that must have signed the head in the file, and who runs it, as assay verify takes
    it. Without one, the file has the newest head that anybody else has signed, or says that
    nobody has.`,
  wait: option('S', { parse: seconds })`
    How many seconds to wait for the witnesses. The default is 60 for those that are named, and 5
    where none is; with 0 it does not wait.`,
  output: option('FILE', { short: 'o', required: true })`
    The file to write.`,
} as const;

export const bundleCommand: Command = command({
  name: 'bundle',
  summary: 'Write one file that proves one number offline.',
  about:
    'Writes one file that proves one number: the entries that it rests on with their Merkle proofs, the source bytes that were kept, and the signed checkpoint with the lines of its witnesses. Years later the file and block headers of Bitcoin are all that a check needs. The command assay verify checks the file without a network.',
  operands: { url: { value: 'URL', about: 'The address of the log.' } },
  options: OPTIONS,
  examples: {
    'assay bundle https://index.example.org --index LAYOFFS --period 2026-07-25 -o number.json':
      'Keep the proof of one number.',
  },
  run: writeBundle,
});

function nodeUrl(text: string, name: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${name} is an address such as https://host`);
}

async function writeBundle(
  given: Given<typeof OPTIONS> & { readonly url: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const { url, index, period, output, chainRpc: rpc } = given;
  if (!/^https?:\/\//.test(url)) throw new UsageError(`${url} is no URL${meantUrl(url)}`);
  const witnesses = given.witness.map(witnessOf);
  const chain = rpc === undefined ? undefined : await nodeAccounts(rpc, {});
  const reader = httpReader(url);
  await requireLog(reader, url);
  const waitMs = 1000 * (given.wait ?? (witnesses.length === 0 ? WAIT_S.any : WAIT_S.named));
  const progress = slowProgress(terminal, () => performance.now());
  progress.wait(`waiting for ${url}`);
  let names: readonly string[] = [];
  const head: HeadReader = async (from) => {
    const found = await witnessedHead(from, {
      witnesses,
      waitMs,
      nowMs: () => performance.now(),
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      waiting: (ms) =>
        progress.tell(Math.ceil(ms / 1000), waitMs / 1000, 'seconds for the witnesses of the head'),
    });
    ({ names } = found);
    return found.note;
  };
  const made = await gatherBundle(reader, { index, period }, nodeSha256, chain, head).finally(
    progress.end,
  );
  await writeFile(output, made.bytes).catch((cause: unknown) => {
    const expected = 'a place in a folder that is there and can be written';
    const found = messageOf(cause);
    throw new Fault('storage_failed', 'bundle', { at: output, expected, found, cause });
  });
  for (const line of madeText(made, names, output, terminal)) terminal.out(line);
  return EXIT.ok;
}

function seconds(text: string, name: string): number {
  if (/^[0-9]{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`${name} is a whole number of seconds`);
}

/** Seconds to wait for witnesses: those that were named, or any, where there may be none. */
const WAIT_S = { named: 60, any: 5 } as const;

function witnessOf(text: string): NoteKey {
  const [, vkey = ''] = /^[^=]+=(.+)$/.exec(text) ?? [];
  try {
    return witnessKey(nodeSha256, vkey);
  } catch {
    throw new UsageError('--witness is OPERATOR=VKEY, with the verifier key of a witness');
  }
}

/** Throws `not_found` with the address of the log where one of its pages was named. */
async function requireLog(reader: LogReader, url: string): Promise<void> {
  const { status } = await reader.get('/checkpoint');
  if (status === 200) return;
  const above = await logAbove(url, new AbortController().signal);
  const meant = above === undefined ? '' : `; there is a log at ${above}`;
  throw new Fault('not_found', 'log', {
    at: url,
    expected: 'a signed checkpoint at /checkpoint',
    found: `status ${status}${meant}`,
  });
}

const NO_WITNESS =
  'none: nobody but its publisher has signed the head in it, so that nobody else may have seen it';
const NO_INDEX =
  'the index entry of its day, which comes within a day: a file that is made then shows that it is the only final';
const NO_BLOCK =
  'a block, which comes within a day or so: a file that is made then shows that it existed by that time';

/** What the file contains, as the log publishes it, so that nobody overlooks which number the server gave. */
function madeText(
  { bytes, report, rule, hasIndex, hasBlock }: MadeBundle,
  names: readonly string[],
  output: string,
  terminal: Terminal,
): readonly string[] {
  const { period, status, reason, value, decimals } = report;
  const shown =
    value === null ? 'no value' : withUnit(formatScaled(BigInt(value), decimals), rule.unit);
  const file = printable(output);
  const check = `assay verify ${file} --index ${rule.display} --period ${period}`;
  return [
    `${file}: ${bytes.length} bytes`,
    ...textRows('number', `${rule.display} ${period}: ${shown}`, terminal),
    ...textRows('status', reason === null ? status : `${status} (${reason})`, terminal),
    ...(names.length === 0
      ? textRows('witnesses', NO_WITNESS, terminal, 'yellow')
      : textRows('witnesses', `${names.join(', ')} signed the head in it`, terminal)),
    ...(hasIndex ? [] : textRows('lacks', NO_INDEX, terminal, 'yellow')),
    ...(hasBlock ? [] : textRows(hasIndex ? 'lacks' : '', NO_BLOCK, terminal, 'yellow')),
    ...textRows('next', `nothing is checked yet: ${check}`, terminal),
  ];
}
