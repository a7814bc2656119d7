import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isDate } from '@assay/core/time';
import { nodeSha256 } from '@assay/node/node-sha256';
import { makeBundle } from '../bundle-maker.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { httpReader } from '../http-reader.ts';
import type { Terminal } from '../terminal.ts';

export const bundleHelp = `assay bundle <url> --index TICKER [--period YYYY-MM-DD] -o FILE

Writes one file that proves one number offline: the entries it rests on with their Merkle proofs,
the kept source bytes, and the signed checkpoint. assay verify FILE checks it without a network.

  --index TICKER  ticker or slug, in any case
  --period DATE   the period; the newest printed where it is left out
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
    },
  });
  const [url, ...rest] = positionals;
  const { index, period, output } = values;
  if (url === undefined || !/^https?:\/\//.test(url) || rest.length > 0) {
    throw new UsageError('bundle takes one URL');
  }
  if (index === undefined || output === undefined) {
    throw new UsageError('bundle takes --index and -o');
  }
  if (period !== undefined && !isDate(period)) {
    throw new UsageError('--period is a date YYYY-MM-DD');
  }
  const bytes = await makeBundle(httpReader(url), { index, period }, nodeSha256);
  await writeFile(output, bytes);
  terminal.out(`${output}: ${bytes.length} bytes; check it with assay verify ${output}`);
  return EXIT.ok;
}
