import { stateSums } from '@assay/node/payment/payment-ledger';
import type { Environment } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';
import { printableJson } from '../text/printable-json.ts';
import { textRows } from '../text/text-rows.ts';
import { withBooks } from './tier-books.ts';

export interface TierStatusOptions {
  readonly config: string;
  readonly json: boolean;
}

/** Shows what a tier sells, and how many payments there are in each state. */
export function tierStatus(
  { config, json }: TierStatusOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  return withBooks(config, environment, async ({ tier, payments }) => {
    const states = await stateSums(payments.all());
    if (json) {
      terminal.out(printableJson({ open: tier !== null, tier, states }));
      return EXIT.ok;
    }
    if (tier === null) terminal.out('The tier is closed: the configuration has no `tier`.');
    else {
      terminal.out('The tier is open:');
      const rows: readonly (readonly [string, string])[] = [
        ['network', tier.network],
        ['asset', tier.asset],
        ['pay to', tier.pay_to],
        ['facilitator', tier.facilitator],
        ['trusted', `${tier.trusted_amount} units on its word`],
        ...Object.entries(tier.prices).map(
          ([path, price]) => ['price', `${price} units for ${path}`] as const,
        ),
      ];
      for (const [name, text] of rows) {
        for (const line of textRows(name, text, terminal)) terminal.out(line);
      }
    }
    terminal.out('');
    terminal.out(`${'state'.padEnd(12)}${'payments'.padStart(12)}${'units'.padStart(24)}`);
    for (const [state, { count, amount }] of Object.entries(states)) {
      terminal.out(`${state.padEnd(12)}${String(count).padStart(12)}${amount.padStart(24)}`);
    }
    return EXIT.ok;
  });
}
