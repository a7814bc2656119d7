import { requireLength } from '../bytes/bytes.ts';
import type { HashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { hexAt, malformed, requireExact, viewOf } from './account-bytes.ts';
import { PAGE_PERIODS } from './ordinal.ts';
import { type ChainRecord, formatRecord, parseRecord, RECORD_BYTES } from './record.ts';

/**
 * 32 periods of a feed, 6,480 bytes, little endian; address `["page", feed, index u32]`:
 *
 *      0   8  "assayPG1"
 *      8   1  bump
 *      9   3  zero
 *     12   4  index u32: ordinal / 32
 *     16  32  feed
 *     48  32  zero
 *     80 ...  32 slots, by ordinal % 32
 */
export interface PageAccount {
  readonly bump: number;
  readonly index: number;
  readonly feed: HashHex;
  /** 32 slots; null for a period without a print. */
  readonly slots: readonly (PageSlot | null)[];
}

/**
 * What was printed of one period, 200 bytes, little endian:
 *
 *       0   4  period i32, days since 1970-01-01
 *       4   1  flags: 1 provisional, 2 final, 4 void, 8 corrected, 16 dissent
 *       5   3  zero
 *       8  64  the newest provisional
 *      72  64  the final or void
 *     136  64  the newest correction
 */
export interface PageSlot {
  readonly period: number;
  readonly provisional: ChainRecord | null;
  readonly settled: ChainRecord | null;
  readonly corrected: ChainRecord | null;
  /** Whether a co-signer dissented from one of the period's prints. */
  readonly dissent: boolean;
}

export const PAGE_BYTES = 6480;
export const PAGE_MAGIC = 'assayPG1';
export const SLOT_BYTES = 200;

export const PAGE_OFFSETS = { bump: 8, index: 12, feed: 16, slots: 80 } as const;
export const SLOT_OFFSETS = { flags: 4, provisional: 8, settled: 72, corrected: 136 } as const;

const IS_PROVISIONAL = 1;
const IS_FINAL = 2;
const IS_VOID = 4;
const IS_CORRECTED = 8;
const HAS_DISSENT = 16;

/** The account's bytes. */
export function formatPage(page: PageAccount): Uint8Array {
  const out = new Uint8Array(PAGE_BYTES);
  out.set(formatUtf8(PAGE_MAGIC));
  out[PAGE_OFFSETS.bump] = page.bump;
  viewOf(out).setUint32(PAGE_OFFSETS.index, page.index, true);
  out.set(parseHex(page.feed, 32), PAGE_OFFSETS.feed);
  for (const [number, slot] of page.slots.entries()) {
    if (slot !== null) out.set(formatSlot(slot), PAGE_OFFSETS.slots + SLOT_BYTES * number);
  }
  return out;
}

function formatSlot(slot: PageSlot): Uint8Array {
  const out = new Uint8Array(SLOT_BYTES);
  const { provisional, settled, corrected } = slot;
  viewOf(out).setInt32(0, slot.period, true);
  out[SLOT_OFFSETS.flags] =
    (provisional === null ? 0 : IS_PROVISIONAL) |
    (settled?.status === 'final' ? IS_FINAL : 0) |
    (settled?.status === 'void' ? IS_VOID : 0) |
    (corrected === null ? 0 : IS_CORRECTED) |
    (slot.dissent ? HAS_DISSENT : 0);
  if (provisional !== null) out.set(formatRecord(provisional), SLOT_OFFSETS.provisional);
  if (settled !== null) out.set(formatRecord(settled), SLOT_OFFSETS.settled);
  if (corrected !== null) out.set(formatRecord(corrected), SLOT_OFFSETS.corrected);
  return out;
}

/**
 * The page in an account's bytes. Throws `bad_length`, or `malformed` for bytes that the program does not write. The
 * caller must check the owner and the address of the account.
 */
export function parsePage(bytes: Uint8Array): PageAccount {
  requireLength(bytes, PAGE_BYTES, 'page account');
  const page: PageAccount = {
    bump: bytes[PAGE_OFFSETS.bump] ?? 0,
    index: viewOf(bytes).getUint32(PAGE_OFFSETS.index, true),
    feed: hexAt(bytes, PAGE_OFFSETS.feed),
    slots: Array.from({ length: PAGE_PERIODS }, (_, number) => {
      const at = PAGE_OFFSETS.slots + SLOT_BYTES * number;
      return parseSlot(bytes.subarray(at, at + SLOT_BYTES));
    }),
  };
  return requireExact('page account', bytes, page, formatPage);
}

function parseSlot(bytes: Uint8Array): PageSlot | null {
  const flags = bytes[SLOT_OFFSETS.flags] ?? 0;
  if (flags === 0) return null;
  const recordAt = (at: number, statuses: readonly ChainRecord['status'][]): ChainRecord => {
    const record = parseRecord(bytes.subarray(at, at + RECORD_BYTES));
    if (!statuses.includes(record.status)) {
      throw malformed('page account', statuses.join(' or '), record.status);
    }
    return record;
  };
  const has = (bits: number): boolean => (flags & bits) !== 0;
  return {
    period: viewOf(bytes).getInt32(0, true),
    provisional: has(IS_PROVISIONAL) ? recordAt(SLOT_OFFSETS.provisional, ['provisional']) : null,
    settled: has(IS_FINAL | IS_VOID) ? recordAt(SLOT_OFFSETS.settled, ['final', 'void']) : null,
    corrected: has(IS_CORRECTED) ? recordAt(SLOT_OFFSETS.corrected, ['corrected']) : null,
    dissent: has(HAS_DISSENT),
  };
}
