import { constants, type FileHandle, open, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { contentHash } from '@assay/core/hash/hash';
import type { ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, writeDurable } from '@assay/node/platform/durable-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { WalkRows } from '@assay/verifier/log/walk-rows';
import type { KeptVisit, VisitMemory } from '@assay/verifier/subject/kept-visit';

/** The first bytes of both files. */
const MARK = formatUtf8('assay-visit/1\n');
const HASH_BYTES = 32;
/** Bytes of a record before its rows: their length (u32) and their hash. */
const HEAD_BYTES = 4 + HASH_BYTES;
/** How many rows are in one record. */
const ROWS_AT_ONCE = 4096;
/** All rows are written again once those that later visits added are half as many bytes as these. */
const MOST_ADDED = 0.5;

/** What `state` has beside the visit. */
interface Kept {
  readonly visit: KeptVisit;
  readonly rows: Written;
  /** How many bytes of `rows` were written when all rows were. */
  readonly base: number;
}

/** What `state` has. */
interface State {
  /** `Kept` in V8's form, as it was when the walk was kept. */
  readonly kept: Uint8Array;
  /** What was asked for beside the log itself, until the verdict was known. */
  readonly asked: readonly string[];
}

/** The part of `rows` that counts. */
interface Written {
  readonly length: number;
  /** sha256 (that of the records before | the hash of the last one), so that the rows are those of this state. */
  readonly chain: Uint8Array;
}

const NO_ROWS: Written = { length: MARK.length, chain: new Uint8Array(HASH_BYTES) };

/** A row in a record. */
type RowText = readonly [table: string, key: string, value: WireValue];

/**
 * What the newest verified visit to a log learned, in two files of a folder that is readable for its owner alone:
 *
 *     rows:  "assay-visit/1\n", then records of u32 length | sha256 (JSON) | JSON, an array of [table, key, value], of which a
 *            later row replaces an earlier one
 *     state: "assay-visit/1\n" | sha256 (bytes) | bytes, `State` in V8's form
 *
 * A visit adds the rows that it changed, and then replaces `state`, which says how much of `rows` counts. The hashes show
 * damage. They do not show who wrote the files: whoever can is trusted, so that files of somebody else, or that others can
 * write to, count as none.
 *
 * Files that cannot be read count as none, and are written over. What has no mark is not touched. Why a visit could not be
 * kept is `trouble`, and the next one begins with entry 0.
 */
export class VisitStore implements VisitMemory {
  readonly #folder: string;
  /** What `take` found. */
  #found: Kept | undefined;
  /** What counts once the verdict is good. */
  #next: Uint8Array | undefined;
  #asked: readonly string[] = [];
  #trouble: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether something of the visit before may have come into the verdict. */
  get used(): boolean {
    return this.#found !== undefined;
  }

  /** What the visit asked for that `take` found, beside the log itself. */
  get asked(): readonly string[] {
    return this.#asked;
  }

  /** Why this visit could not be kept; undefined if it was, or if there is nothing to keep. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async take(): Promise<KeptVisit | undefined> {
    try {
      await this.#requireOwn();
      const state = stateIn(await readFile(this.#path('state')));
      this.#found = state?.kept;
      this.#asked = state?.asked ?? [];
      return this.#found?.visit;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#trouble = messageOf(error);
      return undefined;
    }
  }

  async *rows(): AsyncGenerator<readonly ViewWrite[]> {
    const { length, chain } = this.#found?.rows ?? NO_ROWS;
    let read = NO_ROWS.chain;
    const file = await open(this.#path('rows'), 'r');
    try {
      for (let at = MARK.length; at < length;) {
        const head = await readAt(file, at, HEAD_BYTES);
        const size = new DataView(head.buffer, head.byteOffset).getUint32(0);
        if (size > length - at - HEAD_BYTES) throw damaged();
        const bytes = await readAt(file, at + HEAD_BYTES, size);
        const hash = contentHash(nodeSha256, bytes);
        if (!equalBytes(hash, head.subarray(4))) throw damaged();
        read = contentHash(nodeSha256, concatBytes(read, hash));
        const rows = JSON.parse(parseUtf8(bytes)) as readonly RowText[];
        yield rows.map(([table, key, value]) => ({ table, key, value }));
        at += HEAD_BYTES + size;
      }
      if (!equalBytes(read, chain)) throw damaged();
    } finally {
      await file.close();
    }
  }

  /** The walk waits meanwhile, so that nothing changes while it is written. */
  async keep(visit: KeptVisit, views: WalkRows): Promise<void> {
    try {
      const found = views.changed === undefined ? undefined : this.#found;
      await this.#requireOwn();
      const isLong = found !== undefined && found.rows.length > found.base * (1 + MOST_ADDED);
      if (found === undefined || isLong) {
        // Whatever counted is about to be written over.
        await rm(this.#path('state'), { force: true });
        const rows = await this.#write(views.all(), NO_ROWS);
        this.#next = serialize({ visit, rows, base: rows.length } satisfies Kept);
      } else {
        const rows = await this.#write(views.changed ?? [], found.rows);
        this.#next = serialize({ visit, rows, base: found.base } satisfies Kept);
      }
    } catch (error) {
      this.#trouble = messageOf(error);
      this.#next = undefined;
    }
  }

  /** Has the next visit go on from the one that was kept, and ask for the same. Call it for a good verdict alone. */
  async confirm(asked: readonly string[]): Promise<void> {
    const kept = this.#next;
    this.#next = undefined;
    if (kept === undefined) return;
    try {
      const bytes = serialize({ kept, asked } satisfies State);
      const state = concatBytes(MARK, contentHash(nodeSha256, bytes), bytes);
      await writeDurable(this.#path('state'), state, { mode: 0o600 });
    } catch (error) {
      this.#trouble = messageOf(error);
    }
  }

  /** Forgets every visit. */
  async clear(): Promise<void> {
    this.#found = undefined;
    this.#next = undefined;
    try {
      await this.#requireOwn();
      await rm(this.#path('state'), { force: true });
      await rm(this.#path('rows'), { force: true });
      await rmdir(this.#folder);
    } catch (error) {
      // A folder that has something else too, or that is a mount, stays.
      const code = errorCode(error) ?? '';
      if (!['ENOENT', 'ENOTEMPTY', 'EBUSY', 'EPERM'].includes(code))
        this.#trouble = messageOf(error);
    }
  }

  /** Throws `refused` for files that are not ours, and for what others can write to. */
  async #requireOwn(): Promise<void> {
    await requirePrivate(this.#folder);
    for (const name of ['rows', 'state'] as const) {
      const path = this.#path(name);
      if (!(await requirePrivate(path))) continue;
      const file = await open(path, 'r');
      try {
        const begun = new Uint8Array(MARK.length);
        const { bytesRead } = await file.read(begun, 0, MARK.length, 0);
        if (!equalBytes(begun.subarray(0, bytesRead), MARK.subarray(0, bytesRead))) {
          throw refused(path, 'what a visit has left', 'another file');
        }
      } finally {
        await file.close();
      }
    }
  }

  /** Writes rows behind those that count. What was there is gone. */
  async #write(
    rows: AsyncIterable<ViewWrite> | Iterable<ViewWrite>,
    after: Written,
  ): Promise<Written> {
    await ensureFolder(this.#folder, { mode: 0o700 });
    const file = await open(this.#path('rows'), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      await file.truncate(after.length);
      await writeAt(file, MARK, 0);
      let { length, chain } = after;
      for await (const some of inRecords(rows)) {
        const bytes = formatUtf8(JSON.stringify(some));
        const head = new Uint8Array(HEAD_BYTES);
        new DataView(head.buffer).setUint32(0, bytes.length);
        const hash = contentHash(nodeSha256, bytes);
        head.set(hash, 4);
        await writeAt(file, concatBytes(head, bytes), length);
        length += HEAD_BYTES + bytes.length;
        chain = contentHash(nodeSha256, concatBytes(chain, hash));
      }
      await file.sync();
      return { length, chain };
    } finally {
      await file.close();
    }
  }

  #path(name: 'rows' | 'state'): string {
    return join(this.#folder, name);
  }
}

async function* inRecords(
  rows: AsyncIterable<ViewWrite> | Iterable<ViewWrite>,
): AsyncGenerator<readonly RowText[]> {
  let record: RowText[] = [];
  for await (const { table, key, value } of rows) {
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

async function writeAt(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

/** Whether there is something at a path. Throws `refused` where another user could have written it. */
async function requirePrivate(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (info === undefined) return false;
  const own = process.getuid?.() ?? info.uid;
  if (info.uid !== own) throw refused(path, 'one of this user', `one of user ${info.uid}`);
  const mode = info.mode & 0o777;
  if ((mode & 0o022) === 0 || process.getuid === undefined) return true;
  throw refused(path, 'one that only this user can write to', `mode ${mode.toString(8)}`);
}

/** What `state` holds; undefined where it was damaged, cut, or written by another version of V8 or of this one. */
function stateIn(
  state: Uint8Array,
): { readonly kept: Kept; readonly asked: readonly string[] } | undefined {
  const start = MARK.length + HASH_BYTES;
  const bytes = state.subarray(start);
  const hash = state.subarray(MARK.length, start);
  if (bytes.length === 0 || !equalBytes(contentHash(nodeSha256, bytes), hash)) return undefined;
  try {
    // The terms in what was kept tell whether that has the form of this version.
    const { kept, asked } = deserialize(bytes) as Partial<State>;
    if (!(kept instanceof Uint8Array) || !Array.isArray(asked)) return undefined;
    return { kept: deserialize(kept) as Kept, asked };
  } catch {
    return undefined;
  }
}

function refused(at: string, expected: string, found: string): Fault {
  return new Fault('refused', 'folder of the visit before', { at, expected, found });
}

function damaged(): Fault {
  return new Fault('malformed', 'rows of an earlier visit', {
    expected: 'rows that have the hash beside them',
    found: 'others',
  });
}
