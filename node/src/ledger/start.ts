import { equalBytes } from '@assay/core/bytes';
import type { Checkpoint } from '@assay/core/checkpoint';
import { Fault } from '@assay/core/fault';
import { hashHex, leafHash, type Sha256 } from '@assay/core/hash';
import { TILE_WIDTH } from '@assay/core/tile';
import type { TileTree } from '@assay/core/tile-tree';
import { storageFault } from '../storage-fault.ts';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import { type Head, parseHead } from './head.ts';
import type { HeadGuard } from './head-guard.ts';
import { WRITE_BUFFER_BYTES } from './level-store.ts';
import type { LedgerStore } from './store.ts';
import { loadTree, rangeHash, storedTiles, subtreeHash, type TileHashes } from './tree-reader.ts';

/** Twice LevelDB's write buffer: one may be on its way to a table while the next fills. */
const TAIL_BYTES = 2 * WRITE_BUFFER_BYTES;

/** A head of this log that somebody else holds: a witness, a mirror. */
export interface KnownHead {
  readonly holder: string;
  readonly checkpoint: Checkpoint;
}

/**
 * Asks those who hold heads of this log, of which `size` entries are stored; throws when none can be reached
 * that would know of them.
 */
export type AskHeads = (size: number) => Promise<readonly KnownHead[]>;

/** What a ledger finds when it starts. */
export interface StartState {
  readonly tree: TileTree;
  /** The note in the guard; undefined for a log that has never committed. */
  readonly guard: Uint8Array | undefined;
  readonly guardSize: number;
}

/**
 * Compares the database with the head guard and with the heads known elsewhere, and settles it when
 * all agree. A database that is smaller than a head, or has another root at its size, is refused with
 * what differs (`ledger_behind`, `ledger_differs`). One that is larger than the guard holds entries
 * whose commit was cut short: they are durable, nobody was told of them, and the log goes on with
 * them. More than a first entry that no head is known for is refused too (`guard_missing`). A store
 * or guard that cannot be read is `storage_failed`.
 */
export async function compareAtStart(
  sha256: Sha256,
  store: LedgerStore,
  guard: HeadGuard,
  signer: CheckpointSigner,
  known: readonly KnownHead[],
): Promise<StartState> {
  try {
    const found = await compare(sha256, store, guard, signer, known);
    await store.settle();
    return found;
  } catch (error) {
    throw storageFault(error, 'ledger');
  }
}

async function compare(
  sha256: Sha256,
  store: LedgerStore,
  guard: HeadGuard,
  signer: CheckpointSigner,
  known: readonly KnownHead[],
): Promise<StartState> {
  const note = await guard.read();
  const heads = [...known];
  if (note !== undefined) heads.unshift({ holder: 'head guard', checkpoint: signer.open(note) });
  const stored = await loadStored(sha256, store);
  if (stored === undefined) {
    const [first] = heads;
    if (first !== undefined) throw behind(0, first);
    await requireEnd(store, 0);
    return { tree: await loadTree(sha256, store, 0), guard: undefined, guardSize: 0 };
  }
  const { head, tree, tiles } = stored;
  // Without a head from anywhere an old copy of the database looks just like the newest.
  if (heads.length === 0 && head.size > 1) {
    throw new Fault('guard_missing', 'head guard', {
      expected: `a head of the ${head.size} entries, or one from a mirror`,
      found: 'none',
    });
  }
  for (const each of heads) {
    const { size, root } = each.checkpoint;
    if (size > head.size) throw behind(head.size, each);
    const own = hashHex(await rangeHash(sha256, tiles, { start: 0, end: size }));
    if (own !== hashHex(root)) {
      throw new Fault('ledger_differs', 'ledger', {
        at: `size ${size}`,
        expected: `root ${hashHex(root)}, as ${each.holder} has it`,
        found: own,
      });
    }
  }
  const guardSize = note === undefined ? 0 : signer.open(note).size;
  return { tree, guard: note, guardSize };
}

/** Entries that a store says it holds, unchecked. Throws `ledger_corrupt` or `storage_failed`. */
export async function storedSize(store: LedgerStore): Promise<number> {
  try {
    const head = await store.head();
    return head === undefined ? 0 : readHead(head).size;
  } catch (error) {
    throw storageFault(error, 'ledger');
  }
}

/** A store that does not contradict itself, as far as a start looks. */
export interface Stored {
  readonly head: Head;
  readonly tree: TileTree;
  readonly tiles: TileHashes;
}

/** What a store says it holds, or undefined where it has no head. Throws `ledger_corrupt`. */
export async function loadStored(sha256: Sha256, store: LedgerStore): Promise<Stored | undefined> {
  const headBytes = await store.head();
  if (headBytes === undefined) return undefined;
  const head = readHead(headBytes);
  const tree = await loadTree(sha256, store, head.size);
  if (hashHex(tree.root()) !== head.root) {
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `size ${head.size}`,
      expected: `root ${head.root}`,
      found: hashHex(tree.root()),
    });
  }
  await requireEnd(store, head.size);
  const tiles = storedTiles(sha256, store, head.size);
  // The log's id comes from the one, and what is appended next continues the other.
  for (const seq of [0, head.size - 1]) await requireLeaf(sha256, store, tiles, seq);
  await requireTail(sha256, store, tiles, head.size);
  return { head, tree, tiles };
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

/** Throws `ledger_corrupt` unless entry `seq` is the one that the tree has there. */
async function requireLeaf(
  sha256: Sha256,
  store: LedgerStore,
  tiles: TileHashes,
  seq: number,
): Promise<void> {
  const bytes = await store.entry(seq);
  const expected = hashHex(await subtreeHash(sha256, tiles, { level: 0, index: seq }));
  const found = bytes === undefined ? 'none' : hashHex(leafHash(sha256, bytes));
  if (found === expected) return;
  throw new Fault('ledger_corrupt', 'ledger', {
    at: `entry ${seq}`,
    expected: `leaf ${expected}`,
    found,
  });
}

/**
 * Throws `ledger_corrupt` unless the newest entries are those of the tree, as far back as LevelDB may
 * not have written them to a table yet: where its log is damaged it leaves out batches and goes on
 * with the ones behind.
 */
async function requireTail(
  sha256: Sha256,
  store: LedgerStore,
  tiles: TileHashes,
  size: number,
): Promise<void> {
  let bytes = 0;
  for (let i = Math.ceil(size / TILE_WIDTH) - 1; i >= 0 && bytes < TAIL_BYTES; i -= 1) {
    const start = i * TILE_WIDTH;
    const hashes = await tiles(0, i);
    let seq = start;
    for await (const entry of store.entries(start, Math.min(start + TILE_WIDTH, size))) {
      const expected = hashes[seq - start];
      if (expected === undefined || !equalBytes(leafHash(sha256, entry), expected)) break;
      bytes += entry.length;
      seq += 1;
    }
    if (seq === start + hashes.length) continue;
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `entry ${seq}`,
      expected: 'the entry that the tree has there',
      found: 'none, or another',
    });
  }
}

function readHead(bytes: Uint8Array): Head {
  try {
    return parseHead(bytes);
  } catch (cause) {
    throw new Fault('ledger_corrupt', 'ledger head', { found: String(cause), cause });
  }
}

function behind(size: number, head: KnownHead): Fault {
  return new Fault('ledger_behind', 'ledger', {
    expected: `at least ${head.checkpoint.size} entries, as ${head.holder} has seen`,
    found: `${size}`,
  });
}
