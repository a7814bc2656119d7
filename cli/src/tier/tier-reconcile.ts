import { httpPaymentReader, loadTransferFormat } from '@assay/node/payment/payment-chain';
import { ledgerReport, type LedgerReport } from '@assay/node/payment/payment-ledger';
import type { Payment } from '@assay/node/payment/payment';
import type { PaymentStore } from '@assay/node/payment/payment-store';
import type { Environment } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';
import { printableJson } from '../text/printable-json.ts';
import { count, textRows } from '../text/text-rows.ts';
import { withBooks } from './tier-books.ts';

export interface TierReconcileOptions {
  readonly config: string;
  readonly json: boolean;
}

/** Milliseconds of one exchange with the node of the chain. */
const RPC_MS = 20_000;
/** Slots before the first payment from which on the chain is read. */
const SLACK_SLOTS = 600;
/** How many of one kind are listed; the JSON has all. */
const MOST_LISTED = 20;

/** Holds all payments against the chain. */
export function tierReconcile(
  { config, json }: TierReconcileOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  return withBooks(config, environment, async ({ tier, payments }) => {
    if (tier === null) throw new UsageError('the configuration has no `tier`');
    const [first, accounts] = await placesOf(payments);
    const reader = await httpPaymentReader(tier.rpc, RPC_MS);
    async function* incoming(): ReturnType<typeof reader.incoming> {
      for (const account of accounts) {
        yield* reader.incoming(account, (first ?? 0) - SLACK_SLOTS);
      }
    }
    const report = await ledgerReport(payments.all(), incoming());
    if (json) terminal.out(printableJson(report));
    else for (const line of reportLines(report, terminal)) terminal.out(line);
    return report.balanced ? EXIT.ok : EXIT.findings;
  });
}

type Account = Parameters<Awaited<ReturnType<typeof httpPaymentReader>>['incoming']>[0];

/** The slot of the first payment, and the accounts that payments go to. */
async function placesOf(
  payments: PaymentStore,
): Promise<readonly [slot: number | undefined, accounts: readonly Account[]]> {
  const format = await loadTransferFormat();
  const accounts = new Set<Account>();
  let slot: number | undefined;
  for await (const payment of payments.all()) {
    slot = Math.min(slot ?? payment.head.slot, payment.head.slot);
    accounts.add(destinationOf(format, payment));
  }
  return [slot, [...accounts]];
}

function destinationOf(
  format: Awaited<ReturnType<typeof loadTransferFormat>>,
  { transaction }: Payment,
): Account {
  return format.parse(transaction).destination;
}

function reportLines(report: LedgerReport, terminal: Terminal): readonly string[] {
  const { states, due, received, differences, open, foreign } = report;
  const lines = [
    `${'state'.padEnd(12)}${'payments'.padStart(12)}${'units'.padStart(24)}`,
    ...Object.entries(states).map(
      ([state, sum]) =>
        `${state.padEnd(12)}${String(sum.count).padStart(12)}${sum.amount.padStart(24)}`,
    ),
    '',
    `${'due'.padEnd(24)}${due.padStart(24)}`,
    `${'received'.padEnd(24)}${received.padStart(24)}`,
  ];
  const list = (name: string, texts: readonly string[]): void => {
    for (const text of texts.slice(0, MOST_LISTED)) lines.push(...textRows(name, text, terminal));
    if (texts.length > MOST_LISTED) {
      lines.push(...textRows(name, `and ${texts.length - MOST_LISTED} more: --json`, terminal));
    }
  };
  list(
    'differs',
    differences.map(({ payment, expected, found }) => {
      const is = found === null ? 'no transfer' : found;
      return `${payment}: ${expected} expected, ${is} found`;
    }),
  );
  list(
    'open',
    open.map(({ payment, state }) => `${payment}: ${state}`),
  );
  list(
    'foreign',
    foreign.map(({ signature, received: amount }) => `${signature}: ${amount}`),
  );
  const ends = report.balanced
    ? 'Every payment is decided, and what is due has come.'
    : `It does not add up: ${count(differences.length, 'difference')}, ${count(open.length, 'open payment')}.`;
  return [...lines, '', ends];
}
