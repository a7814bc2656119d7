import { Fault } from '../fault.ts';
import { resolve, scalarText } from '../rule/pointer.ts';
import { completeAt, type PeriodKind } from '../rule/period.ts';
import { ReadStopped } from '../rule/value.ts';
import { array, integer, object, type Parse, string } from '../wire/schema.ts';
import { parseSourceJson, type SourceJson } from '../source/source-json.ts';
import { DAY_SECONDS } from '../time/time.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { parseUtf8 } from '../bytes/utf8.ts';
import { formatWire, parseWire } from '../wire/wire.ts';

/** A transaction that an address's list names. */
export interface SolanaTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly block_time: number;
}

/** An instruction, outer or inner, that names the listed address. */
export interface SolanaInstruction {
  /** Index into `transactions`. */
  readonly transaction: number;
  readonly program: string;
  /** At most its first 8 bytes, in hex, where Anchor programs encode what is to be done. */
  readonly data: string;
}

/**
 * The text that a rule reads from a list of transactions: canonical JSON, so that two readers of the same chain have
 * the same bytes. Transactions are sorted by slot and then signature, instructions by transaction and then in the order
 * in which they ran.
 */
export interface SolanaText {
  readonly transactions: readonly SolanaTransaction[];
  readonly instructions: readonly SolanaInstruction[];
}

const signature = string(32, 90, /^[1-9A-HJ-NP-Za-km-z]+$/);
const parseShape: Parse<SolanaText> = object<SolanaText>({
  transactions: array(
    object<SolanaTransaction>({
      signature,
      slot: integer(0, Number.MAX_SAFE_INTEGER),
      block_time: integer(0, Number.MAX_SAFE_INTEGER),
    }),
    0,
    1_000_000,
  ),
  instructions: array(
    object<SolanaInstruction>({
      transaction: integer(0, 999_999),
      program: string(32, 44, /^[1-9A-HJ-NP-Za-km-z]+$/),
      data: string(0, 16, /^(?:[0-9a-f]{2})*$/),
    }),
    0,
    2_000_000,
  ),
});

export function formatSolanaText(text: SolanaText): Uint8Array {
  return formatWire(text);
}

/**
 * The transactions of a period that succeeded, from the pages of an address's list (`getSignaturesForAddress`, newest
 * first). Throws `malformed`; stops with `not_published` where the list does not reach beyond the period's end yet.
 */
export function listedTransactions(
  pages: readonly Uint8Array[],
  kind: PeriodKind,
  period: number,
  work: WorkBudget = NO_LIMIT,
): readonly SolanaTransaction[] {
  const from = period * DAY_SECONDS;
  const to = completeAt(kind, period);
  const found = new Map<string, SolanaTransaction>();
  let newest: number | undefined;
  let oldest: number | undefined;
  for (const bytes of pages) {
    work.charge(ROW_STEPS);
    const rows = resolve(parseSourceJson(parseUtf8(bytes), work), '/result');
    if (!Array.isArray(rows)) throw wrong('a list of signatures', 'none');
    for (const row of rows as readonly SourceJson[]) {
      work.charge(ROW_STEPS);
      const listed: SolanaTransaction = {
        signature: signature(scalarText(resolve(row, '/signature'), 'a signature'), 'signature'),
        slot: wholeOf(resolve(row, '/slot'), 'a slot'),
        block_time: wholeOf(resolve(row, '/blockTime'), 'a block time'),
      };
      newest ??= listed.block_time;
      oldest = listed.block_time;
      if (resolve(row, '/err') !== null) continue;
      if (listed.block_time < from || listed.block_time >= to) continue;
      found.set(listed.signature, listed);
    }
  }
  // A node that lags, or that has dropped its old blocks, lists too few transactions without saying so.
  if (newest === undefined || newest < to) {
    throw new ReadStopped('not_published', 'the list does not reach the end of the period');
  }
  if (oldest === undefined || oldest >= from) {
    throw wrong('a list back to before the period', `${oldest}`);
  }
  return [...found.values()].sort(
    (a, b) => a.slot - b.slot || (a.signature < b.signature ? -1 : 1),
  );
}

/** Throws unless `text` is of exactly the listed transactions. */
export function checkSolanaText(
  listed: readonly SolanaTransaction[],
  text: Uint8Array,
  work: WorkBudget = NO_LIMIT,
): void {
  work.charge(TEXT_STEPS * text.length);
  work.check();
  const { transactions, instructions } = parseShape(parseWire(text), 'text');
  if (listed.length !== transactions.length) {
    throw wrong(`${listed.length} transactions`, `${transactions.length}`);
  }
  for (const [i, each] of listed.entries()) {
    const found = transactions[i] as SolanaTransaction;
    if (
      each.signature !== found.signature ||
      each.slot !== found.slot ||
      each.block_time !== found.block_time
    ) {
      throw wrong(`transaction ${each.signature} of slot ${each.slot}`, found.signature);
    }
  }
  let last = 0;
  for (const { transaction } of instructions) {
    if (transaction < last || transaction >= listed.length) {
      throw wrong('instructions in the order of their transactions', `${transaction}`);
    }
    last = transaction;
  }
}

/** Steps for one row of a list, besides its characters. */
const ROW_STEPS = 256;
/** Steps for one byte of a text, which is scanned, parsed and validated against its schema. */
const TEXT_STEPS = 4;

function wholeOf(value: SourceJson | undefined, what: string): number {
  const text = scalarText(value, what);
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text)) throw wrong(what, text.slice(0, 80));
  return Number(text);
}

function wrong(expected: string, found: string): Fault {
  return new Fault('malformed', 'Solana list', { expected, found });
}
