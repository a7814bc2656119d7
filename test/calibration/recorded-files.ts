import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { formatTime } from '@assay/core/time/time';
import type { MarketFolder } from '@assay/node/terminal/replay/market-folder';

/** The line of a page that says which files it is of. */
const LINE = /^Files: .*$/m;

/**
 * Which files these are, as a line: assets, rows, times, and the sha256 of the lines `SYMBOL <sha256 of its text>`,
 * symbols rising. Packed or plain, the same rows have the same line.
 */
export async function filesLine({ files }: MarketFolder): Promise<string> {
  const all = createHash('sha256');
  for (const { symbol, path } of files) {
    const text = createHash('sha256');
    const file = createReadStream(path);
    await (path.endsWith('.gz') ? pipeline(file, createGunzip(), text) : pipeline(file, text));
    all.update(`${symbol} ${text.digest('hex')}\n`);
  }
  const rows = files.reduce((sum, each) => sum + each.rows, 0);
  const first = formatTime(Math.min(...files.map((each) => each.first)));
  const last = formatTime(Math.max(...files.map((each) => each.last)));
  return `Files: ${files.length} assets, ${rows} rows, ${first} to ${last}, sha256 \`${all.digest('hex')}\`.`;
}

/** The line that a page has; undefined where it has none. */
export function pageFiles(page: string): string | undefined {
  return LINE.exec(page)?.[0];
}
