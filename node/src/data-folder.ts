import { join } from 'node:path';
import type { HashHex } from '@assay/core/hash';

/** Where the parts of a node's data lie. */
export interface DataFolder {
  readonly root: string;
  readonly keys: string;
  readonly ledger: string;
  readonly guard: string;
  readonly blobs: string;
  /** What opens the commitments to withheld levels: the publisher's own. */
  readonly openings: string;
  /** Settlement files, ready for any static host. */
  readonly mirror: string;
  /** The batch of stamps that is out with the calendars. */
  readonly stamps: string;
}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    keys: join(root, 'keys'),
    ledger: join(root, 'ledger'),
    guard: join(root, 'head'),
    blobs: join(root, 'blobs'),
    openings: join(root, 'openings'),
    mirror: join(root, 'mirror'),
    stamps: join(root, 'stamps'),
  };
}

export const KEY_NAMES = ['report', 'checkpoint', 'next-report', 'recovery'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

export function keyPath(folder: DataFolder, name: KeyName): string {
  return join(folder.keys, `${name}.json`);
}

/** The file of a blob in a `FileBlobStore`. */
export function blobPath(folder: DataFolder, hash: HashHex): string {
  return join(folder.blobs, hash.slice(0, 2), hash);
}
