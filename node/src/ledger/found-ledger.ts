import { Fault, messageOf } from '@assay/core/fault';
import { parseEntry } from '@assay/core/log/entry';
import { hashHex, leafHash, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { parseTime, formatTime } from '@assay/core/time/time';
import { type KeptHead, keptHead } from './kept-note.ts';
import type { ShownBefore } from './publishing.ts';
import type { LedgerOptions } from './ledger-options.ts';
import type { End } from './log-end.ts';
import { deriveRows } from './derived/derived-rows.ts';
import {
  compareAtStart,
  type Guarded,
  type KnownHead,
  type StartState,
  storedSize,
} from './start.ts';
import { LOCAL_WRITER } from './guard/head-guard.ts';
import { storageFault } from '../platform/storage-fault.ts';

/**
 * Why an interrupted commit is not completed: nobody could confirm that it was not undone, or the disk is full.
 */
export function unguarded(code: 'read_only' | 'no_room', { tree, guard }: StartState): Fault {
  return new Fault(code, 'ledger', {
    expected: `a head guard at ${tree.size}, or ${code === 'read_only' ? 'a head from elsewhere before it is moved' : 'a disk on which it can be moved'}`,
    found: `a head guard at ${guard?.size ?? 0}`,
  });
}

/** What a start finds in the store and the guard, and at the holders of heads that it asks. */
export interface Found {
  readonly start: StartState;
  readonly end: End;
  readonly kept: KeptHead | undefined;
  /** Why nobody else's head could be compared, if one is required. */
  readonly readOnly: Fault | undefined;
  /** The note that was signed last, as far as it was stored. */
  readonly signed: KeptHead | undefined;
  /** Why the guard's epoch was not taken: the disk cannot be written. Undefined if it was. */
  readonly untaken: Fault | undefined;
}

/**
 * Takes the guard's epoch, reads and compares, and writes nothing except what the guard has and what was derived again.
 * `own` are heads that are known already.
 */
export async function findStored(
  options: LedgerOptions,
  own: readonly KnownHead[],
): Promise<Found> {
  const { sha256, store, signer, witness } = options;
  let readOnly: Fault | undefined;
  let known = own;
  if (options.askHeads !== null) {
    try {
      known = [...known, ...(await options.askHeads(await storedSize(sha256, store)))];
    } catch (cause) {
      readOnly = new Fault('read_only', 'ledger', {
        expected: 'a head from a witness or a mirror',
        found: messageOf(cause),
        cause,
      });
    }
  }
  const kept = await keptHead(witness, signer);
  if (kept !== undefined) {
    known = [...known, { holder: 'the note that was shown last', checkpoint: kept }];
  }
  const note = await options.signed?.read();
  const signed = note === undefined ? undefined : { ...signer.open(note), note };
  const { guarded, untaken } = await takeEpoch(options);
  const start = await compareAtStart(sha256, store, guarded, known, signed, {
    remembers: signer.remembers === true,
  });
  const end = await readEnd(options, start.tree.size);
  return { start, end, kept, readOnly, signed, untaken };
}

/** Takes the guard's next epoch; where the disk cannot be written, it only reads what the guard has. */
async function takeEpoch({ store, guard, writer = LOCAL_WRITER }: LedgerOptions): Promise<{
  readonly guarded: Guarded | undefined;
  readonly untaken: Fault | undefined;
}> {
  let untaken = store.readOnly;
  if (untaken === undefined) {
    try {
      return { guarded: { ...(await guard.take(writer, writer)), untaken }, untaken };
    } catch (error) {
      const fault = storageFault(error, 'head guard');
      if (!(fault instanceof Fault) || fault.code !== 'no_room') throw fault;
      untaken = fault;
    }
  }
  const row = await guard.peek();
  return { guarded: row === undefined ? undefined : { ...row, untaken }, untaken };
}

/** The state that readers were shown before a start, if they are shown it now. */
export async function shownAtStart(
  { sha256, store, witness }: LedgerOptions,
  kept: KeptHead | undefined,
  size: number,
): Promise<ShownBefore | undefined> {
  if (kept === undefined) return undefined;
  if (kept.size === size) return { head: kept, rows: undefined };
  // Readers are shown the newest head at once.
  if ((witness?.required ?? 0) === 0) return undefined;
  // The entries after it were never shown. Its rows are derived from those before.
  const { rows } = await deriveRows(sha256, store, kept.size);
  return { head: kept, rows: rows.committed() };
}

/** What the next entry continues: the newest entry's leaf and time, and the log's id. */
async function readEnd({ sha256, store }: LedgerOptions, size: number): Promise<End> {
  if (size === 0) return { size, prev: ZERO_HASH_HEX, at: formatTime(0), log: undefined };
  const [first, last] = await Promise.all([store.entry(0), store.entry(size - 1)]);
  if (first === undefined || last === undefined) {
    throw new Fault('ledger_corrupt', 'ledger', { expected: 'entry 0 and the newest entry' });
  }
  const { at } = parseEntry(last);
  parseTime(at);
  return {
    size,
    prev: hashHex(leafHash(sha256, last)),
    at,
    log: hashHex(leafHash(sha256, first)),
  };
}
