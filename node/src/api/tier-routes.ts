import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { Operation } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import { getPastBoard, getScoreHistory, listFullReceipts } from './operation/tier-operations.ts';

const PATHS: Readonly<Record<string, Operation>> = {
  '/history/:symbol': getScoreHistory,
  '/board/at': getPastBoard,
  '/receipts/full': listFullReceipts,
};

/** The machine tier, which is closed: 503 `tier_closed` before any parameter is looked at. */
export function tierRoutes(): readonly Route[] {
  const handle = (request: ApiRequest): ApiReply =>
    problem(request, 'tier_closed', {
      detail: 'The machine tier is not open yet. Nothing is charged, and no key opens it.',
    });
  // Without `route()`, which would check the parameters first.
  return Object.entries(PATHS).map(([path, operation]) => ({
    method: 'GET',
    path,
    handle,
    operation,
  }));
}
