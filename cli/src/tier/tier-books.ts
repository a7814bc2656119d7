import { stat } from 'node:fs/promises';
import type { PaymentStore } from '@assay/node/payment/record/payment-store';
import type { TierConfig } from '@assay/node/payment/tier-config';
import type { Environment } from '../command/command.ts';
import { UsageError } from '../command/exit.ts';

/** What the commands work on: the tier of a configuration, and a copy of its payments. */
export interface TierBooks {
  readonly tier: TierConfig | null;
  readonly payments: PaymentStore;
}

/** Opens the books of a configuration for `work`. Throws `bad_config`, `UsageError` for a folder without payments, and what the store throws. */
export async function withBooks<T>(
  path: string,
  environment: Environment,
  work: (books: TierBooks) => Promise<T>,
): Promise<T> {
  const [{ readConfig }, { dataFolder }, { PaymentStore: Store }] = await Promise.all([
    import('@assay/node/production/config'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/payment/record/payment-store'),
  ]);
  const { tier, data } = await readConfig(path, environment);
  const folder = dataFolder(data).payments;
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere) throw new UsageError(`${data} holds no payments: its tier was never open`);
  const payments = await Store.copyOf(folder);
  try {
    return await work({ tier, payments });
  } finally {
    await payments.close();
  }
}
