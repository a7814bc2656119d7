import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
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
  readonly onPublish: ((published: Published, tables: ReadonlySet<string>) => void) | undefined;
}

/** A head that the guard holds, and what its entries changed since the one before. */
interface Head extends Published {
  readonly rows: Map<string, ViewWrite>;
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
  readonly #shown = new MemoryViews();
  readonly #waiters = new Set<Waiter>();
  #published: Published | undefined;
  /** Heads that are not shown yet: the one that the witnesses are asked about, and the newest. */
  #heads: Head[] = [];
  #newest: Published | undefined;
  #asking: Promise<void> | undefined;
  #asked: Published | undefined;
  #writing: Promise<void> | undefined;
  #closed: Fault | undefined;

  constructor(options: PublishingOptions) {
    this.#options = options;
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

  /** What is shown after a start, for a log whose guard holds `newest`. `rows` are those of all its entries. */
  restore(
    newest: Published,
    rows: Iterable<ViewWrite>,
    kept: { readonly head: Published; readonly rows: Iterable<ViewWrite> | undefined } | undefined,
  ): void {
    const isOpen = (this.#options.witness?.required ?? 0) === 0;
    this.#newest = newest;
    if (isOpen || (kept !== undefined && kept.head.size === newest.size)) {
      this.#shown.write(rows);
      this.#published = kept?.head.size === newest.size ? kept.head : newest;
      return;
    }
    if (kept?.rows !== undefined) {
      this.#shown.write(kept.rows);
      this.#published = kept.head;
    }
    const all = new Map<string, ViewWrite>();
    for (const row of rows) all.set(rowKey(row), row);
    this.#heads.push({ ...newest, rows: all });
  }

  /** Takes a head that the guard holds now, and what its commit changed. */
  add(head: Published, rows: readonly ViewWrite[]): void {
    this.#newest = head;
    if (this.#closed !== undefined) return;
    const { witness } = this.#options;
    if (witness === undefined || witness.required === 0) {
      this.#show(head, rows);
    } else {
      const last = this.#heads.at(-1);
      const before = last === undefined || last.note === this.#asked?.note ? undefined : last.rows;
      if (before !== undefined) this.#heads.pop();
      const merged = before ?? new Map<string, ViewWrite>();
      for (const row of rows) merged.set(rowKey(row), row);
      this.#heads.push({ ...head, rows: merged });
    }
    void this.ask();
  }

  /**
   * Replaces the restored rows of the newest head with those that its entries give, and calls the listener if
   * readers were shown the former.
   */
  mend(views: MemoryViews): void {
    const newest = this.#newest;
    if (newest === undefined) return;
    if (this.#published?.size === newest.size) {
      this.#shown.replace(views);
      this.#tell(this.#published, new Set(views.tables()));
      return;
    }
    const rows = new Map<string, ViewWrite>();
    for (const table of views.tables()) {
      for (const [key, value] of views.list(table)) {
        rows.set(rowKey({ table, key, value }), { table, key, value });
      }
    }
    this.#heads = [{ ...newest, rows }];
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
      this.#show(
        head,
        passed.flatMap(({ rows }) => [...rows.values()]),
      );
    } else if (this.#published?.size === head.size) {
      // It is shown already, and gains lines.
      this.#published = head;
    }
  }

  #show(head: Published, rows: readonly ViewWrite[]): void {
    this.#shown.write(rows);
    this.#published = head;
    this.#tell(head, new Set(rows.map(({ table }) => table)));
    for (const waiter of this.#waiters) {
      if (waiter.size > head.size) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #tell(head: Published, tables: ReadonlySet<string>): void {
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

function rowKey({ table, key }: ViewWrite): string {
  return `${table}\0${key}`;
}

/** A stage may only add lines to a note: the guard's bytes stay as they are. */
function requireAdded(own: Uint8Array, note: Uint8Array): void {
  if (equalBytes(own, note.subarray(0, own.length))) return;
  throw new TypeError('gather: another note than the one that was asked about');
}
