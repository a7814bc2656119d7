import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { entryBody, entryPrev, scanEntry } from '@assay/core/log/entry';
import { hashHex, type HashHex, leafHash, type Sha256, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatHashTile } from '@assay/core/log/tile';
import type { TileTree } from '@assay/core/log/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import { formatHead, formatOlderHead, type OlderHead } from '@assay/core/view/head';
import type { RowsSum } from '@assay/core/view/rows-root';
import type { PendingBatch } from './guard/head-guard.ts';
import type { LayeredViews } from './store/layered-views.ts';
import { RowSealer } from './store/sealed-row.ts';
import type { EntryRow, LedgerStore, SealedRow, TileRow } from './store/store.ts';

/** A log as it was read, which pending batches are added to. */
export interface Grown {
  readonly tree: TileTree;
  readonly views: LayeredViews;
  readonly sum: RowsSum;
}

/** Entries of pending batches that a database of `size` entries lacks, or has others in the place of, below that size. */
export async function gapsIn(
  store: LedgerStore,
  pending: readonly PendingBatch[],
  size: number,
): Promise<readonly EntryRow[]> {
  const lacking: EntryRow[] = [];
  for (const { from, to, entries } of pending) {
    const start = from?.size ?? 0;
    const stored = new Map<number, Uint8Array>();
    for await (const row of entriesIn(store, start, Math.min(to.size, size))) {
      stored.set(row.seq, row.bytes);
    }
    for (const [i, bytes] of entries.entries()) {
      const seq = start + i;
      if (seq >= size) break;
      const found = stored.get(seq);
      if (found === undefined || !equalBytes(found, bytes)) lacking.push({ seq, bytes });
    }
  }
  return lacking;
}

/** The number of entries before the first pending batch; undefined where there is none. */
export function pendingStart(pending: readonly PendingBatch[]): number | undefined {
  const [first] = pending;
  return first === undefined ? undefined : (first.from?.size ?? 0);
}

/**
 * A database as it would be with entries in the place of those that it lacks or has otherwise, in ascending order. It is read
 * before anything is written: what `gapsIn` names may replace an entry that is evidence.
 */
export function withEntries(
  store: Pick<LedgerStore, 'entries'>,
  rows: readonly EntryRow[],
): Pick<LedgerStore, 'entries'> {
  return {
    async *entries(start, end) {
      let next = start;
      for (const { seq, bytes } of rows) {
        if (seq < start || seq >= end) continue;
        yield* store.entries(next, seq);
        yield bytes;
        next = seq + 1;
      }
      yield* store.entries(next, end);
    },
  };
}

/**
 * Writes entries that `gapsIn` found below a head, which is the database's own or one that they lead to: a power failure may
 * have taken what was not synced. The head is written with them and says nothing of rows, so that whoever reads the database
 * next derives them, even if this process ends before that. The caller has compared the root that they lead to.
 */
export async function fillGaps(
  store: LedgerStore,
  entries: readonly EntryRow[],
  head: OlderHead,
): Promise<void> {
  if (entries.length === 0) return;
  await store.commit({ entries, tiles: [], views: [], head: formatOlderHead(head) });
}

/** Stored entries by their number, also where one before them is missing. */
async function* entriesIn(
  store: LedgerStore,
  start: number,
  end: number,
): AsyncGenerator<EntryRow> {
  let seq = start;
  const whole: EntryRow[] = [];
  for await (const bytes of store.entries(start, end)) {
    whole.push({ seq, bytes });
    seq += 1;
  }
  if (seq === end || start >= end) {
    yield* whole;
    return;
  }
  for (let each = start; each < end; each += 1) {
    const bytes = await store.entry(each);
    if (bytes !== undefined) yield { seq: each, bytes };
  }
}

/** How many bytes of entries go into one commit, if several batches are added. */
const MAX_COMMIT_BYTES = 1024 * 1024;

/**
 * Adds the pending batches that go beyond `log` to it and to the database, several of them in one commit with what follows
 * from them. Throws `ledger_differs` where one does not continue the log, or does not lead to its head.
 */
export async function addPending(
  sha256: Sha256,
  store: LedgerStore,
  { tree, views, sum }: Grown,
  pending: readonly PendingBatch[],
): Promise<RowsSum> {
  const sealer = new RowSealer(sha256, sum);
  const parseBody = bodyParser(sha256);
  let prev: HashHex = ZERO_HASH_HEX;
  let log: HashHex | undefined;
  if (tree.size > 0) {
    const [first, last] = await Promise.all([store.entry(0), store.entry(tree.size - 1)]);
    if (first === undefined || last === undefined) throw differs(tree.size, 'an entry is missing');
    prev = hashHex(leafHash(sha256, last));
    log = hashHex(leafHash(sha256, first));
  }
  let rows: EntryRow[] = [];
  let tiles: TileRow[] = [];
  const sealed = new Map<string, SealedRow>();
  let waiting = 0;
  const commit = async (): Promise<void> => {
    if (rows.length === 0) return;
    const head = { size: tree.size, root: hashHex(tree.root()), ...sealer.sum };
    await store.commit({
      entries: rows,
      tiles,
      views: [...sealed.values()],
      head: formatHead(sha256, head),
    });
    rows = [];
    tiles = [];
    sealed.clear();
    waiting = 0;
  };
  for (const { from, to, entries } of pending) {
    const start = from?.size ?? 0;
    if (to.size <= tree.size) continue;
    if (start > tree.size) throw differs(tree.size, `a batch that begins at ${start}`);
    for (const bytes of entries.slice(tree.size - start)) {
      const seq = tree.size;
      try {
        const leaf = leafHash(sha256, bytes);
        const layout = scanEntry(bytes);
        if (layout.seq !== seq || entryPrev(bytes, layout) !== prev) {
          throw new Fault('ledger_corrupt', 'hash chain', { expected: `${seq} after ${prev}` });
        }
        prev = hashHex(leaf);
        log ??= prev;
        const body = parseBody(layout.kind, entryBody(bytes, layout));
        const writes =
          body === undefined ? [] : foldEntry({ ...body, seq, at: layout.at, log }, views, sha256);
        for (const write of writes) {
          const before = views.get(write.table, write.key);
          sealed.set(`${write.table}\0${write.key}`, sealer.seal(write, before));
          views.write([write]);
        }
        rows.push({ seq, bytes });
        waiting += bytes.length;
        for (const { level, index, hashes } of tree.append(leaf)) {
          tiles.push({ level, index, bytes: formatHashTile(hashes) });
        }
      } catch (cause) {
        throw differs(seq, messageOf(cause), cause);
      }
    }
    const root = tree.root();
    if (!equalBytes(root, to.root)) throw differs(to.size, `root ${hashHex(root)}`);
    if (waiting >= MAX_COMMIT_BYTES) await commit();
  }
  await commit();
  return sealer.sum;
}

function differs(seq: number, found: string, cause?: unknown): Fault {
  return new Fault('ledger_differs', 'ledger', {
    at: `entry ${seq}`,
    expected: 'the batch that the head guard has there',
    found,
    cause,
  });
}
