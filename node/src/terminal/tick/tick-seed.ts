import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SALT_BYTES } from '@assay/core/hash/commitment';
import { Fault } from '@assay/core/fault';
import { formatHex, isHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { errorCode, writeDurable } from '../../platform/durable-file.ts';

/**
 * Reads the 32 secret bytes from which every salt of a log's ticks is derived, as hex in a file for its owner
 * alone. It is created if there is none and `mayMake` says that no tick was written with another. Throws
 * `key_missing`, `malformed`.
 */
export async function openTickSeed(path: string, mayMake: boolean): Promise<Uint8Array> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    if (!mayMake) {
      const expected = 'the seed of the ticks that the log has, from a back-up';
      throw new Fault('key_missing', 'tick seed', { at: path, expected });
    }
    const seed = new Uint8Array(randomBytes(SALT_BYTES));
    await writeDurable(path, formatUtf8(`${formatHex(seed)}\n`), { mode: 0o600, exclusive: true });
    return seed;
  }
  if (isHex(text, SALT_BYTES)) return parseHex(text, SALT_BYTES);
  throw new Fault('malformed', 'tick seed', { at: path, expected: `${SALT_BYTES} bytes in hex` });
}
