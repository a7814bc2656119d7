import { hashHex, type Hash } from '@assay/core/hash/hash';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';

/** A head without a signature. */
export interface BareHead {
  readonly size: number;
  readonly root: Hash;
}

/** Entries that lead from one head to the next, as they stand in the log. */
export interface PendingBatch {
  /** Undefined before entry 0. */
  readonly from: BareHead | undefined;
  readonly to: BareHead;
  /** `to.size - (from?.size ?? 0)` of them. */
  readonly entries: readonly Uint8Array[];
}

/** What the row says. Nothing is ever signed on the strength of it. */
export interface GuardRow {
  /** 0 before the first take. */
  readonly epoch: number;
  /** Empty before the first take. */
  readonly writer: string;
  readonly head: BareHead | undefined;
}

/** An epoch that is owned, and what the row had. */
export interface TakenEpoch extends GuardRow {
  /**
   * Batches that the database may lack, ascending, each continuing the one before, the last one ending at
   * `head`.
   */
  readonly pending: readonly PendingBatch[];
}

/**
 * The second store of a log: it has the newest head, unsigned, and moves only for the writer that owns its
 * epoch. docs/commit.md has the protocol.
 */
export interface HeadGuard {
  /** Reads the row without taking it. Undefined where the log was never begun. */
  readonly look: () => Promise<GuardRow | undefined>;
  /** The same with the batches that lead to its head. */
  readonly peek: () => Promise<TakenEpoch | undefined>;
  /**
   * Adds one to the epoch in the name of `writer`, in one durable commit. With `from`, only if the row's writer
   * is `from` or nobody, or where `from` is `ANYBODY`: otherwise it throws `epoch_over` and names who holds it. Throws `guard_unknown` where
   * the outcome is not known.
   */
  readonly take: (writer: string, from: string) => Promise<TakenEpoch>;
  /**
   * Moves the head and keeps the batch, in one durable commit, if this guard's own epoch and `batch.from` are
   * still in the row. Throws `epoch_over` if the epoch is another writer's, `guard_conflict` if the head is
   * another one in our own epoch, and `guard_unknown` if the outcome is not known, such as after a time-out, a
   * lost connection or a warning of the server: the epoch has ended then.
   */
  readonly move: (batch: PendingBatch) => Promise<void>;
  /**
   * The entries below `size`, and what follows from them, are durable in the database, so that batches up to
   * there need not be kept. What it changes may be stored with the next move.
   */
  readonly settled: (size: number) => Promise<void>;
  /** Reads again what is there after a call that failed. The epoch has ended: `take` comes next. */
  readonly reopen: () => Promise<void>;
  /** Waits for what is under way and closes what is open. */
  readonly close: () => Promise<void>;
}

/** Takes an epoch whoever has it: what the operator of a promotion asks for. */
export const ANYBODY = 'anybody';

/** The writer of a guard that lies in the data folder itself, which no other machine can take. */
export const LOCAL_WRITER = 'this data folder';

export function isSameHead(a: BareHead | undefined, b: BareHead | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.size === b.size && equalBytes(a.root, b.root);
}

/** Throws a `TypeError` unless a batch has the entries that lead from its one head to its other. */
export function requireBatch({ from, to, entries }: PendingBatch): void {
  const before = from?.size ?? 0;
  if (to.size <= before || entries.length !== to.size - before) {
    throw new TypeError(`HeadGuard: ${entries.length} entries from ${before} to ${to.size}`);
  }
}

/** Throws `epoch_over` unless a row may be taken from `from`. */
export function requireTakeable(row: GuardRow | undefined, from: string): void {
  const holder = row?.writer ?? '';
  if (from === ANYBODY || holder === '' || holder === from) return;
  throw epochOver(row as GuardRow, `an epoch of ${from}`);
}

/** Throws `epoch_over` unless the row has the epoch, and `guard_conflict` unless it has the head. */
export function requireOwned(
  row: GuardRow | undefined,
  epoch: number | undefined,
  from: BareHead | undefined,
): void {
  if (epoch === undefined) {
    throw new Fault('epoch_over', 'head guard', {
      expected: 'an epoch that is owned',
      found: 'none: it ended, or was never taken',
    });
  }
  if (row?.epoch !== epoch) throw epochOver(row, `epoch ${epoch}`);
  if (isSameHead(row.head, from)) return;
  throw new Fault('guard_conflict', 'head guard', {
    expected: headText(from),
    found: headText(row.head),
  });
}

/** The fault for an epoch that is another writer's. */
export function epochOver(row: GuardRow | undefined, expected: string): Fault {
  return new Fault('epoch_over', 'head guard', {
    expected,
    found:
      row === undefined
        ? 'a log that was never begun'
        : `epoch ${row.epoch}, which the writer ${row.writer} holds: assay promote takes it over`,
  });
}

export function headText(head: BareHead | undefined): string {
  return head === undefined ? 'no head' : `size ${head.size}, root ${hashHex(head.root)}`;
}
