import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { errorCode, writeDurable } from '../platform/durable-file.ts';

const FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/;

/**
 * The name under which a data folder holds the row of a head guard: a random one, made once. Two folders must not share it, so
 * that no backup has the file. Throws `guard_corrupt` for a file with anything else in it.
 */
export async function writerId(path: string): Promise<string> {
  try {
    await writeDurable(path, formatUtf8(`${randomUUID()}\n`), { exclusive: true });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const text = await readFile(path, 'utf8');
  if (!FORM.test(text)) {
    throw new Fault('guard_corrupt', 'writer', {
      at: path,
      expected: 'a random id',
      found: 'none',
    });
  }
  return text.trim();
}
