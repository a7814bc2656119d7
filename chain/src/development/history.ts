import type { Address } from '@solana/kit';
import type { ExecutedTransaction } from './execution.ts';

/** How many transactions are remembered. */
export const MAX_HISTORY = 5000;

/**
 * The transactions that ran, by their signature and by the accounts that they name. The oldest are forgotten.
 */
export interface History {
  add(executed: ExecutedTransaction): void;
  get(signature: string): ExecutedTransaction | undefined;
  /** The transactions that name an account, oldest first. */
  of(address: Address): readonly ExecutedTransaction[];
  /** The last `count` transactions, newest last. */
  newest(count: number): readonly ExecutedTransaction[];
  readonly size: number;
  /** The number of all transactions, including those that were forgotten. */
  readonly total: number;
}

export function boundedHistory(limit: number = MAX_HISTORY): History {
  const bySignature = new Map<string, ExecutedTransaction>();
  const byAddress = new Map<Address, ExecutedTransaction[]>();
  let total = 0;

  function forget(executed: ExecutedTransaction): void {
    bySignature.delete(executed.wire.signature);
    for (const address of executed.addresses) {
      const list = byAddress.get(address);
      // The oldest of all is also the oldest of each of its accounts.
      list?.shift();
      if (list?.length === 0) byAddress.delete(address);
    }
  }

  return {
    add(executed) {
      bySignature.set(executed.wire.signature, executed);
      for (const address of executed.addresses) {
        const list = byAddress.get(address);
        if (list === undefined) byAddress.set(address, [executed]);
        else list.push(executed);
      }
      total += 1;
      const [oldest] = bySignature.values();
      if (bySignature.size > limit && oldest !== undefined) forget(oldest);
    },
    get: (signature) => bySignature.get(signature),
    of: (address) => byAddress.get(address) ?? [],
    newest: (count) => [...bySignature.values()].slice(-count),
    get size() {
      return bySignature.size;
    },
    get total() {
      return total;
    },
  };
}
