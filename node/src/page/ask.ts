import { type ApiAnswer, jsonOf } from '../call/api-caller.ts';
import { routeCaller } from '../call/route-caller.ts';
import type { ApiRequest } from '../http/request.ts';
import type { RouteTable } from '../http/route.ts';
import type { Asked, PageRequest } from './page.ts';

/** Asks routes of this process for whoever sent `from`, for JSON and for bytes. */
export function askerOf(
  table: RouteTable,
  from: ApiRequest,
  publicUrl: string | null,
): Pick<PageRequest, 'ask' | 'bytes'> {
  const caller = routeCaller(table, from, publicUrl ?? '');
  const askFor =
    <Body>(read: (answer: ApiAnswer) => Body) =>
    async (target: string): Promise<Asked<Body>> => {
      const answer = await caller.call({ method: 'GET', target });
      const { status } = answer;
      if (status === 200) return { status, body: read(answer), detail: undefined };
      const problem = (jsonOf(answer) ?? {}) as Readonly<Record<string, unknown>>;
      const { detail } = problem;
      return {
        status,
        body: undefined,
        detail: typeof detail === 'string' ? detail : undefined,
        problem,
      };
    };
  return { ask: askFor(jsonOf) as PageRequest['ask'], bytes: askFor(({ body }) => body) };
}
