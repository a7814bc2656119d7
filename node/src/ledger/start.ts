import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { formatHead, type OlderHead, parseHead, parseOlderHead } from '@assay/core/view/head';
import { hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import type { RowsSum } from '@assay/core/view/rows-root';
import { levelLength, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { errorCode } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { checkedEntry, CheckedTiles, type KnownTile } from './checked-tiles.ts';
import type { BareHead, TakenEpoch } from './guard/head-guard.ts';
import { addPending, fillGaps, gapsIn, pendingStart, withEntries } from './pending-entries.ts';
import { type DerivedRows, deriveRows } from './derived/derived-rows.ts';
import { type CommittedRows, LayeredViews } from './store/layered-views.ts';
import { openRow, rowsWithTable, sealRow, sumOf } from './store/sealed-row.ts';
import type { LedgerStore, SealedRow, TileRow } from './store/store.ts';
import { checkRows } from './store/stored-rows.ts';
import { StoredViews } from './store/stored-views.ts';
import { loadTree, rangeHash, type TileHashes } from './tree-reader.ts';

/** How many rows a start reads, to find damage before anything is shown. It takes some 10 microseconds a row. */
export const MOST_READ = 20_000;

/** A head of this log that somebody else holds: a witness, a mirror. */
export interface KnownHead {
  readonly holder: string;
  readonly checkpoint: BareHead;
}

/**
 * Asks those who hold heads of this log, of which `size` entries are stored. Throws if none can be reached that
 * would know of them.
 */
export type AskHeads = (size: number) => Promise<readonly KnownHead[]>;

/** What a start goes by in addition to heads. */
export interface StartOptions {
  /** If there are more rows than these, they are not read at the start, unless entries were missing before them. */
  readonly most?: number;
  /** Whether the signer refuses a head that does not extend the newest one that it signed. */
  readonly remembers?: boolean;
}

/** What a ledger finds when it starts. */
export interface StartState {
  readonly tree: TileTree;
  /** The head in the guard; undefined for a log without a commit. */
  readonly guard: BareHead | undefined;
  /** The rows of all entries. */
  readonly rows: CommittedRows;
  readonly sum: RowsSum;
  /** Whether all rows were read and have the sum in the head. Those of a long log are read after the start. */
  readonly isRead: boolean;
  /** What was not as it should be and was derived from the entries again; undefined if everything matched. */
  readonly mended: string | undefined;
}

/** What a guard says: the head in its row, and the batches that the database may lack. */
export interface Guarded extends Pick<TakenEpoch, 'head' | 'pending'> {
  /** Why its epoch was not taken: the disk cannot be written, and nothing is. Undefined if it was. */
  readonly untaken: Fault | undefined;
}

/**
 * Compares the database with the head guard and with the heads known elsewhere. Pending batches of the guard that the
 * database lacks are written there first: a power failure takes what was not synced, in the middle as well as at the end.
 * Where they cannot be written, a database with a hole, or one that ends before a head that was shown, is refused
 * (`no_room`). Rows and tiles that do not match the head are derived from the entries again,
 * and written once everything agrees.
 *
 * A database that is smaller than a head, or has another root at its size, is refused with what differs
 * (`ledger_behind`, `ledger_differs`). One that is larger than the guard contains entries whose commit was
 * interrupted: they are durable, nobody was given a receipt for them, and the log continues with them. `signed` is the head
 * that this log is known to have signed last: it takes no guard's place. A store that cannot be read is `storage_failed`.
 *
 * More than a first entry without a guard is refused too (`guard_missing`), whoever holds heads of it: the guard alone may have
 * had the last second of entries, and a mirror that copies behind the commits has not seen them. Where `remembers` says that
 * the signer knows what it signed last, a known head is enough, because nothing else is signed.
 */
export async function compareAtStart(
  sha256: Sha256,
  store: LedgerStore,
  guarded: Guarded | undefined,
  known: readonly KnownHead[],
  signed: BareHead | undefined,
  options: StartOptions = {},
): Promise<StartState> {
  try {
    return await compare(sha256, store, guarded, known, signed, options);
  } catch (error) {
    throw storageFault(error, 'ledger');
  }
}

async function compare(
  sha256: Sha256,
  store: LedgerStore,
  guarded: Guarded | undefined,
  known: readonly KnownHead[],
  signed: BareHead | undefined,
  { most = MOST_READ, remembers = false }: StartOptions,
): Promise<StartState> {
  await requireWhole(sha256, store, guarded);
  const stored = await loadStored(sha256, store, { most });
  try {
    return await compareLoaded(sha256, store, stored, guarded, known, signed, remembers);
  } catch (error) {
    await stored?.mended?.rows.drop();
    throw error;
  }
}

async function compareLoaded(
  sha256: Sha256,
  store: LedgerStore,
  stored: Stored | undefined,
  guarded: Guarded | undefined,
  known: readonly KnownHead[],
  signed: BareHead | undefined,
  remembers: boolean,
): Promise<StartState> {
  const { head: guard, pending = [], untaken } = guarded ?? {};
  if (stored === undefined) {
    const [first] = headsOf(guard, signed, known);
    if (first !== undefined && pendingStart(pending) !== 0) throw behind(0, first);
    await requireEnd(store, 0);
  }
  const tree = stored?.tree ?? new TileTree(sha256);
  let sum = stored?.sum ?? sumOf([]);
  let tiles = stored?.tiles ?? new CheckedTiles(sha256, store, edgeOf(tree)).read;
  const start = pendingStart(pending);
  const isBehind = start !== undefined && tree.size < (guard?.size ?? 0) && start <= tree.size;
  const isCompleted = isBehind && untaken === undefined;
  if (isCompleted) {
    if (stored !== undefined) await writeMended(sha256, store, stored);
    const kept = stored?.isRead === false;
    const views = new LayeredViews(await StoredViews.open(sha256, store, { kept }));
    sum = await addPending(sha256, store, { tree, views, sum }, pending);
    tiles = new CheckedTiles(sha256, store, edgeOf(tree)).read;
  }
  const isKnown = untaken === undefined || (guard?.size ?? 0) <= tree.size;
  for (const each of headsOf(isKnown ? guard : undefined, signed, known)) {
    const { size, root } = each.checkpoint;
    if (size > tree.size) {
      if (untaken !== undefined && isBehind && size <= (guard?.size ?? 0)) {
        throw lacksRoom(tree.size, untaken);
      }
      throw behind(tree.size, each);
    }
    const own = hashHex(await rangeHash(sha256, tiles, { start: 0, end: size }));
    if (own !== hashHex(root)) {
      throw new Fault('ledger_differs', 'ledger', {
        at: `size ${size}`,
        expected: `root ${hashHex(root)}, as ${each.holder} has it`,
        found: own,
      });
    }
  }
  if (guard === undefined && tree.size > 1 && !(remembers && known.length > 0)) {
    throw unguardedLog(tree.size, known);
  }
  if (stored !== undefined && !isCompleted) await writeMended(sha256, store, stored);
  const rows = await rowsOf(sha256, store, stored);
  const { isRead = true, mended } = stored ?? {};
  return { tree, guard, rows, sum, isRead, mended: mended?.reason };
}

/**
 * Fills the holes of a database. Throws `no_room` where it cannot be written, and `ledger_corrupt` where the root would not be
 * that of its head: then nothing is written, because an entry that differs from the guard's is replaced.
 */
async function requireWhole(
  sha256: Sha256,
  store: LedgerStore,
  { pending = [], untaken }: Partial<Guarded> = {},
): Promise<void> {
  const bytes = await store.head();
  if (bytes === undefined) return;
  const { size, root } = readHead(sha256, bytes);
  const lacking = await gapsIn(store, pending, size);
  const [first] = lacking;
  if (first === undefined) return;
  if (untaken !== undefined) throw lacksRoom(first.seq, untaken);
  const tree = new TileTree(sha256);
  for await (const entry of withEntries(store, lacking).entries(0, size)) {
    tree.append(leafHash(sha256, entry));
  }
  if (hashHex(tree.root()) !== root) throw otherRoot(size, root, hashHex(tree.root()));
  await fillGaps(store, lacking, { size, root });
}

/** The rows of a store: those on its disk, or what was derived if that could not be written. It is dropped otherwise. */
export async function rowsOf(
  sha256: Sha256,
  store: LedgerStore,
  stored: Stored | undefined,
): Promise<CommittedRows> {
  if (stored?.mended === undefined) {
    return StoredViews.open(sha256, store, { kept: stored?.isRead === false });
  }
  const { rows } = stored.mended;
  if (store.readOnly !== undefined) return rows.committed();
  await rows.drop();
  return StoredViews.open(sha256, store);
}

function headsOf(
  guard: BareHead | undefined,
  signed: BareHead | undefined,
  known: readonly KnownHead[],
): readonly KnownHead[] {
  const heads = [...known];
  if (signed !== undefined) {
    heads.unshift({ holder: 'the note that was signed last', checkpoint: signed });
  }
  if (guard !== undefined) heads.unshift({ holder: 'head guard', checkpoint: guard });
  return heads;
}

/**
 * The number of entries that a store claims to hold, unchecked. Throws `ledger_corrupt` or `storage_failed`.
 */
export async function storedSize(sha256: Sha256, store: LedgerStore): Promise<number> {
  try {
    const head = await store.head();
    return head === undefined ? 0 : readHead(sha256, head).size;
  } catch (error) {
    throw storageFault(error, 'ledger');
  }
}

/** What follows from a store's entries, but was not stored so. */
interface Mended {
  readonly reason: string;
  readonly tiles: readonly TileRow[];
  /** Whoever does not go on with them drops them. */
  readonly rows: DerivedRows;
}

/** A store that does not contradict itself, or no longer does. */
export interface Stored {
  readonly head: OlderHead;
  readonly tree: TileTree;
  /** Each is checked against the tree when it is read. */
  readonly tiles: TileHashes;
  /** Whether the rows were read or derived. */
  readonly isRead: boolean;
  /** The undamaged rows of a table that is no view's. */
  readonly beside: readonly SealedRow[];
  /** The sum of all rows. */
  readonly sum: RowsSum;
  /** What is not written yet; undefined if everything matched. */
  readonly mended: Mended | undefined;
}

/**
 * What a store claims to hold; undefined if it has no head. Rows and tiles that are not those of the head are
 * derived from the entries again. `beside` is a table of the caller's own, which belongs to no view. If there are more
 * rows than `most`, only its rows are read. Throws `ledger_corrupt` if the head or an entry is damaged.
 */
export async function loadStored(
  sha256: Sha256,
  store: LedgerStore,
  {
    beside,
    most = Number.POSITIVE_INFINITY,
  }: { readonly beside?: string; readonly most?: number } = {},
): Promise<Stored | undefined> {
  const bytes = await store.head();
  if (bytes === undefined) return undefined;
  const head = readHead(sha256, bytes);
  await requireEnd(store, head.size);
  const stored = await loadAsStored(sha256, store, head, beside, most).catch((error: unknown) => {
    const code = faultCode(error) ?? errorCode(error);
    if (code === 'ledger_corrupt' || code === 'LEVEL_CORRUPTION') return messageOf(error);
    throw error;
  });
  const found =
    typeof stored === 'string' ? await derive(sha256, store, head, stored, beside) : stored;
  // The log's id comes from the first, and what is appended next continues the last.
  for (const seq of [0, head.size - 1]) await checkedEntry(sha256, store, found.tiles, seq);
  return found;
}

async function loadAsStored(
  sha256: Sha256,
  store: LedgerStore,
  head: ReadHead,
  beside: string | undefined,
  most: number,
): Promise<Stored> {
  if (head.sum === undefined) {
    const found = 'a head of the format before';
    throw new Fault('ledger_corrupt', 'ledger', { expected: 'rows with digests', found });
  }
  const tree = await loadTree(sha256, store, head.size);
  if (hashHex(tree.root()) !== head.root) {
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `size ${head.size}`,
      expected: `root ${head.root}`,
      found: hashHex(tree.root()),
    });
  }
  const tiles = new CheckedTiles(sha256, store, edgeOf(tree)).read;
  const isRead = head.sum.rows <= most;
  const own = isRead
    ? await checkRows(sha256, store, head.sum, beside)
    : await readBeside(sha256, store, head, beside);
  return { head, tree, tiles, isRead, beside: own, sum: head.sum, mended: undefined };
}

/** Derives everything from the entries, whose root must be the head's. */
async function derive(
  sha256: Sha256,
  store: LedgerStore,
  head: ReadHead,
  reason: string,
  table: string | undefined,
): Promise<Stored> {
  const full: TileRow[] = [];
  const known = new Map<string, TileRow>();
  const onTile = (tile: TileRow): void => {
    full.push(tile);
    known.set(`${tile.level}/${tile.index}`, tile);
  };
  const { root, tree, rows } = await deriveRows(sha256, store, head.size, { onTile });
  if (hashHex(root) !== head.root) {
    await rows.drop();
    throw otherRoot(head.size, head.root, hashHex(root));
  }
  const beside = await readBeside(sha256, store, head, table);
  const sum = sumOf(beside, rows.sum);
  const stored = {
    tile: (level: number, index: number) => Promise.resolve(known.get(`${level}/${index}`)?.bytes),
    entries: store.entries.bind(store),
  };
  const tiles = new CheckedTiles(sha256, stored, edgeOf(tree)).read;
  return { head, tree, tiles, isRead: true, beside, sum, mended: { reason, tiles: full, rows } };
}

/** The undamaged rows of a table that is no view's, which follow from no entry. */
async function readBeside(
  sha256: Sha256,
  store: LedgerStore,
  { sum }: ReadHead,
  table: string | undefined,
): Promise<readonly SealedRow[]> {
  const rows: SealedRow[] = [];
  if (table === undefined) return rows;
  for await (const row of store.views(table)) {
    if (sum === undefined) {
      // The earlier format: all of it is the value.
      rows.push(sealRow(sha256, { ...row, value: concatBytes(row.value, row.digest) }));
      continue;
    }
    try {
      openRow(sha256, row);
      rows.push(row);
    } catch (error) {
      if (faultCode(error) !== 'ledger_corrupt') throw error;
    }
  }
  return rows;
}

/** Writes what was derived again, if anything was and the store can be written. */
export async function writeMended(
  sha256: Sha256,
  store: LedgerStore,
  { head, beside, sum, mended }: Stored,
): Promise<void> {
  if (mended === undefined || store.readOnly !== undefined) return;
  await store.rewrite(head.size, {
    tiles: mended.tiles,
    views: rowsWithTable(mended.rows.sealed(), beside),
    head: formatHead(sha256, { size: head.size, root: head.root, ...sum }),
  });
}

/** The tiles at the right edge of a tree, which are in memory. */
export function edgeOf(tree: TileTree): KnownTile {
  return (level, index) =>
    index === Math.floor(levelLength(level, tree.size) / TILE_WIDTH)
      ? tree.partial(level)
      : undefined;
}

/** Throws `ledger_corrupt` unless the store ends with `size` entries. */
export async function requireEnd(store: LedgerStore, size: number): Promise<void> {
  if ((await store.entry(size)) === undefined) return;
  throw new Fault('ledger_corrupt', 'ledger', {
    at: `entry ${size}`,
    expected: 'nothing behind the head',
    found: 'an entry',
  });
}

/** A head with what it contains about the rows; undefined for one of the earlier format. */
export interface ReadHead extends OlderHead {
  readonly sum: RowsSum | undefined;
}

/**
 * Parses the head of a store, of this format or the earlier one. Throws `ledger_corrupt` with what the operator
 * can do.
 */
export function readHead(sha256: Sha256, bytes: Uint8Array): ReadHead {
  const older = parseOlderHead(bytes);
  if (older !== undefined) return { ...older, sum: undefined };
  try {
    const { size, root, rows, rows_root } = parseHead(sha256, bytes);
    return { size, root, sum: { rows, rows_root } };
  } catch (cause) {
    throw new Fault('ledger_corrupt', 'ledger head', {
      expected: 'a head that has its digest (assay recover derives it from the head guard)',
      found: messageOf(cause),
      cause,
    });
  }
}

/** The fault for entries that do not lead to the root in the head above them. */
function otherRoot(size: number, expected: HashHex, found: HashHex): Fault {
  return new Fault('ledger_corrupt', 'ledger', {
    at: `size ${size}`,
    expected: `root ${expected}: assay restore brings the log back from a copy`,
    found,
  });
}

/** The fault for a log whose guard is gone: an old copy of its database looks exactly like the newest. */
function unguardedLog(size: number, known: readonly KnownHead[]): Fault {
  const others = known.map(({ holder, checkpoint }) => `${holder} a head of ${checkpoint.size}`);
  return new Fault('guard_missing', 'head guard', {
    expected: `the guard of the ${size} entries, which knows whether there were more`,
    found: others.length === 0 ? 'none' : `none; ${others.join(', ')}, which may be behind`,
  });
}

function lacksRoom(seq: number, cause: Fault): Fault {
  return new Fault('no_room', 'ledger', {
    at: `entry ${seq}`,
    expected: 'a disk with room for the entries that the head guard has and the database lacks',
    found: messageOf(cause),
    cause,
  });
}

function behind(size: number, head: KnownHead): Fault {
  return new Fault('ledger_behind', 'ledger', {
    expected: `at least ${head.checkpoint.size} entries, as ${head.holder} has seen`,
    found: `${size}`,
  });
}
