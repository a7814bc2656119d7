import { httpPaymentReader, loadTransferFormat } from '@assay/node/payment/payment-chain';
import { ledgerReport, type LedgerReport } from '@assay/node/payment/payment-ledger';
import { LIFE_BLOCKS } from '@assay/node/payment/payment-resolver';
import type { TierConfig } from '@assay/node/payment/tier-config';
import type { PaymentStore } from '@assay/node/payment/record/payment-store';
import type { Environment } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';
import { printableJson } from '../text/printable-json.ts';
import { count, textRows } from '../text/text-rows.ts';
import { withBooks } from './tier-books.ts';

export interface TierReconcileOptions {
  readonly config: string;
  /** The slot since which payments and transfers are compared; undefined for all. */
  readonly sinceSlot: number | undefined;
  readonly json: boolean;
}

/** Milliseconds of one exchange with the node of the chain. */
const RPC_MS = 20_000;
/** How many of one kind are listed; the JSON has all. */
const MOST_LISTED = 20;
/** The network whose name a development chain goes by, because x402 has none for it. It has another genesis hash. */
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

/** What was compared, and what was not. */
interface Coverage {
  /** Token accounts: those of who is paid now, and those that the payments name. */
  readonly accounts: readonly Account[];
  readonly since_slot: number;
  /** The newest finalized slot when it was compared. */
  readonly to_slot: number;
  /** The oldest slot that the node has. What was before it cannot be compared. */
  readonly first_available: number;
  /** The chain that the node is of, and the one that the tier names. */
  readonly chain: string;
  readonly network: string;
  /** Whether the node has every slot that was asked for, and is of the network of the tier. */
  readonly complete: boolean;
}

/** Holds all payments against the chain. */
export function tierReconcile(
  { config, sinceSlot, json }: TierReconcileOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  return withBooks(config, environment, async ({ tier, payments }) => {
    if (tier === null) throw new UsageError('the configuration has no `tier`');
    const reader = await httpPaymentReader(tier.rpc, RPC_MS);
    const [first, accounts] = await placesOf(payments, tier);
    const since = sinceSlot ?? 0;
    // A transfer may have run before its record was written.
    const from = Math.max(0, (sinceSlot ?? first ?? 0) - LIFE_BLOCKS);
    const chain = await reader.network();
    const { slot } = await reader.head('finalized');
    async function* incoming(): ReturnType<typeof reader.incoming> {
      for (const account of accounts) yield* reader.incoming(account, from);
    }
    const report = await ledgerReport(payments.all(), incoming(), { since, until: slot });
    const firstAvailable = await reader.firstAvailable();
    const isHome = chain === tier.network || tier.network === DEVNET;
    const complete = isHome && firstAvailable <= Math.max(1, from);
    const covered: Coverage = {
      accounts,
      since_slot: from,
      to_slot: slot,
      first_available: firstAvailable,
      chain,
      network: tier.network,
      complete,
    };
    if (json) terminal.out(printableJson({ ...report, covered }));
    else for (const line of reportLines(report, covered, terminal)) terminal.out(line);
    return report.balanced && complete ? EXIT.ok : EXIT.findings;
  });
}

type Account = Parameters<Awaited<ReturnType<typeof httpPaymentReader>>['incoming']>[0];

/**
 * The slot of the first payment, and the token accounts that payments go to: those of who is paid now, whatever the payments say, because
 * payments may be missing; and those that payments name, because the configuration may have changed.
 */
async function placesOf(
  payments: PaymentStore,
  tier: TierConfig,
): Promise<readonly [slot: number | undefined, accounts: readonly Account[]]> {
  const format = await loadTransferFormat();
  const accounts = new Set<Account>();
  for (const program of format.tokenPrograms) {
    accounts.add((await format.tokenAccountOf(tier.pay_to, tier.asset, program)) as Account);
  }
  let slot: number | undefined;
  for await (const { head, transaction } of payments.all()) {
    slot = Math.min(slot ?? head.slot, head.slot);
    accounts.add(format.parse(transaction).destination);
  }
  return [slot, [...accounts]];
}

function reportLines(
  report: LedgerReport,
  covered: Coverage,
  terminal: Terminal,
): readonly string[] {
  const { states, due, received, differences, open, foreign, withdrawn, unread } = report;
  const lines = [
    `${'state'.padEnd(12)}${'payments'.padStart(12)}${'units'.padStart(24)}`,
    ...Object.entries(states).map(
      ([state, sum]) =>
        `${state.padEnd(12)}${String(sum.count).padStart(12)}${sum.amount.padStart(24)}`,
    ),
    '',
    `${'due'.padEnd(24)}${due.padStart(24)}`,
    `${'received'.padEnd(24)}${received.padStart(24)}`,
    `${'withdrawn'.padEnd(24)}${withdrawn.padStart(24)}`,
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
  list(
    'unread',
    unread.map(({ signature, reason }) => `${signature}: ${reason}`),
  );
  list('accounts', covered.accounts);
  const { since_slot: since, to_slot: to, first_available: oldest, chain, network } = covered;
  list('slots', [`${since} to ${to}, which is the newest final one`]);
  if (chain !== network) list('chain', [`the node is of ${chain}, the tier of ${network}`]);
  if (oldest > Math.max(1, since)) {
    list('missing', [`the node has nothing before slot ${oldest}: nothing there is compared`]);
  }
  return [...lines, '', ending(report, covered.complete)];
}

function ending(
  { balanced, differences, open, foreign, unread }: LedgerReport,
  complete: boolean,
): string {
  if (balanced && complete) return 'Every payment is decided, and what is due has come.';
  const found = [
    count(differences.length, 'difference'),
    count(open.length, 'open payment'),
    count(foreign.length, 'transfer without a payment', 'transfers without a payment'),
    ...(unread.length > 0 ? [count(unread.length, 'unread transaction')] : []),
    ...(complete ? [] : ['the node cannot show everything']),
  ];
  return `It does not add up: ${found.join(', ')}.`;
}
