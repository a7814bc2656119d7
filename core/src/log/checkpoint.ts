import { formatBase64, parseBase64 } from '../bytes/base64.ts';
import { Fault } from '../fault.ts';
import { type Hash, toHash } from '../hash/hash.ts';

/**
 * The text of a C2SP tlog-checkpoint, v1.0.0, without extension lines:
 *
 *     <origin>\n
 *     <size, decimal>\n
 *     <base64(root)>\n
 */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
}

export function formatCheckpoint(checkpoint: Checkpoint): string {
  return `${checkpoint.origin}\n${checkpoint.size}\n${formatBase64(checkpoint.root)}\n`;
}

/**
 * The checkpoint in `text`. Throws `bad_note` or `bad_base64` for anything but the three lines, extensions included.
 */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', sizeText = '', rootText = '', end, ...rest] = text.split('\n');
  const size = Number(sizeText);
  if (
    origin === '' ||
    end !== '' ||
    rest.length > 0 ||
    !/^(0|[1-9][0-9]*)$/.test(sizeText) ||
    !Number.isSafeInteger(size)
  ) {
    throw new Fault('bad_note', 'checkpoint', {
      expected: 'origin, size and root, a line each',
      found: JSON.stringify(text.slice(0, 80)),
    });
  }
  const root = parseBase64(rootText);
  if (root.length !== 32) {
    throw new Fault('bad_note', 'checkpoint root', {
      expected: '32 bytes',
      found: `${root.length} bytes`,
    });
  }
  return { origin, size, root: toHash(root) };
}
