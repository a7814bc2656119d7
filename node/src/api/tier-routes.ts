import type { Operation } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import type { Tier } from '../payment/open-tier.ts';
import { paidRoutes } from '../payment/paid-routes.ts';
import type { PaidResource } from '../payment/paid-resource.ts';
import { getPastBoard, getScoreHistory, listFullReceipts } from './operation/tier-operations.ts';

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/history/:symbol': getScoreHistory,
  '/board/at': getPastBoard,
  '/receipts/full': listFullReceipts,
};

/**
 * The machine tier. While it is closed, and for what nobody sells, the answer is 503 `tier_closed` before any parameter is looked
 * at.
 */
export function tierRoutes(tier?: Tier, resources: readonly PaidResource[] = []): readonly Route[] {
  const known = Object.entries(OPERATIONS).map(
    ([path, operation]) => resources.find((each) => each.path === path) ?? { path, operation },
  );
  return paidRoutes(known, tier);
}
