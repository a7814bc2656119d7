import { constants, type FileHandle, open } from 'node:fs/promises';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH, tableWork } from '@assay/core/bitcoin/epochs';
import { HEADER_BYTES, PREV_AT } from '@assay/core/bitcoin/header';
import { type HeaderChain, HeaderChecker, PAGE_HEADERS } from './header-checker.ts';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { HeaderWork } from '@assay/verifier/bitcoin/header-lookup';
import { requireMined } from './header-clock.ts';

/** The height after the shipped epoch table, at which a file may begin instead of at genesis. */
export const AFTER_TABLE: number = LAST_EPOCH.height + 1;

/** About 75 years of blocks, all of which are held in memory. */
const MAX_HEADERS = 4_000_000;

/** Options for reading a file. */
export interface ReadOptions {
  /** This machine's clock in unix seconds. */
  readonly now: number;
  readonly progress?: (done: number, total: number, what: string) => void;
  /** Once it is aborted, the read ends with `timeout`. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** That there is no plain file of headers at a path. */
export function noHeadersFile(path: string): Fault {
  const expected = 'a file that assay headers sync has written';
  return new Fault('not_found', 'headers file', { at: path, expected, found: 'none there' });
}

/**
 * Reads the chain in a raw headers file: 80 bytes for each header, from genesis on or, on the main chain, from
 * height 832,608 on. Throws `not_found` if there is no such plain file, `malformed` for a length that headers
 * cannot have, `bad_header` at `height N` (see `HeaderChecker`), `refused` for a time in the future (see
 * `requireMined`), `too_large`, `timeout`.
 */
export async function readHeadersFile(
  path: string,
  network: BitcoinNetwork,
  options: ReadOptions,
): Promise<HeaderChain> {
  const file = await openHeaders(path, constants.O_RDONLY);
  if (file === undefined) throw noHeadersFile(path);
  try {
    const { size } = await file.stat();
    if (size === 0 || size % HEADER_BYTES !== 0) {
      throw new Fault('malformed', 'headers file', {
        at: path,
        expected: `headers of ${HEADER_BYTES} bytes each`,
        found: size === 0 ? 'none' : `${size % HEADER_BYTES} bytes after the last one`,
      });
    }
    return (await checkHeaders(file, size, network, options)).end();
  } finally {
    await file.close();
  }
}

/** The work on the headers of a chain after the shipped table; null if no table prices them. */
export function workAfterTable({ network, first, tip, work }: HeaderChain): HeaderWork | null {
  const count = tip.height - LAST_EPOCH.height;
  if (network.name !== 'bitcoin' || count < 0) return null;
  // A chain from genesis has the table's bits up to its end, and its last block.
  return { count, hashes: first === 0 ? work - tableWork() : work };
}

/**
 * Opens a plain file; undefined if there is none. A pipe or a device is refused, because reading it may never
 * end.
 */
export async function openHeaders(path: string, flags: number): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, flags | constants.O_NONBLOCK, 0o644);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENXIO') return undefined;
    throw error;
  }
  const info = await file.stat();
  if (info.isFile()) return file;
  await file.close();
  return undefined;
}

/**
 * Checks the headers in the first `size` bytes, at least one. The checker takes what follows. Throws
 * `bad_header` and `refused` at `height N`, `too_large`, `timeout`.
 */
export async function checkHeaders(
  file: FileHandle,
  size: number,
  network: BitcoinNetwork,
  { now, progress, signal }: ReadOptions,
): Promise<HeaderChecker> {
  const total = Math.floor(size / HEADER_BYTES);
  if (total > MAX_HEADERS) {
    throw new Fault('too_large', 'headers file', { expected: `at most ${MAX_HEADERS} headers` });
  }
  const first = firstHeight(await readBytes(file, 0, HEADER_BYTES), network);
  const checker = new HeaderChecker(nodeSha256, network, first);
  const step = PAGE_HEADERS * HEADER_BYTES;
  for (let at = 0; at < total * HEADER_BYTES; at += step) {
    if (signal?.aborted === true) {
      throw new Fault('timeout', 'headers file', { expected: 'an end before the deadline' });
    }
    const bytes = await readBytes(file, at, Math.min(step, total * HEADER_BYTES - at));
    requireMined(bytes, first + checker.count, now);
    checker.add(bytes);
    progress?.(checker.count, total, 'headers');
  }
  return checker;
}

/** The height of a file's first header, from its content. Throws `bad_header`. */
export function firstHeight(header: Uint8Array, network: BitcoinNetwork): number {
  if (equalBytes(header, network.genesis)) return 0;
  const after = equalBytes(header.subarray(PREV_AT, PREV_AT + 32), LAST_EPOCH.hash);
  if (after && network.name === 'bitcoin') return AFTER_TABLE;
  const table = network.name === 'bitcoin' ? `, or the one at height ${AFTER_TABLE}` : '';
  const other = [BITCOIN, DEVELOPMENT].find(({ genesis }) => equalBytes(header, genesis));
  throw new Fault('bad_header', 'first header', {
    expected: `that of ${network.name}${table}`,
    found: other === undefined ? 'another' : `that of ${other.name}`,
  });
}

/** Whether `bytes`, fewer than a header has, are the beginning of a file's first header. */
export function isFirstPart(bytes: Uint8Array, network: BitcoinNetwork): boolean {
  const begins = (whole: Uint8Array, part: Uint8Array): boolean =>
    equalBytes(whole.subarray(0, part.length), part);
  if (begins(network.genesis, bytes)) return true;
  const link = bytes.subarray(PREV_AT, PREV_AT + 32);
  return network.name === 'bitcoin' && link.length > 0 && begins(LAST_EPOCH.hash, link);
}

/** Reads exactly `length` bytes. Throws `malformed` if the file has fewer. */
export async function readBytes(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done);
    if (bytesRead === 0) throw new Fault('malformed', 'headers file', { found: 'a shorter file' });
    done += bytesRead;
  }
  return bytes;
}
