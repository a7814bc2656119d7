import { createReadStream } from 'node:fs';
import { Fault } from '@assay/core/fault';

/** No line of a state is longer, because a note has at most 64 KiB. */
const MAX_LINE_BYTES = 1_048_576;

/** A line's bytes without its end, and where the next one begins. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly end: number;
}

/**
 * The complete lines of a file, one at a time. What follows the last line feed is no line. Empty if there is no
 * file. Throws `too_large` for a line of more than a mebibyte.
 */
export async function* linesOf(path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let end = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let at = rest.indexOf(0x0a); at !== -1; at = rest.indexOf(0x0a, start)) {
        end += at + 1 - start;
        yield { bytes: rest.subarray(start, at), end };
        start = at + 1;
      }
      rest = rest.subarray(start);
      if (rest.length > MAX_LINE_BYTES) {
        throw new Fault('too_large', 'line', {
          at: path,
          expected: `at most ${MAX_LINE_BYTES} bytes`,
        });
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
