import { constants, type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { contentHash } from '@assay/core/hash/hash';
import type { ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import { ensureFolder, writeDurable } from '@assay/node/platform/durable-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { ChangedRows } from '@assay/verifier/log/changed-rows';
import type { KeptVisit, VisitMemory } from '@assay/verifier/subject/kept-visit';

const HASH_BYTES = 32;
/** Bytes of a record before its rows: their length (u32) and their hash. */
const HEAD_BYTES = 4 + HASH_BYTES;
/** How many rows are in one record. */
const ROWS_AT_ONCE = 4096;
/** All rows are written again once those that later visits added are half as many bytes as these. */
const MOST_ADDED = 0.5;

/** The visit that another one went on from. */
export interface Earlier {
  /** How many entries it had checked. */
  readonly size: number;
  /** Unix seconds. */
  readonly made: number | undefined;
}

/** What `state` has beside the visit. */
interface Kept {
  readonly visit: KeptVisit;
  /** Bytes of `rows` that count, and how many of them were written when all rows were. */
  readonly length: number;
  readonly base: number;
}

/** A row in a record. */
type RowText = readonly [table: string, key: string, value: WireValue];

/**
 * What the newest verified visit to a log learned, in two files of a folder that is readable for its owner alone:
 *
 *     rows:  records of u32 length | sha256 (JSON) | JSON, an array of [table, key, value]; a later row replaces an earlier one
 *     state: sha256 (bytes) | bytes, `Kept` in V8's form
 *
 * A visit adds the rows that it changed, and then replaces `state`, which says how much of `rows` counts. The hashes show
 * damage. They do not show who wrote the files: whoever can is trusted.
 *
 * A folder that cannot be read counts as empty. Why one could not be written is `trouble`, and the next visit begins anew.
 */
export class VisitStore implements VisitMemory {
  readonly #folder: string;
  /** What `take` found. */
  #found: Kept | undefined;
  /** What counts once the verdict is good. */
  #next: Uint8Array | undefined;
  #wentOn = false;
  #trouble: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether something of the visit before may have come into the verdict. */
  get used(): boolean {
    return this.#found !== undefined;
  }

  /** The visit from which this one went on; undefined where it began with entry 0, or has not come to its end. */
  get earlier(): Earlier | undefined {
    if (!this.#wentOn || this.#found === undefined) return undefined;
    const { walk, made } = this.#found.visit;
    return { size: walk.tree.size, made };
  }

  /** Why this visit could not be kept; undefined if it was, or if there is nothing to keep. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async take(): Promise<KeptVisit | undefined> {
    const state = await readFile(this.#path('state')).catch(() => undefined);
    const bytes = state?.subarray(HASH_BYTES);
    if (state === undefined || bytes === undefined) return undefined;
    if (!equalBytes(contentHash(nodeSha256, bytes), state.subarray(0, HASH_BYTES)))
      return undefined;
    // The terms in it tell whether it has the form of this version.
    this.#found = deserialize(bytes) as Kept;
    return this.#found.visit;
  }

  async *rows(): AsyncGenerator<readonly ViewWrite[]> {
    const { length = 0 } = this.#found ?? {};
    const file = await open(this.#path('rows'), 'r');
    try {
      for (let at = 0; at < length;) {
        const head = await readAt(file, at, HEAD_BYTES);
        const size = new DataView(head.buffer, head.byteOffset).getUint32(0);
        if (size > length - at - HEAD_BYTES) throw damaged();
        const bytes = await readAt(file, at + HEAD_BYTES, size);
        if (!equalBytes(contentHash(nodeSha256, bytes), head.subarray(4))) throw damaged();
        const rows = JSON.parse(parseUtf8(bytes)) as readonly RowText[];
        yield rows.map(([table, key, value]) => ({ table, key, value }));
        at += HEAD_BYTES + size;
      }
    } finally {
      await file.close();
    }
  }

  /** The walk waits meanwhile, so that nothing changes while it is written. */
  async keep(visit: KeptVisit, views: ChangedRows): Promise<void> {
    try {
      const found = views.changed === undefined ? undefined : this.#found;
      this.#wentOn = found !== undefined;
      const isLong = found !== undefined && found.length > found.base * (1 + MOST_ADDED);
      if (found === undefined || isLong) {
        // Whatever counted is about to be written over.
        await rm(this.#path('state'), { force: true });
        const length = await this.#write(views.all(), 0);
        this.#next = serialize({ visit, length, base: length } satisfies Kept);
      } else {
        const length = await this.#write(views.changed ?? [], found.length);
        this.#next = serialize({ visit, length, base: found.base } satisfies Kept);
      }
    } catch (error) {
      this.#trouble = messageOf(error);
      this.#next = undefined;
    }
  }

  /** Has the next visit go on from the one that was kept. Call it for a good verdict alone. */
  async confirm(): Promise<void> {
    const bytes = this.#next;
    this.#next = undefined;
    if (bytes === undefined) return;
    try {
      const state = concatBytes(contentHash(nodeSha256, bytes), bytes);
      await writeDurable(this.#path('state'), state, { mode: 0o600 });
    } catch (error) {
      this.#trouble = messageOf(error);
    }
  }

  /** Forgets every visit. */
  async clear(): Promise<void> {
    this.#found = undefined;
    this.#next = undefined;
    this.#wentOn = false;
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Writes rows from a place in the file on, and returns its length then. What was after that place is gone. */
  async #write(rows: Iterable<ViewWrite>, from: number): Promise<number> {
    await ensureFolder(this.#folder, { mode: 0o700 });
    const file = await open(this.#path('rows'), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await file.truncate(from);
      let at = from;
      for (const some of inRecords(rows)) {
        const bytes = formatUtf8(JSON.stringify(some));
        const head = new Uint8Array(HEAD_BYTES);
        new DataView(head.buffer).setUint32(0, bytes.length);
        head.set(contentHash(nodeSha256, bytes), 4);
        await file.write(head, 0, HEAD_BYTES, at);
        await file.write(bytes, 0, bytes.length, at + HEAD_BYTES);
        at += HEAD_BYTES + bytes.length;
      }
      await file.sync();
      return at;
    } finally {
      await file.close();
    }
  }

  #path(name: 'rows' | 'state'): string {
    return join(this.#folder, name);
  }
}

function* inRecords(rows: Iterable<ViewWrite>): Generator<readonly RowText[]> {
  let record: RowText[] = [];
  for (const { table, key, value } of rows) {
    record.push([table, key, value]);
    if (record.length < ROWS_AT_ONCE) continue;
    yield record;
    record = [];
  }
  yield record;
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead !== length) throw damaged();
  return bytes;
}

function damaged(): Fault {
  return new Fault('malformed', 'rows of an earlier visit', {
    expected: 'rows that have the hash beside them',
    found: 'others',
  });
}
