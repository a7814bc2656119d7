import { equalBytes } from '@assay/core/bytes';
import { parseCheckpoint } from '@assay/core/checkpoint';
import { Fault } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash';
import { parseNote } from '@assay/core/note';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import { formatHead, parseHead } from './head.ts';
import type { HeadGuard } from './head-guard.ts';
import { replay, viewRows } from './replay.ts';
import type { KnownHead } from './start.ts';
import type { LedgerStore } from './store.ts';

/** What a recovery did. */
export interface Recovery {
  readonly size: number;
  /** Entries that no head ever covered, and that are gone now. */
  readonly dropped: number;
}

/**
 * What its caller knows and allows. A guard restored from a back-up looks like one that is right: only
 * a head from elsewhere, or the operator, can tell that what lies behind it was published.
 */
export interface RecoverConsent {
  /** How many entries may go. */
  readonly drop: number | 'any';
  /** Heads of this log that others hold. */
  readonly known: readonly KnownHead[];
}

/**
 * Puts a ledger back to the head that its guard holds. It reads every entry up to there again,
 * demands the guard's root, derives tiles and views anew, and drops only what lies behind: entries
 * that were never swapped in, so that nobody was told of them.
 *
 * Throws `refused` without consent, or when a known head is newer than the guard; `ledger_behind` or
 * `ledger_differs` when the entries do not reach the guard's head: then
 * the log must come back from a mirror, never from a shorter copy. Nothing is written before the
 * root is right.
 */
export async function recover(
  sha256: Sha256,
  store: LedgerStore,
  guard: HeadGuard,
  signer: CheckpointSigner,
  consent: RecoverConsent = { drop: 'any', known: [] },
): Promise<Recovery> {
  const note = await guard.read();
  if (note === undefined) {
    throw new Fault('refused', 'recover', {
      expected: 'a head in the guard to go back to',
      found: 'an empty guard',
    });
  }
  const target = signer.open(note);
  const stored = await countEntries(store);
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
  const { root, tiles, views } = await replay(sha256, store, target.size);
  if (!equalBytes(root, target.root)) {
    throw new Fault('ledger_differs', 'recover', {
      at: `size ${target.size}`,
      expected: `root ${hashHex(target.root)}, as the head guard has it`,
      found: hashHex(root),
    });
  }
  await store.rewrite(target.size, {
    tiles,
    views: viewRows(views),
    head: formatHead({ size: target.size, root: hashHex(root) }),
  });
  return { size: target.size, dropped: stored - target.size };
}

/** What a rebuild found. */
export interface Rebuilt {
  readonly size: number;
  readonly rows: number;
  /** View rows that were missing, unknown, or had other bytes. */
  readonly changed: number;
}

/**
 * Derives views and tiles anew from the entries and stores them. Throws `ledger_corrupt`, and
 * `ledger_behind` where the guard has seen more entries than there are.
 */
export async function rebuild(
  sha256: Sha256,
  store: LedgerStore,
  guard: HeadGuard,
): Promise<Rebuilt> {
  const bytes = await store.head();
  if (bytes === undefined) {
    throw new Fault('not_found', 'ledger', { expected: 'a ledger with entries' });
  }
  const head = parseHead(bytes);
  const note = await guard.read();
  const seen = note === undefined ? 0 : parseCheckpoint(parseNote(note).text).size;
  if (head.size < seen) throw behind(seen, head.size);
  const { root, tiles, views } = await replay(sha256, store, head.size);
  if (hashHex(root) !== head.root) {
    throw new Fault('ledger_corrupt', 'ledger', {
      at: `size ${head.size}`,
      expected: `root ${head.root}`,
      found: hashHex(root),
    });
  }
  const rows = [...viewRows(views)];
  const wanted = new Map(rows.map(({ table, key, value }) => [`${table}\0${key}`, value]));
  let changed = 0;
  for await (const { table, key, value } of store.views()) {
    const row = wanted.get(`${table}\0${key}`);
    wanted.delete(`${table}\0${key}`);
    if (row === undefined || !equalBytes(row, value)) changed += 1;
  }
  changed += wanted.size;
  await store.rewrite(head.size, { tiles, views: rows, head: bytes });
  return { size: head.size, rows: rows.length, changed };
}

function behind(seen: number, stored: number): Fault {
  return new Fault('ledger_behind', 'ledger', {
    expected: `${seen} entries, as the head guard has seen`,
    found: `${stored}`,
  });
}

async function countEntries(store: LedgerStore): Promise<number> {
  let count = 0;
  for await (const row of store.rows()) if (row.part === 'entry') count += 1;
  return count;
}
