import type { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import type { HeadGuard } from './head-guard.ts';
import type { Published } from './publishing.ts';
import type { AskHeads } from './start.ts';
import type { LedgerStore } from './store/store.ts';
import type { WitnessStage } from './witness-stage.ts';

export interface LedgerOptions {
  readonly sha256: Sha256;
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  readonly signer: CheckpointSigner;
  /** Unix seconds. */
  readonly now: () => number;
  /** Asks witnesses and mirrors for their newest head; null where the policy asks for none. */
  readonly askHeads: AskHeads | null;
  /**
   * When the entries are read again that the stored rows follow from, before which nothing is appended: before `open`
   * resolves, or behind it, so that readers are served meanwhile from rows that have their digests.
   */
  readonly prove?: 'before' | 'behind';
  /** Who witnesses heads before they are shown; without, they are shown when the guard holds them. */
  readonly witness?: WitnessStage;
  /** Why the clock must not date an entry now; undefined while it may. */
  readonly doubt?: () => Fault | undefined;
  /** Told of what was derived from the entries again, and is stored so from then on where the store takes writes. */
  readonly onRepaired?: (repaired: Repaired) => void;
  /** Called after each publication, in order, but for one that only adds lines. A throw is the caller's own: it surfaces as uncaught. */
  readonly onPublish?: (published: Published, tables: ReadonlySet<string>) => void;
}

/** What was not as it should be, and was derived from the entries again. */
export interface Repaired {
  readonly part: 'tile' | 'row';
  /** Level and index of a tile; of rows which, or that they are all. */
  readonly name: string;
}
