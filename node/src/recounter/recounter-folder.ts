import { join } from 'node:path';

/** Where the parts of a recounter's data are. */
export interface RecounterFolder {
  readonly root: string;
  readonly keys: string;
  /** Its own log. */
  readonly ledger: string;
  readonly guard: string;
  /** The file of the note that its own log signed last. */
  readonly head: string;
  /** The file of the note of its own log that readers were shown last. */
  readonly shown: string;
  /** The file of every statement that it has signed. */
  readonly memory: string;
  /** What it read itself. */
  readonly reads: string;
  readonly blobs: string;
  /** What the publisher's log serves in addition to its entries. */
  readonly kept: string;
  /** The copy of the publisher's log, and its newest checkpoint that was accepted. */
  readonly mirror: string;
  readonly accepted: string;
  /** Copies of other recounters' logs. */
  readonly peers: string;
  /** The newest checkpoint of each log that it cosigned. */
  readonly witness: string;
  /**
   * A mark for each log that it has ever cosigned, separate from the checkpoints, so that it is not lost with
   * them.
   */
  readonly cosigned: string;
  readonly findings: string;
  /** Reports on which a person knows of a statement that the memory lacks. */
  readonly acknowledged: string;
  /** The heads in the publisher's answers. */
  readonly receipts: string;
  readonly evidence: string;
  /** The file with the progress of the scrub. */
  readonly scrub: string;
}

export function recounterFolder(root: string): RecounterFolder {
  return {
    root,
    keys: join(root, 'keys'),
    ledger: join(root, 'ledger'),
    guard: join(root, 'guard'),
    head: join(root, 'head'),
    shown: join(root, 'shown'),
    memory: join(root, 'memory', 'words.jsonl'),
    reads: join(root, 'reads'),
    blobs: join(root, 'blobs'),
    kept: join(root, 'publisher', 'blobs'),
    mirror: join(root, 'publisher', 'log'),
    accepted: join(root, 'publisher', 'head'),
    peers: join(root, 'peers'),
    witness: join(root, 'witness'),
    cosigned: join(root, 'cosigned'),
    findings: join(root, 'findings.jsonl'),
    acknowledged: join(root, 'acknowledged'),
    receipts: join(root, 'publisher', 'receipts.json'),
    evidence: join(root, 'evidence'),
    scrub: join(root, 'scrub.json'),
  };
}

/**
 * `statement` signs statements and prints. The last two are only committed to at genesis, and stored for later.
 */
export const RECOUNTER_KEYS = ['statement', 'checkpoint', 'witness', 'next', 'recovery'] as const;
export type RecounterKey = (typeof RECOUNTER_KEYS)[number];

export function recounterKeyPath(folder: RecounterFolder, name: RecounterKey): string {
  return join(folder.keys, `${name}.json`);
}
