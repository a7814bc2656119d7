import type { ChangedTables } from './record.ts';
import type { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import type { ClosingHeads } from './closing-heads.ts';
import type { CommitTimes } from './commit-times.ts';
import type { HeadGuard } from './guard/head-guard.ts';
import type { LastSigned } from './guard/last-signed.ts';
import type { Published } from './publishing.ts';
import type { SettlingLimits } from './guard/settling.ts';
import type { AskHeads } from './start.ts';
import type { LedgerStore } from './store/store.ts';
import type { WitnessStage } from './witness-stage.ts';

export interface LedgerOptions {
  readonly sha256: Sha256;
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  /**
   * In whose name the guard's epoch is taken: the id of the data folder, where the guard can be taken from another
   * machine. Without it, the guard is one that lies in the data folder.
   */
  readonly writer?: string;
  /** Where the note that was signed last is stored, for whoever reads the data folder. */
  readonly signed?: LastSigned;
  readonly signer: CheckpointSigner;
  /** The closing heads of checkpoint keys that ended. Without them the log shows none. */
  readonly closing?: Pick<ClosingHeads, 'read'>;
  /** Whether the newest head is left unsigned at the start, because its key may be lost. Nothing is shown before a write. */
  readonly unsigned?: boolean;
  /** Unix seconds. */
  readonly now: () => number;
  /** Asks witnesses and mirrors for their newest head; null if the policy requires none. */
  readonly askHeads: AskHeads | null;
  /**
   * When the entries that the stored rows follow from are read again; nothing is appended before that. It is
   * done before `open` resolves, or in the background, so that readers are served meanwhile from rows that have
   * their digests.
   */
  readonly prove?: 'before' | 'behind';
  /** Who witnesses heads before they are shown. Without it, they are shown once the guard holds them. */
  readonly witness?: WitnessStage;
  /** Why the clock must not date an entry now; undefined if it may. */
  readonly doubt?: () => Fault | undefined;
  /** How much of the log may be durable in the guard alone. */
  readonly settling?: SettlingLimits;
  /** Takes how long each commit and its steps take. Without it, nobody measures them. */
  readonly times?: CommitTimes;
  /** Called with what was derived from the entries again. It is then stored, if the store can be written. */
  readonly onRepaired?: (repaired: Repaired) => void;
  /**
   * Called after each publication, in order, except for one that only adds lines. If it throws, that is an
   * uncaught error of the caller.
   */
  readonly onPublish?: (published: Published, tables: ChangedTables) => void;
}

/** What was not as it should be and was derived from the entries again. */
export interface Repaired {
  readonly part: 'tile' | 'row';
  /** The level and index of a tile; for rows, which of them, or that it is all. */
  readonly name: string;
}
