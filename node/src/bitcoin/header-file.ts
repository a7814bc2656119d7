import { type FileHandle, open } from 'node:fs/promises';
import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { HEADER_BYTES, PREV_AT } from '@assay/core/bitcoin/header';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { errorCode } from '../platform/durable-file.ts';
import { type HeaderSource, requireRange } from './header-source.ts';

export interface HeaderFileOptions {
  readonly name?: string;
  readonly path: string;
  readonly network: BitcoinNetwork;
}

/**
 * Headers from a file of 80 bytes each, beginning with genesis, or on the main chain with the one after the
 * shipped epoch table. Each call reads the file as it is then: it may grow and be replaced.
 */
export function headerFile({
  name = 'header file',
  path,
  network,
}: HeaderFileOptions): HeaderSource {
  async function read<T>(work: (file: FileHandle, first: number, count: number) => Promise<T>) {
    let file: FileHandle | undefined;
    try {
      file = await open(path, 'r');
      const status = await file.stat();
      if (!status.isFile()) throw new Fault('unreachable', name, { found: 'no file' });
      const { size } = status;
      if (size === 0 || size % HEADER_BYTES !== 0) {
        throw new Fault('malformed', name, {
          expected: 'headers of 80 bytes each',
          found: `${size} bytes`,
        });
      }
      const first = firstHeight(await readAt(file, 0, HEADER_BYTES, name), network, name);
      return await work(file, first, size / HEADER_BYTES);
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault('unreachable', name, { found: errorCode(error) ?? 'no file' });
    } finally {
      await file?.close();
    }
  }

  return {
    name,
    tip() {
      return read(async (_, first, count) => first + count - 1);
    },
    async headers(from, count) {
      requireRange(from, count);
      return read(async (file, first, have) => {
        if (from < first) {
          throw new Fault('refused', name, { expected: `a height from ${first} on` });
        }
        const length = Math.max(0, Math.min(count, first + have - from)) * HEADER_BYTES;
        const bytes = await readAt(file, (from - first) * HEADER_BYTES, length, name);
        return Array.from({ length: length / HEADER_BYTES }, (_, i) =>
          bytes.slice(i * HEADER_BYTES, (i + 1) * HEADER_BYTES),
        );
      });
    },
  };
}

/** The height of a file's first header. */
function firstHeight(header: Uint8Array, network: BitcoinNetwork, name: string): number {
  if (equalBytes(header, network.genesis)) return 0;
  const prev = header.subarray(PREV_AT, PREV_AT + 32);
  if (network.retargets && equalBytes(prev, LAST_EPOCH.hash)) return LAST_EPOCH.height + 1;
  throw new Fault('malformed', name, {
    expected: `the first header of ${network.name}, or the one after the epoch table`,
  });
}

async function readAt(
  file: FileHandle,
  at: number,
  length: number,
  name: string,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done);
    if (bytesRead === 0) throw new Fault('malformed', name, { expected: 'no shorter file' });
    done += bytesRead;
  }
  return bytes;
}
