import { logRow } from '@assay/core/view/log';
import { dueBack, onchainRow } from '@assay/core/view/onchain';
import type { Concern } from '../health/concern.ts';
import type { LogRecord } from '../ledger/record.ts';

/** The concern of a service without an RPC of its log's chain, while something waits to be posted there. */
export function unpostedConcerns({ shown, published }: LogRecord): readonly Concern[] {
  const chain = published === undefined ? undefined : logRow(shown)?.chain;
  if (chain == null) return [];
  const [newest] = dueBack(shown);
  if (newest === undefined || onchainRow(shown, newest.digest) !== undefined) return [];
  return [
    {
      level: 'degraded',
      reason: `Nothing is posted on chain: the service has no RPC of ${chain}.`,
    },
  ];
}
