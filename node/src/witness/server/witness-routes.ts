import { problem } from '../../http/problem.ts';
import { TEXT_TYPE, whole } from '../../http/reply.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import type { Witness } from './witness.ts';

/** A witness over HTTP, with the paths of C2SP tlog-witness. */
export function witnessRoutes({
  witness,
}: {
  readonly witness: Pick<Witness, 'addCheckpoint' | 'headAt'>;
}): readonly Route[] {
  const add = async (request: ApiRequest): Promise<ApiReply> => {
    const { status, contentType, body } = await witness.addCheckpoint(await request.body());
    return whole(contentType, body, { status });
  };

  const newest = async (request: ApiRequest<'hex'>): Promise<ApiReply> => {
    const head = await witness.headAt(request.params.hex);
    if (head === undefined) {
      return problem(request, 'not_found', {
        detail: 'No checkpoint of that log is cosigned here.',
      });
    }
    return whole(TEXT_TYPE, head.note, { cacheControl: 'public, no-cache' });
  };

  return [
    route('POST', '/add-checkpoint', add, { unversioned: true, budget: 'log' }),
    route('GET', '/:hex/checkpoint', newest, { unversioned: true, budget: 'log' }),
  ];
}
