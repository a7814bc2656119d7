import { writeFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { formatScaled } from '@assay/core/number/rational';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { printable } from '@assay/verifier/verdict/printable';
import { gatherBundle, type MadeBundle } from '@assay/verifier/client/bundle-maker';
import { nodeAccounts } from '../chain/accounts.ts';
import { command, type Command, type Given } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { date } from '../command/options.ts';
import { httpReader } from '../reader/http-reader.ts';
import type { Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';
import { withUnit } from '../text/unit-text.ts';

const OPTIONS = {
  index: option('TICKER', { required: true })`
    The ticker of the index, in upper or lower case, and not the name in its address.`,
  period: option('DATE', { parse: date })`
    The period. The default is the newest one that is printed.`,
  chainRpc: option('URL', { parse: nodeUrl })`
    Add the accounts that hold the print on chain, and believe a Solana node about them.`,
  output: option('FILE', { short: 'o', required: true })`
    The file to write.`,
} as const;

export const bundleCommand: Command = command({
  name: 'bundle',
  summary: 'Write one file that proves one number offline.',
  about:
    'Writes one file that proves one number: the entries that it rests on with their Merkle proofs, the source bytes that were kept, and the signed checkpoint. The command assay verify checks the file without a network.',
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
  if (!/^https?:\/\//.test(url)) throw new UsageError(`${url} is no URL`);
  const chain = rpc === undefined ? undefined : await nodeAccounts(rpc, {});
  const made = await gatherBundle(httpReader(url), { index, period }, nodeSha256, chain);
  await writeFile(output, made.bytes).catch((cause: unknown) => {
    const expected = 'a place in a folder that is there and can be written';
    const found = messageOf(cause);
    throw new Fault('storage_failed', 'bundle', { at: output, expected, found, cause });
  });
  for (const line of madeText(made, output, terminal)) terminal.out(line);
  return EXIT.ok;
}

/** What the file contains, as the log publishes it, so that nobody overlooks which number the server gave. */
function madeText(
  { bytes, report, rule }: MadeBundle,
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
    ...textRows('next', `nothing is checked yet: ${check}`, terminal),
  ];
}
