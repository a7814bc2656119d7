import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { formatHead, type OlderHead } from '@assay/core/view/head';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { entryTiles } from './entry-tiles.ts';
import {
  type BareHead,
  type HeadGuard,
  LOCAL_WRITER,
  type TakenEpoch,
} from '../guard/head-guard.ts';
import { fillGaps, gapsIn, pendingStart, withEntries } from '../pending-entries.ts';
import { type DerivationOptions, type Derived, deriveRows } from './derived-rows.ts';
import { compareRows, sealRow } from '../store/sealed-row.ts';
import { type KnownHead, readHead } from '../start.ts';
import type { EntryRow, LedgerStore, SealedRow } from '../store/store.ts';

/** What a recovery did. */
export interface Recovery {
  readonly size: number;
  /** Entries that no head ever covered, and that were removed. */
  readonly dropped: number;
}

/**
 * What the caller knows and allows. A guard restored from a backup looks like one that is right: only a head
 * from elsewhere, or the operator, can show that what comes after it was published.
 */
export interface RecoverConsent {
  /** How many entries may be removed. */
  readonly drop: number | 'any';
  /** Heads of this log that others hold. */
  readonly known: readonly KnownHead[];
}

/**
 * Puts a ledger back to the head that its guard holds. It reads every entry up to there again, requires the
 * guard's root, derives tiles and views again, and removes only what comes after: entries that were never
 * swapped in, so that nobody was given a receipt for them.
 *
 * Throws `refused` without consent, or if a known head is newer than the guard; `ledger_behind` or
 * `ledger_differs` if the entries do not reach the guard's head: then the log must come back from a mirror,
 * never from a shorter copy. Before the root is right nothing is written. Entries that the guard has and the database lacks
 * come first then, with a head that a start can go on from.
 */
export async function recover(
  sha256: Sha256,
  store: LedgerStore,
  guard: HeadGuard,
  consent: RecoverConsent = { drop: 'any', known: [] },
  options: Pick<DerivationOptions, 'most'> = {},
): Promise<Recovery> {
  const { head: target, pending } = await takeRow(guard);
  if (target === undefined) {
    throw new Fault('refused', 'recover', {
      expected: 'a head in the guard to go back to',
      found: 'an empty guard',
    });
  }
  // What the guard has of the log before its head, and the database may lack.
  const lacking = await gapsIn(store, pending, target.size);
  const stored = (await countEntries(store)) + (await countMissing(store, lacking));
  if (stored < target.size) throw behind(target.size, stored);
  const published = consent.known.find(({ checkpoint }) => checkpoint.size > target.size);
  if (published !== undefined) {
    throw new Fault('refused', 'recover', {
      expected: `a head guard at ${published.checkpoint.size} or more, as ${published.holder} has seen`,
      found: `an older copy of it, at ${target.size}`,
    });
  }
  if (consent.drop !== 'any' && consent.drop !== stored - target.size) {
    throw new Fault('refused', 'recover', {
      expected: `consent to drop the ${stored - target.size} entries behind ${target.size}`,
      found: `consent to drop ${consent.drop}`,
    });
  }
  const derived = await deriveRows(sha256, store, target.size, {
    entries: withEntries(store, lacking),
    ...options,
  });
  const { root, rows } = derived;
  try {
    if (!equalBytes(root, target.root)) {
      throw new Fault('ledger_differs', 'recover', {
        at: `size ${target.size}`,
        expected: `root ${hashHex(target.root)}, as the head guard has it`,
        found: hashHex(root),
      });
    }
    await fillGaps(store, lacking, await headAbove(sha256, store, target));
    await write(sha256, store, derived);
  } finally {
    await rows.drop();
  }
  return { size: target.size, dropped: stored - target.size };
}

/** The result of a rebuild. */
export interface Rebuilt {
  readonly size: number;
  readonly rows: number;
  /** How many view rows were missing, unknown, or had other bytes. */
  readonly changed: number;
}

/**
 * Derives views and tiles from the entries again and stores them. Throws `ledger_corrupt`, and `ledger_behind`
 * if the guard has seen more entries than there are. Before the root is right nothing is written.
 */
export async function rebuild(
  sha256: Sha256,
  store: LedgerStore,
  guard: HeadGuard,
  options: Pick<DerivationOptions, 'most'> = {},
): Promise<Rebuilt> {
  const bytes = await store.head();
  if (bytes === undefined) {
    throw new Fault('not_found', 'ledger', { expected: 'a ledger with entries' });
  }
  const head = readHead(sha256, bytes);
  const taken = await takeRow(guard);
  const seen = taken.head?.size ?? 0;
  const isBehind = head.size < seen;
  if (isBehind && (pendingStart(taken.pending) ?? seen) > head.size) throw behind(seen, head.size);
  const target =
    isBehind && taken.head !== undefined ? { size: seen, root: hashHex(taken.head.root) } : head;
  const { size } = target;
  const lacking = await gapsIn(store, taken.pending, size);
  const derived = await deriveRows(sha256, store, size, {
    entries: withEntries(store, lacking),
    ...options,
  });
  const { root, rows } = derived;
  try {
    if (hashHex(root) !== target.root) {
      throw new Fault('ledger_corrupt', 'ledger', {
        at: `size ${size}`,
        expected: `root ${target.root}`,
        found: hashHex(root),
      });
    }
    await fillGaps(store, lacking, target);
    const changed = await countChanged(sha256, rows.sealed(), store.views());
    await write(sha256, store, derived);
    return { size, rows: rows.sum.rows, changed };
  } finally {
    await rows.drop();
  }
}

/** How many of the rows that are wanted are not among the stored ones, and how many stored ones are not wanted. */
async function countChanged(
  sha256: Sha256,
  wanted: AsyncIterable<SealedRow> | Iterable<SealedRow>,
  stored: AsyncIterable<SealedRow>,
): Promise<number> {
  let changed = 0;
  const rest = stored[Symbol.asyncIterator]();
  try {
    let found = await rest.next();
    for await (const row of wanted) {
      for (; found.done !== true && compareRows(found.value, row) < 0; found = await rest.next()) {
        changed += 1;
      }
      if (found.done === true || compareRows(found.value, row) !== 0) {
        changed += 1;
        continue;
      }
      if (!hasDigest(sha256, found.value, row.digest)) changed += 1;
      found = await rest.next();
    }
    for (; found.done !== true; found = await rest.next()) changed += 1;
  } finally {
    await rest.return?.();
  }
  return changed;
}

/** The guard's row and what the database may lack: nothing, where there is no guard. */
async function takeRow(guard: HeadGuard): Promise<Pick<TakenEpoch, 'head' | 'pending'>> {
  const row = await guard.look();
  return row === undefined
    ? { head: undefined, pending: [] }
    : guard.take(row.writer === '' ? LOCAL_WRITER : row.writer, row.writer);
}

/**
 * Writes what follows from entries whose root was right. They are read a second time for their tiles, so that
 * only one of these is in memory.
 */
async function write(
  sha256: Sha256,
  store: LedgerStore,
  { size, root, rows }: Derived,
): Promise<void> {
  await store.rewrite(size, {
    tiles: entryTiles(sha256, store, size),
    views: rows.sealed(),
    head: formatHead(sha256, { size, root: hashHex(root), ...rows.sum }),
  });
}

/** Whether a stored row is the one with a digest, and has that digest next to its bytes. */
function hasDigest(sha256: Sha256, row: SealedRow, digest: Uint8Array): boolean {
  return equalBytes(row.digest, digest) && equalBytes(sealRow(sha256, row).digest, digest);
}

function behind(seen: number, stored: number): Fault {
  return new Fault('ledger_behind', 'ledger', {
    expected: `${seen} entries, as the head guard has seen`,
    found: `${stored}`,
  });
}

async function countEntries(store: LedgerStore): Promise<number> {
  let count = 0;
  for await (const row of store.rows()) {
    if (row.part !== 'entry' && row.part !== 'unknown') break;
    if (row.part === 'entry') count += 1;
  }
  return count;
}

async function countMissing(store: LedgerStore, rows: readonly EntryRow[]): Promise<number> {
  let count = 0;
  for (const { seq } of rows) if ((await store.entry(seq)) === undefined) count += 1;
  return count;
}

/** The head of the database where it is above the target, so that nothing lies behind what it says; the target otherwise. */
async function headAbove(sha256: Sha256, store: LedgerStore, target: BareHead): Promise<OlderHead> {
  const below = { size: target.size, root: hashHex(target.root) };
  const bytes = await store.head();
  if (bytes === undefined) return below;
  try {
    const { size, root } = readHead(sha256, bytes);
    return size > target.size ? { size, root } : below;
  } catch {
    // A head that is damaged is what a recovery mends.
    return below;
  }
}
