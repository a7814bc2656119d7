import { problem } from '../http/problem.ts';
import { NO_STORE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { getHealth, getReadiness } from './operation/service-operations.ts';

const TEXT = 'text/plain; charset=utf-8';

/**
 * What a supervisor and a load balancer ask: whether the process answers, and whether there is a record to read. They
 * have no budget, for a monitor behind the same address as readers must not be refused with them.
 */
export function healthRoutes(record: Pick<LogRecord, 'published'>): readonly Route[] {
  const health = (): ApiReply => whole(TEXT, 'ok\n', { cacheControl: NO_STORE });
  const readiness = (request: ApiRequest): ApiReply =>
    record.published === undefined
      ? problem(request, 'halted', { detail: 'There is no record to read: /status says why.' })
      : whole(TEXT, 'ready\n', { cacheControl: NO_STORE });
  const options = { unversioned: true, budget: 'none' } as const;
  return [
    route('GET', '/healthz', health, { ...options, operation: getHealth }),
    route('GET', '/readyz', readiness, { ...options, operation: getReadiness }),
  ];
}
