import type { Payment, PaymentState } from '@assay/node/payment/record/payment';
import type { Environment } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';
import { printableJson } from '../text/printable-json.ts';
import { withBooks } from './tier-books.ts';

export interface TierPaymentsOptions {
  readonly config: string;
  readonly state: PaymentState | undefined;
  readonly limit: number;
  readonly json: boolean;
}

/** Lists payments, the newest first. */
export function tierPayments(
  { config, state, limit, json }: TierPaymentsOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  return withBooks(config, environment, async ({ payments }) => {
    const found: Payment[] = [];
    for await (const payment of payments.all({ newest: true })) {
      if (state !== undefined && payment.state !== state) continue;
      found.push(payment);
      if (found.length === limit) break;
    }
    if (json) {
      terminal.out(printableJson(found.map((payment) => shown(payment))));
      return EXIT.ok;
    }
    if (found.length === 0) {
      terminal.out(state === undefined ? 'There are no payments.' : `No payment is ${state}.`);
      return EXIT.ok;
    }
    terminal.out(row('time (UTC)', 'state', 'units', 'path', 'payer', 'payment'));
    for (const { at_ms, state: is, terms, path, payer, key } of found) {
      const time = new Date(at_ms).toISOString().slice(0, 19).replace('T', ' ');
      terminal.out(row(time, is, terms.amount, path, payer, key));
    }
    return EXIT.ok;
  });
}

/** One line of 80 columns: who paid and which payment it is by their first characters, the whole of which is in the JSON. */
function row(
  time: string,
  state: string,
  units: string,
  path: string,
  payer: string,
  payment: string,
): string {
  return [
    time.padEnd(19),
    state.padEnd(9),
    units.padStart(10),
    path.padEnd(16).slice(0, 16),
    payer.padEnd(8).slice(0, 8),
    payment.slice(0, 8),
  ].join('  ');
}

/** A payment without the transaction and the receipt, which are long. */
function shown(payment: Payment): object {
  const { transaction: _, response: __, ...rest } = payment;
  return { ...rest, at: new Date(payment.at_ms).toISOString() };
}
