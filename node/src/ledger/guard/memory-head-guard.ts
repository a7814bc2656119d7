import {
  type GuardRow,
  type HeadGuard,
  type PendingBatch,
  requireBatch,
  requireOwned,
  requireTakeable,
  type TakenEpoch,
} from './head-guard.ts';

/** The row that the guards of several writers share. */
export interface SharedRow {
  row: GuardRow | undefined;
  pending: readonly PendingBatch[];
}

/** A head guard in memory, for tests and temporary logs. Those that are made over one row see each other. */
export class MemoryHeadGuard implements HeadGuard {
  readonly #shared: SharedRow;
  #epoch: number | undefined;

  constructor(shared: SharedRow = { row: undefined, pending: [] }) {
    this.#shared = shared;
  }

  readonly look = (): Promise<GuardRow | undefined> => Promise.resolve(this.#shared.row);

  readonly peek = async (): Promise<TakenEpoch | undefined> => {
    const { row, pending } = this.#shared;
    return row === undefined ? undefined : { ...row, pending };
  };

  readonly take = async (writer: string, from: string): Promise<TakenEpoch> => {
    const { row, pending } = this.#shared;
    requireTakeable(row, from);
    const taken = { epoch: (row?.epoch ?? 0) + 1, writer, head: row?.head };
    this.#shared.row = taken;
    this.#epoch = taken.epoch;
    return { ...taken, pending };
  };

  readonly move = async (batch: PendingBatch): Promise<void> => {
    requireBatch(batch);
    const { row, pending } = this.#shared;
    requireOwned(row, this.#epoch, batch.from);
    const entries = batch.entries.map((entry) => entry.slice());
    this.#shared.row = { ...(row as GuardRow), head: batch.to };
    this.#shared.pending = [...pending, { ...batch, entries }];
  };

  readonly settled = async (size: number): Promise<void> => {
    this.#shared.pending = this.#shared.pending.filter(({ to }) => to.size > size);
  };

  readonly reopen = async (): Promise<void> => {
    this.#epoch = undefined;
  };

  readonly close = async (): Promise<void> => {
    this.#epoch = undefined;
  };
}
