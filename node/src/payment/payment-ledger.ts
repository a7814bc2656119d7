import { isOpen, type Payment, PAYMENT_STATES, type PaymentState } from './payment.ts';
import type { IncomingTransfer } from './payment-chain.ts';

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
  /** Transfers into the account that belong to no payment. */
  readonly foreign: readonly { readonly signature: string; readonly received: string }[];
  /** Whether every payment is decided and what is due has come, to the last unit. */
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

/** Holds payments against everything that came into the seller's account. */
export async function ledgerReport(
  payments: AsyncIterable<Payment>,
  transfers: AsyncIterable<IncomingTransfer>,
): Promise<LedgerReport> {
  const known = new Map<string, Payment>();
  for await (const payment of payments) known.set(payment.key, payment);
  const came = new Map<string, bigint>();
  const foreign: { signature: string; received: string }[] = [];
  for await (const { signature, messageHash, received } of transfers) {
    const payment = known.get(messageHash);
    // What ran for a payment that is not final here is compared when it is.
    if (payment !== undefined) came.set(messageHash, received);
    else if (received !== 0n) foreign.push({ signature, received: String(received) });
  }
  const differences: LedgerDifference[] = [];
  let due = 0n;
  let received = 0n;
  for (const { key, state, terms } of known.values()) {
    const found = came.get(key);
    const isFinal = state === 'final';
    if (isFinal) due += BigInt(terms.amount);
    if (isFinal) received += found ?? 0n;
    const expected = isFinal ? BigInt(terms.amount) : state === 'failed' ? 0n : undefined;
    if (expected === undefined || (found ?? (isFinal ? undefined : 0n)) === expected) continue;
    const text = found === undefined ? null : String(found);
    differences.push({ payment: key, expected: String(expected), found: text });
  }
  const open = [...known.values()]
    .filter(({ state }) => isOpen(state))
    .map(({ key, state }) => ({ payment: key, state }));
  async function* all(): AsyncGenerator<Payment> {
    yield* known.values();
  }
  return {
    states: await stateSums(all()),
    due: String(due),
    received: String(received),
    differences,
    open,
    foreign,
    balanced: differences.length === 0 && open.length === 0 && due === received,
  };
}
