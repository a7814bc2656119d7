import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatScaled } from '@assay/core/number/rational';
import { isDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { printable } from '@assay/verifier/verdict/printable';
import { gatherBundle, type MadeBundle } from './bundle-maker.ts';
import { nodeAccounts } from '../chain/accounts.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { httpReader } from '../reader/http-reader.ts';
import type { Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';
import { withUnit } from '../text/unit-words.ts';

export const bundleHelp = `assay bundle <url> --index TICKER [--period YYYY-MM-DD] [--chain-rpc URL] -o FILE

Writes one file that proves one number offline: the entries it rests on with their Merkle proofs,
the kept source bytes, and the signed checkpoint. assay verify FILE checks it without a network.

  --index TICKER  the ticker of the index, in any case; a slug is none
  --period DATE   the period; the newest printed where it is left out
  --chain-rpc URL also the accounts that hold the print on chain, by a Solana node's word
  -o, --output    the file to write`;

export async function bundleCommand(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      index: { type: 'string' },
      period: { type: 'string' },
      output: { type: 'string', short: 'o' },
      'chain-rpc': { type: 'string' },
    },
  });
  const [url, ...rest] = positionals;
  const { index, period, output, 'chain-rpc': rpc } = values;
  if (url === undefined || !/^https?:\/\//.test(url) || rest.length > 0) {
    throw new UsageError('bundle takes one URL');
  }
  if (index === undefined || output === undefined) {
    throw new UsageError('bundle takes --index and -o');
  }
  if (period !== undefined && !isDate(period)) {
    throw new UsageError('--period is a date YYYY-MM-DD');
  }
  if (rpc !== undefined && !(URL.canParse(rpc) && /^https?:$/.test(new URL(rpc).protocol))) {
    throw new UsageError('--chain-rpc is an address such as https://host');
  }
  const chain = rpc === undefined ? undefined : await nodeAccounts(rpc, {});
  const made = await gatherBundle(httpReader(url), { index, period }, nodeSha256, chain);
  await writeFile(output, made.bytes);
  for (const line of madeText(made, output, terminal)) terminal.out(line);
  return EXIT.ok;
}

/** What the file is of, as the log says: which number a server gave must not go unseen. */
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
