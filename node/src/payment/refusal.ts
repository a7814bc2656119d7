import { problem, type ProblemCode } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';

/** Seconds after which to repeat a request that nothing was done for. */
export const RETRY_S = 5;

/** That a payment may not be presented with its identifier, or for this request. */
export function conflict(request: ApiRequest, detail: string): ApiReply {
  return problem(request, 'payment_conflict', { detail });
}

/** That nothing can be settled now, and nothing was. */
export function unavailable(request: ApiRequest): ApiReply {
  return later(request, 'facilitator_unavailable', RETRY_S, undefined);
}

/** A refusal after which the same request may be sent again. */
export function later(
  request: ApiRequest,
  code: ProblemCode,
  seconds: number,
  detail: string | undefined,
): ApiReply {
  return problem(request, code, {
    ...(detail === undefined ? {} : { detail }),
    headers: [['retry-after', String(seconds)]],
  });
}
