import { isOpen, type Payment, PAYMENT_STATES, type PaymentState } from './record/payment.ts';
import type { IncomingTransfer, UnreadTransfer } from './payment-chain.ts';

/** How many payments there are in a state, and for how much, in the smallest unit. */
export interface StateSum {
  readonly count: number;
  readonly amount: string;
}

/** A payment that is final here and is not, or not like that, on the chain. */
export interface LedgerDifference {
  readonly payment: string;
  readonly expected: string;
  /** What the account received by it; null if the chain has no such transfer. */
  readonly found: string | null;
}

/** The payments of a tier held against the chain. */
export interface LedgerReport {
  readonly states: Readonly<Record<PaymentState, StateSum>>;
  /** What the payments that are final should have brought, and what the chain shows for them. */
  readonly due: string;
  readonly received: string;
  readonly differences: readonly LedgerDifference[];
  /** Payments of which it is not known for good what became of them, or which are lost. */
  readonly open: readonly { readonly payment: string; readonly state: PaymentState }[];
  /** Transfers into the accounts that belong to no payment. */
  readonly foreign: readonly { readonly signature: string; readonly received: string }[];
  /** What went out of the accounts, which no payment does. */
  readonly withdrawn: string;
  /** Transactions of the accounts that could not be read, so that it is not known what they did. */
  readonly unread: readonly { readonly signature: string; readonly reason: string }[];
  /** Whether every payment is decided, what is due has come to the last unit, and nothing else came or could not be read. */
  readonly balanced: boolean;
}

/** How many payments there are in each state, and for how much. */
export async function stateSums(payments: AsyncIterable<Payment>): Promise<LedgerReport['states']> {
  const sums = new Map<PaymentState, { count: number; amount: bigint }>(
    PAYMENT_STATES.map((state) => [state, { count: 0, amount: 0n }]),
  );
  for await (const { state, terms } of payments) {
    const sum = sums.get(state) as { count: number; amount: bigint };
    sum.count += 1;
    sum.amount += BigInt(terms.amount);
  }
  const rows = [...sums].map(([state, { count, amount }]) => [
    state,
    { count, amount: String(amount) },
  ]);
  return Object.fromEntries(rows) as LedgerReport['states'];
}

/** The slots that a report is about: payments whose record is older are left out, and what came without a payment before or after. */
export interface LedgerSlots {
  readonly since: number;
  /** A block that was final when the payments were read. What came later may have a payment that was not written then. */
  readonly until: number;
}

/** Holds payments against everything that came into the seller's accounts. */
export async function ledgerReport(
  payments: AsyncIterable<Payment>,
  transfers: AsyncIterable<IncomingTransfer | UnreadTransfer>,
  slots: LedgerSlots = { since: 0, until: Number.MAX_SAFE_INTEGER },
): Promise<LedgerReport> {
  const known = new Map<string, Payment>();
  for await (const payment of payments) known.set(payment.key, payment);
  const { came, foreign, withdrawn, unread } = await sorted(known, transfers, slots);
  const compared = [...known.values()].filter(({ head }) => head.slot >= slots.since);
  const differences: LedgerDifference[] = [];
  let due = 0n;
  let received = 0n;
  for (const { key, state, terms } of compared) {
    const found = came.get(key);
    const isFinal = state === 'final';
    if (isFinal) due += BigInt(terms.amount);
    if (isFinal) received += found ?? 0n;
    const expected = isFinal ? BigInt(terms.amount) : state === 'failed' ? 0n : undefined;
    if (expected === undefined || (found ?? (isFinal ? undefined : 0n)) === expected) continue;
    const text = found === undefined ? null : String(found);
    differences.push({ payment: key, expected: String(expected), found: text });
  }
  const open = compared
    .filter(({ state }) => isOpen(state))
    .map(({ key, state }) => ({ payment: key, state }));
  async function* all(): AsyncGenerator<Payment> {
    yield* compared;
  }
  const unsolved = [differences, open, foreign, unread];
  return {
    states: await stateSums(all()),
    due: String(due),
    received: String(received),
    differences,
    open,
    foreign,
    withdrawn: String(withdrawn),
    unread,
    balanced: unsolved.every((list) => list.length === 0) && due === received,
  };
}

/** What the transactions of the accounts brought, by what they are for. */
async function sorted(
  known: ReadonlyMap<string, Payment>,
  transfers: AsyncIterable<IncomingTransfer | UnreadTransfer>,
  { since, until }: LedgerSlots,
): Promise<
  Pick<LedgerReport, 'foreign' | 'unread'> & {
    readonly came: ReadonlyMap<string, bigint>;
    readonly withdrawn: bigint;
  }
> {
  const came = new Map<string, bigint>();
  const foreign: { signature: string; received: string }[] = [];
  const unread: { signature: string; reason: string }[] = [];
  let withdrawn = 0n;
  for await (const transfer of transfers) {
    const { signature, slot } = transfer;
    if (transfer.kind === 'unread') {
      unread.push({ signature, reason: transfer.reason });
      continue;
    }
    const { messageHash, received } = transfer;
    // What ran for a payment that is not final here is compared when it is. A transaction may name two of the accounts.
    if (known.has(messageHash)) came.set(messageHash, (came.get(messageHash) ?? 0n) + received);
    else if (slot < since || slot > until) continue;
    else if (received > 0n) foreign.push({ signature, received: String(received) });
    else withdrawn -= received;
  }
  return { came, foreign, unread, withdrawn };
}
