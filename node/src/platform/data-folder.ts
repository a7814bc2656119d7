import { join } from 'node:path';
import type { HashHex } from '@assay/core/hash/hash';

/** Where the parts of a node's data are. */
export interface DataFolder {
  readonly root: string;
  readonly keys: string;
  readonly ledger: string;
  /** The folder of the head guard's journal. */
  readonly guard: string;
  /** The file of the note that the log signed last. */
  readonly head: string;
  /** The file of the note that readers were shown last, with the lines of its witnesses. */
  readonly shown: string;
  readonly blobs: string;
  /** What opens the commitments to withheld levels. Only the publisher has it. */
  readonly openings: string;
  /** What opens the leaves of ticks, by class. Only the publisher has it. */
  readonly tickOpenings: string;
  /** The names of handles. Nothing in the log leads to them. */
  readonly handles: string;
  /** What opens the forecasts of rounds that are not frozen, a file a round. */
  readonly forecasts: string;
  /** The witnessed checkpoints of rounds that are frozen and not opened, a file a round. */
  readonly freezes: string;
  /** What opens the answers to open questions. Only the publisher has it. */
  readonly answers: string;
  /** The callers of open questions, as keyed hashes with their keys. In no backup. */
  readonly callers: string;
  /** The receivers of webhooks, sealed. In no backup. */
  readonly webhooks: string;
  /** The payments of the machine tier. In no backup: an old copy has forgotten what was paid since. */
  readonly payments: string;
  /** Settlement files, ready for any static host. */
  readonly mirror: string;
  /** The batch of stamps that is open at the calendars. */
  readonly stamps: string;
  /** The file of the transactions that were sent to the chain. */
  readonly outgoing: string;
  /** The file with the result of the newest check of the venues. */
  readonly venues: string;
  /** The file with the progress of the scrub. */
  readonly scrub: string;
  /** The copies of the log that readers of this machine have. They are made again if they are gone. */
  readonly readers: string;
  /** The newest head that a standby accepted. */
  readonly accepted: string;
  /** The name under which this folder holds the row of a head guard in a database. In no backup: no other folder may have it. */
  readonly writer: string;
}

export function dataFolder(root: string): DataFolder {
  return {
    root,
    keys: join(root, 'keys'),
    ledger: join(root, 'ledger'),
    guard: join(root, 'guard'),
    head: join(root, 'head'),
    shown: join(root, 'shown'),
    blobs: join(root, 'blobs'),
    openings: join(root, 'openings'),
    tickOpenings: join(root, 'tick-openings'),
    handles: join(root, 'handles'),
    forecasts: join(root, 'forecasts'),
    freezes: join(root, 'freezes'),
    answers: join(root, 'answers'),
    callers: join(root, 'callers'),
    webhooks: join(root, 'webhooks'),
    payments: join(root, 'payments'),
    mirror: join(root, 'mirror'),
    stamps: join(root, 'stamps'),
    outgoing: join(root, 'chain', 'outgoing.json'),
    venues: join(root, 'venues.json'),
    scrub: join(root, 'scrub.json'),
    readers: join(root, 'readers'),
    accepted: join(root, 'accepted'),
    writer: join(root, 'writer'),
  };
}

export const KEY_NAMES = ['report', 'checkpoint', 'next-report', 'recovery'] as const;
/** The keys of every log, the payer of a log with a chain, and what signs the offers and receipts of a machine tier. */
export type KeyName = (typeof KEY_NAMES)[number] | 'payer' | 'payment';

export function keyPath(folder: DataFolder, name: KeyName): string {
  return join(folder.keys, `${name}.json`);
}

/** The file of a blob in a `FileBlobStore`. */
export function blobPath(folder: DataFolder, hash: HashHex): string {
  return join(folder.blobs, hash.slice(0, 2), hash);
}
