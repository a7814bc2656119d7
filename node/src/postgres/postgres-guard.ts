import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { toHash } from '@assay/core/hash/hash';
import type { Concern } from '../health/concern.ts';
import { withDeadline } from '../platform/deadline.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { formatEntryList, parseEntryList } from './entry-list.ts';
import { Followers, type Follower } from './followers.ts';
import {
  ANYBODY,
  type BareHead,
  epochOver,
  type GuardRow,
  headText,
  type HeadGuard,
  isSameHead,
  type PendingBatch,
  requireBatch,
  type TakenEpoch,
} from '../ledger/guard/head-guard.ts';
import { openPrimary, type Primary, type ServerOptions } from './primary.ts';
import { BEGIN, LOOK, MOVE, PENDING, TAKE } from './schema.ts';
import type { SqlAnswer, SqlValue } from './session.ts';

export interface PostgresGuardOptions extends ServerOptions {
  /** The log's origin, which names its row. */
  readonly log: string;
  /** How many entries are kept for a follower that has not confirmed them. */
  readonly keepEntries: number;
  /** Milliseconds between two times at which batches are dropped. */
  readonly dropEveryMs: number;
}

/** The epoch that this process owns, and the head that it rests on. */
interface Owned {
  readonly epoch: number;
  readonly writer: string;
  readonly head: BareHead | undefined;
}

/**
 * The head guard as a row in PostgreSQL (docs/commit.md). An epoch is owned in one session: whatever is not clean ends the session
 * and the epoch with it. A statement that timed out is not cancelled, for a cancelled wait for a standby leaves its row on
 * one server alone.
 */
export class PostgresGuard implements HeadGuard {
  readonly #options: PostgresGuardOptions;
  /** One statement at a time. */
  readonly #turn = new Semaphore(1);
  readonly #followers: Followers;
  #primary: Primary | undefined;
  #owned: Owned | undefined;
  #closed = false;
  /** The entries below are durable in the database of this writer. */
  #settled = 0;

  constructor(options: PostgresGuardOptions) {
    this.#options = options;
    this.#followers = new Followers(options, () => this.#owned);
  }

  /** Who follows the log, as it was read last. */
  get followers(): readonly Follower[] {
    return this.#followers.known;
  }

  /** What is wrong with those who follow the log. */
  readonly concerns = (): readonly Concern[] => this.#followers.concerns();

  readonly look = (): Promise<GuardRow | undefined> =>
    this.#turn.run(async () => {
      try {
        return await this.#look(await this.#open());
      } catch (error) {
        this.#end();
        if (error instanceof Fault && error.code !== 'timeout') throw error;
        throw new Fault('unreachable', 'head guard', { found: messageOf(error) });
      }
    });

  /**
   * The row with the batches that lead to its head, without taking it. Undefined where the log was never begun. Throws
   * `unreachable` where the server cannot be asked, and `guard_corrupt` for batches that do not lead to the head.
   */
  readonly peek = (): Promise<TakenEpoch | undefined> =>
    this.#turn.run(async () => {
      try {
        const primary = await this.#open();
        for (;;) {
          const row = await this.#look(primary);
          if (row === undefined) return undefined;
          const { rows } = await this.#ask(primary, PENDING, [this.#options.log]);
          const after = await this.#look(primary);
          // A writer that is not off yet may have moved the row between the two.
          if (!isSameHead(row.head, after?.head)) continue;
          return { ...row, pending: chainOf(rows.map(batchOf), row.head) };
        }
      } catch (error) {
        this.#end();
        if (error instanceof Fault && error.code !== 'timeout') throw error;
        throw new Fault('unreachable', 'head guard', { found: messageOf(error) });
      }
    });

  /** Makes the row, at a head that another guard had. Throws `guard_conflict` if there is one. */
  readonly begin = (writer: string, head: BareHead): Promise<void> =>
    this.#turn.run(async () => {
      const values = [this.#options.log, writer, ...headValues(head)];
      const { count } = await this.#commit(await this.#open(), BEGIN, values);
      if (count === 1) return;
      throw new Fault('guard_conflict', 'head guard', { expected: 'no row', found: 'one' });
    });

  readonly take = (writer: string, from: string): Promise<TakenEpoch> =>
    this.#turn.run(async () => {
      // An epoch of before is over, whatever becomes of this one.
      this.#end();
      const primary = await this.#open();
      const values = [this.#options.log, writer, from === ANYBODY ? null : from];
      const { rows } = await this.#commit(primary, TAKE, values);
      const [row] = rows;
      if (row === undefined) throw await this.#refusal(primary, undefined);
      try {
        const taken = rowOf(row);
        const { rows: kept } = await this.#ask(primary, PENDING, [this.#options.log]);
        this.#owned = taken;
        // What this writer has in its own database stays for others, such as a standby.
        const chain = chainOf(kept.map(batchOf), taken.head);
        return { ...taken, pending: chain.filter(({ to }) => to.size > this.#settled) };
      } catch (error) {
        this.#end();
        throw error instanceof Fault && error.code !== 'timeout' ? error : unknown(error);
      }
    });

  readonly move = (batch: PendingBatch): Promise<void> => {
    requireBatch(batch);
    // What a caller changes later is not what is written.
    const entries = formatEntryList(batch.entries);
    return this.#turn.run(async () => {
      const [primary, owned] = [this.#primary, this.#owned];
      if (primary === undefined || owned === undefined) {
        throw new Fault('epoch_over', 'head guard', {
          expected: 'an epoch that is owned',
          found: 'none: it ended, or was never taken',
        });
      }
      const { from, to } = batch;
      if (!isSameHead(from, owned.head)) {
        throw new Fault('guard_conflict', 'head guard', {
          expected: headText(from),
          found: headText(owned.head),
        });
      }
      const { count } = await this.#commit(primary, MOVE, [
        this.#options.log,
        String(owned.epoch),
        owned.writer,
        ...headValues(from),
        ...headValues(to),
        entries,
      ]);
      if (count !== 1) {
        throw await this.#refusal(primary, owned);
      }
      this.#owned = { ...owned, head: to };
    });
  };

  readonly settled = (size: number): Promise<void> => {
    this.#settled = Math.max(this.#settled, size);
    this.#followers.settled(size);
    return Promise.resolve();
  };

  readonly reopen = (): Promise<void> =>
    this.#turn.run(() => {
      this.#end();
      return Promise.resolve();
    });

  readonly close = (): Promise<void> => {
    this.#closed = true;
    return this.#turn.run(async () => {
      this.#end();
      await this.#followers.close();
    });
  };

  async #open(): Promise<Primary> {
    if (this.#closed) throw new Fault('stopped', 'head guard', { found: 'it is closed' });
    this.#primary ??= await openPrimary(this.#options);
    return this.#primary;
  }

  /** Ends the session, and the epoch that was owned in it. */
  #end(): void {
    this.#primary?.session.end();
    this.#primary = undefined;
    this.#owned = undefined;
  }

  #ask({ session }: Primary, text: string, values: readonly SqlValue[]): Promise<SqlAnswer> {
    return withDeadline(this.#options.timeoutMs, 'head guard', () => session.query(text, values));
  }

  /** Runs a statement whose commit must be known to be durable on as many servers as are asked for. */
  async #commit(primary: Primary, text: string, values: readonly SqlValue[]): Promise<SqlAnswer> {
    try {
      const all = [primary.name, this.#options.needsStandby, ...values];
      const answer = await this.#ask(primary, text, all);
      if (answer.notices.length > 0) throw new Error(answer.notices.join('; '));
      return answer;
    } catch (error) {
      this.#end();
      throw unknown(error);
    }
  }

  async #look(primary: Primary): Promise<GuardRow | undefined> {
    const [row] = (await this.#ask(primary, LOOK, [this.#options.log])).rows;
    return row === undefined ? undefined : rowOf(row);
  }

  /** Why a statement changed no row, for a message: nothing else rests on it. The epoch ends. */
  async #refusal(primary: Primary, owned: Owned | undefined): Promise<Fault> {
    try {
      const row = await this.#look(primary);
      const isOwn =
        owned !== undefined && row?.epoch === owned.epoch && row.writer === owned.writer;
      if (isOwn && !isSameHead(row?.head, owned.head)) {
        return new Fault('guard_conflict', 'head guard', {
          expected: headText(owned.head),
          found: headText(row?.head),
        });
      }
      if (isOwn || row === undefined) {
        return new Fault('guard_unsafe', 'head guard', {
          expected: 'the session and the settings that were looked at',
          found: 'others',
        });
      }
      const expected =
        owned === undefined ? 'a row that nobody else holds' : `epoch ${owned.epoch}`;
      return epochOver(row, expected);
    } catch (error) {
      return unknown(error);
    } finally {
      this.#end();
    }
  }
}

function unknown(error: unknown): Fault {
  if (faultCode(error) === 'guard_unknown') return error as Fault;
  return new Fault('guard_unknown', 'head guard', {
    expected: 'a commit that came back without a warning',
    found: messageOf(error),
  });
}

function headValues(head: BareHead | undefined): readonly [string, Uint8Array | null] {
  return head === undefined ? ['0', null] : [String(head.size), head.root];
}

function rowOf(row: Readonly<Record<string, unknown>>): GuardRow {
  const epoch = integerOf(row['epoch'], 'epoch');
  return { epoch, writer: String(row['writer']), head: headOf(row['size'], row['root']) };
}

function headOf(size: unknown, root: unknown): BareHead | undefined {
  const count = integerOf(size, 'size');
  if (count === 0 && root === null) return undefined;
  if (count > 0 && root instanceof Uint8Array && root.length === 32) {
    return { size: count, root: toHash(Uint8Array.from(root)) };
  }
  throw corrupt('a root of 32 bytes above size 0', 'none');
}

function batchOf(row: Readonly<Record<string, unknown>>): PendingBatch {
  const from = headOf(row['from_size'], row['from_root']);
  const to = headOf(row['size'], row['root']);
  const bytes = row['entries'];
  if (to === undefined || !(bytes instanceof Uint8Array)) throw corrupt('a whole batch', 'none');
  try {
    const width = to.size - (from?.size ?? 0);
    const entries = parseEntryList(Uint8Array.from(bytes), width);
    return { from, to, entries };
  } catch (error) {
    throw corrupt(`the entries of the batch that ends at ${to.size}`, messageOf(error));
  }
}

/** The batches up to the row's head, which continue one another. Throws `guard_corrupt`. */
function chainOf(
  batches: readonly PendingBatch[],
  head: BareHead | undefined,
): readonly PendingBatch[] {
  const own = batches.filter(({ to }) => to.size <= (head?.size ?? 0));
  for (const [i, { to }] of own.entries()) {
    const next = i + 1 < own.length ? own[i + 1]?.from : head;
    if (!isSameHead(to, next)) {
      throw corrupt(`a batch that continues ${headText(to)}`, headText(next));
    }
  }
  return own;
}

function integerOf(value: unknown, name: string): number {
  const found = Number(value);
  if (Number.isSafeInteger(found) && found >= 0) return found;
  throw corrupt(`a whole number as ${name}`, String(value));
}

function corrupt(expected: string, found: string): Fault {
  return new Fault('guard_corrupt', 'head guard', { expected, found });
}
