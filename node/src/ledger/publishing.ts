import type { ChangedTables } from './record.ts';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import { type CommittedRows, LayeredViews, NO_ROWS, RowLayer } from './store/layered-views.ts';
import type { ProveConsistency, WitnessStage } from './witness-stage.ts';

/** The newest published state, the only one that readers are shown. */
export interface Published {
  readonly size: number;
  readonly root: Hash;
  /** The signed checkpoint, with the lines of its witnesses. */
  readonly note: Uint8Array;
}

export interface PublishingOptions {
  readonly witness: WitnessStage | undefined;
  readonly prove: ProveConsistency;
  readonly onPublish: ((published: Published, tables: ChangedTables) => void) | undefined;
}

/** A row that a commit changes, and the value that it had before. */
export interface ChangedRow {
  readonly write: ViewWrite;
  readonly before: WireValue | undefined;
}

/** A head that the guard holds, and what its entries changed since the one before. */
interface Head extends Published {
  readonly rows: Map<string, ViewWrite>;
  /** What readers are shown with it, if what they are shown so far are rows that stand apart. */
  readonly over: 'committed' | CommittedRows | undefined;
}

/** What readers were shown before a start. */
export interface ShownBefore {
  readonly head: Published;
  /** The rows of its size; undefined if they are those of the newest head. */
  readonly rows: CommittedRows | undefined;
}

interface Waiter {
  readonly size: number;
  readonly resolve: () => void;
  readonly reject: (error: Fault) => void;
}

/**
 * What readers are shown. If witnesses are required, it advances only to heads that enough of them have
 * cosigned; a head that they do not cosign is shown to nobody. The witnesses are asked about one head at a
 * time, and the newest comes next; what is between two of them is shown with the later one. Otherwise a head is
 * shown at once, and gains their lines when they come.
 */
export class Publishing {
  readonly #options: PublishingOptions;
  readonly #shown: LayeredViews;
  /** The rows of everything that is committed. */
  #rows: CommittedRows;
  /** What rows were before the commits that readers are not shown. */
  readonly #undo = new RowLayer();
  /** What the commit that is under way changes, by table and key. */
  #begun = new Map<string, ViewWrite>();
  /** Other rows than the committed ones with that layer, if those are what readers are shown. */
  #apart: CommittedRows | undefined;
  readonly #waiters = new Set<Waiter>();
  #published: Published | undefined;
  /** Heads that are not shown yet: the one that the witnesses are asked about, and the newest. */
  #heads: Head[] = [];
  #newest: Published | undefined;
  #asking: Promise<void> | undefined;
  #asked: Published | undefined;
  #writing: Promise<void> | undefined;
  #closed: Fault | undefined;

  /** `rows` are those of everything that is committed. */
  constructor(options: PublishingOptions, rows: CommittedRows) {
    this.#options = options;
    this.#rows = rows;
    this.#shown = new LayeredViews(rows, this.#undo);
  }

  get published(): Published | undefined {
    return this.#published;
  }

  get shown(): ViewState {
    return this.#shown;
  }

  /** The newest head that the guard holds. */
  get newest(): Published | undefined {
    return this.#newest;
  }

  /**
   * What is shown after a start, for a log whose guard holds `newest`. With `apart`, its rows are these and not those
   * that are committed.
   */
  restore(newest: Published, kept: ShownBefore | undefined, apart?: CommittedRows): void {
    const isOpen = (this.#options.witness?.required ?? 0) === 0;
    this.#newest = newest;
    if (isOpen || (kept !== undefined && kept.head.size === newest.size)) {
      if (apart !== undefined) this.#setApart(apart);
      this.#published = kept?.head.size === newest.size ? kept.head : newest;
      return;
    }
    if (kept?.rows !== undefined) this.#published = kept.head;
    this.#setApart(kept?.rows ?? NO_ROWS);
    this.#heads.push({ ...newest, rows: new Map(), over: apart ?? 'committed' });
  }

  #setApart(rows: CommittedRows): void {
    this.#shown.rebase(rows);
    this.#dropApart();
    this.#apart = rows;
  }

  #dropApart(): void {
    void this.#apart?.drop?.();
    this.#apart = undefined;
  }

  /** Called before a commit changes these rows, which readers are not shown yet. */
  begin(changed: readonly ChangedRow[]): void {
    this.#begun = new Map(changed.map(({ write }) => [rowKey(write), write]));
    for (const { write, before } of changed) {
      const { table, key } = write;
      if (!this.#undo.has(table, key)) this.#undo.set(table, key, before);
    }
  }

  /** Takes a head that the guard holds now, and what its commit changed. */
  add(head: Published, rows: readonly ViewWrite[]): void {
    this.#begun = new Map();
    this.#newest = head;
    if (this.#closed !== undefined) return;
    const { witness } = this.#options;
    const over = this.#apart === undefined ? undefined : 'committed';
    if (witness === undefined || witness.required === 0) {
      this.#show(head, rows, over);
    } else {
      const last = this.#heads.at(-1);
      const before = last === undefined || last.note === this.#asked?.note ? undefined : last;
      if (before !== undefined) {
        this.#heads.pop();
        dropOver(before);
      }
      const merged = before?.rows ?? new Map<string, ViewWrite>();
      for (const row of rows) merged.set(rowKey(row), row);
      this.#heads.push({ ...head, rows: merged, over });
    }
    void this.ask();
  }

  /**
   * Goes on over what is committed after a write whose outcome was not known: `head` is that of what is there, if readers
   * may not have been shown it.
   */
  takeUp(rows: CommittedRows, head: Published | undefined): void {
    const begun = [...this.#begun.values()];
    this.#begun = new Map();
    this.#setRows(rows);
    if (head === undefined) return;
    const changed: ViewWrite[] = [];
    for (const { table, key } of begun) {
      const value = rows.get(table, key);
      if (value !== undefined) changed.push({ table, key, value });
    }
    this.add(head, changed);
  }

  /**
   * Replaces the rows by those that the entries give, and calls the listener if readers were shown the former with the
   * newest head.
   */
  mend(rows: CommittedRows): void {
    this.#setRows(rows);
    const newest = this.#newest;
    if (newest === undefined || this.#published?.size !== newest.size) return;
    this.#undo.clear();
    this.#tell(this.#published, 'all');
  }

  #setRows(rows: CommittedRows): void {
    this.#rows = rows;
    if (this.#apart === undefined) this.#shown.rebase(rows, this.#undo);
  }

  /**
   * Asks the witnesses about the newest head, and again when a newer one comes. Resolves when they were asked,
   * or could not be. A second call while one is under way returns the same promise.
   */
  ask(): Promise<void> {
    const { witness } = this.#options;
    if (witness === undefined || this.#closed !== undefined) return Promise.resolve();
    this.#asking ??= this.#ask(witness).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Resolves when readers are shown `size` entries or more. Throws the reason if nothing is shown any more. */
  reached(size: number): Promise<void> {
    if ((this.#published?.size ?? 0) >= size) return Promise.resolve();
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiters.add({ size, resolve, reject });
    });
  }

  /** Nothing is shown afterwards. Whoever waits for it receives `reason`. */
  halt(reason: Fault): void {
    this.#closed ??= reason;
    for (const { reject } of this.#waiters) reject(this.#closed);
    this.#waiters.clear();
  }

  /** The same; it also waits for the note that is being written. */
  async close(): Promise<void> {
    this.halt(new Fault('read_only', 'ledger', { found: 'it is closed' }));
    await this.#writing?.catch(() => undefined);
  }

  async #ask(witness: WitnessStage): Promise<void> {
    for (;;) {
      const head = this.#newest;
      if (head === undefined || this.#closed !== undefined) return;
      this.#asked = head;
      try {
        const note = await witness.gather(head.note, head.size, head.root, this.#options.prove);
        requireAdded(head.note, note);
        if (this.#isClosed()) return;
        this.#writing = witness.kept?.write(note);
        await this.#writing;
        if (this.#isClosed()) return;
        this.#witnessed({ ...head, note });
      } catch {
        // The stage reports who is silent. What could not be stored is requested again.
      }
      this.#asked = undefined;
      if (this.#newest === head) return;
    }
  }

  #isClosed(): boolean {
    return this.#closed !== undefined;
  }

  #witnessed(head: Published): void {
    const at = this.#heads.findIndex(({ size }) => size === head.size);
    if (at >= 0) {
      const passed = this.#heads.splice(0, at + 1);
      const last = passed.findLast(({ over }) => over !== undefined);
      for (const each of passed) if (each !== last) dropOver(each);
      this.#show(
        head,
        passed.flatMap(({ rows }) => [...rows.values()]),
        last?.over,
      );
    } else if (this.#published?.size === head.size) {
      // It is shown already, and gains lines.
      this.#published = head;
    }
  }

  #show(head: Published, rows: readonly ViewWrite[], over: Head['over']): void {
    this.#passUndo(rows);
    if (over === 'committed') {
      this.#shown.rebase(this.#rows, this.#undo);
      this.#dropApart();
    } else if (over !== undefined) this.#setApart(over);
    this.#published = head;
    this.#tell(head, over === undefined ? new Set(rows.map(({ table }) => table)) : 'all');
    for (const waiter of this.#waiters) {
      if (waiter.size > head.size) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Readers are shown the rows of a head. What later commits changed of them stays hidden. */
  #passUndo(rows: readonly ViewWrite[]): void {
    const later = [...this.#heads.map((each) => each.rows), this.#begun];
    if (later.every(({ size }) => size === 0)) {
      this.#undo.clear();
      return;
    }
    for (const row of rows) {
      const { table, key, value } = row;
      const name = rowKey(row);
      if (later.some((each) => each.has(name))) this.#undo.set(table, key, value);
      else this.#undo.delete(table, key);
    }
  }

  #tell(head: Published, tables: ChangedTables): void {
    try {
      this.#options.onPublish?.(head, tables);
    } catch (error) {
      // It is shown. An error of a listener must not look like a failed write.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** Gives up the rows of a head that is never shown by itself. */
function dropOver({ over }: Head): void {
  if (typeof over === 'object') void over.drop?.();
}

function rowKey({ table, key }: ViewWrite): string {
  return `${table}\0${key}`;
}

/** A stage may only add lines to a note: the guard's bytes stay as they are. */
function requireAdded(own: Uint8Array, note: Uint8Array): void {
  if (equalBytes(own, note.subarray(0, own.length))) return;
  throw new TypeError('gather: another note than the one that was asked about');
}
