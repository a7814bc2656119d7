import { rm, stat } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { contentHash } from '@assay/core/hash/hash';
import type { MemoryViews } from '@assay/core/view/state';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { ScratchRows } from '@assay/node/ledger/store/scratch-rows';
import { sealedRows } from '@assay/node/ledger/store/sealed-row';
import type { LedgerStore, SealedRow } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { WalkRows } from '@assay/verifier/log/walk-rows';
import type { KeptVisit, VisitMemory } from '@assay/verifier/subject/kept-visit';

const HASH_BYTES = 32;
/** The head of a store whose rows are of no visit: one that was not verified, or one that is being written. */
const NO_VISIT = new Uint8Array(0);
/** How many rows are written at once. */
const ROWS_AT_ONCE = 2048;

/** The visit that another one went on from. */
export interface Earlier {
  /** How many entries it had checked. */
  readonly size: number;
  /** Unix seconds. */
  readonly made: number | undefined;
}

/**
 * What the newest verified visit to a log learned, in a folder: a LevelDB with the rows of its views, and in the place of
 * the head its `KeptVisit`, as sha256 (bytes) || bytes in V8's form. Every row has its digest, so that damage is noticed;
 * who can write to the folder is trusted.
 *
 * One that cannot be read counts as none. Why one could not be written is `trouble`, and the next visit walks everything.
 */
export class VisitStore implements VisitMemory {
  readonly #folder: string;
  #store: LedgerStore | undefined;
  #rows: ScratchRows | undefined;
  /** What becomes the head of the store when the verdict is good. */
  #kept: Uint8Array | undefined;
  /** The visit whose rows were taken, and whether the walk did go on over them. */
  #taken: Earlier | undefined;
  #wentOn = false;
  #isClosed = false;
  #trouble: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether something of the visit before may have come into the verdict. */
  get used(): boolean {
    return this.#taken !== undefined;
  }

  /** The visit from which this one went on; undefined where it began with entry 0, or has not come to its end. */
  get earlier(): Earlier | undefined {
    return this.#wentOn ? this.#taken : undefined;
  }

  /** Why this visit could not be kept; undefined if it was, or if there is nothing to keep. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async take(): Promise<{ readonly visit: KeptVisit; readonly rows: WalkRows } | undefined> {
    if (!(await exists(this.#folder))) return undefined;
    try {
      const store = await this.#open();
      const visit = readVisit(await store.head());
      if (visit === undefined) return undefined;
      this.#rows = await ScratchRows.over(nodeSha256, { store, drop: () => store.close() });
      this.#taken = { size: visit.walk.tree.size, made: visit.made };
      return { visit, rows: this.#rows };
    } catch {
      await this.clear();
      return undefined;
    }
  }

  async keep(visit: KeptVisit, views: MemoryViews | undefined): Promise<void> {
    // What is kept is as it is now: the walk goes on while this is written.
    const bytes = serialize(visit);
    try {
      if (views !== undefined) await this.clear();
      const store = await this.#open();
      await store.commit({ entries: [], tiles: [], views: [], head: NO_VISIT });
      if (views === undefined) await this.#rows?.flush(0);
      else await writeRows(store, views);
      this.#wentOn = views === undefined;
      this.#kept = concatBytes(contentHash(nodeSha256, bytes), bytes);
    } catch (error) {
      this.#trouble = messageOf(error);
      await this.clear();
    }
  }

  /** Has the next visit go on from the one that was kept. Call it for a good verdict alone. */
  async confirm(): Promise<void> {
    const [store, head] = [this.#store, this.#kept];
    if (store === undefined || head === undefined) return;
    this.#kept = undefined;
    try {
      await store.sync();
      await store.commit({ entries: [], tiles: [], views: [], head });
    } catch (error) {
      this.#trouble = messageOf(error);
      await this.clear();
    }
  }

  /** Forgets every visit. */
  async clear(): Promise<void> {
    await this.#shut();
    this.#taken = undefined;
    this.#wentOn = false;
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Ends its use; a walk that is still under way cannot open it again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#shut();
  }

  async #shut(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    this.#rows = undefined;
    this.#kept = undefined;
    await store?.close().catch(() => undefined);
  }

  async #open(): Promise<LedgerStore> {
    if (this.#isClosed) throw new Error('it is closed');
    this.#store ??= await openLevelStore(this.#folder);
    return this.#store;
  }
}

async function writeRows(store: LedgerStore, rows: MemoryViews): Promise<void> {
  let views: SealedRow[] = [];
  const write = async (): Promise<void> => {
    await store.commit({ entries: [], tiles: [], views, head: null }, { sync: false });
    views = [];
  };
  for (const row of sealedRows(nodeSha256, rows)) {
    views.push(row);
    if (views.length >= ROWS_AT_ONCE) await write();
  }
  await write();
}

/** The visit in the head of a store; undefined where it has none, or one that is damaged. */
function readVisit(head: Uint8Array | undefined): KeptVisit | undefined {
  if (head === undefined || head.length <= HASH_BYTES) return undefined;
  const bytes = head.subarray(HASH_BYTES);
  if (!equalBytes(contentHash(nodeSha256, bytes), head.subarray(0, HASH_BYTES))) return undefined;
  // Its terms tell whether it has the form of this version.
  return deserialize(bytes) as KeptVisit;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
