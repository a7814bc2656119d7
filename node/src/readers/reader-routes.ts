import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import { AskedAnswers } from './asked-answers.ts';
import { passOn, writerAway } from './passing.ts';
import { routeClass } from './route-class.ts';
import type { WriterClient } from './writer-client.ts';
import type { WriterSetting } from './writer-state.ts';

/** The paths by which a machine tier is found. A publisher without one has no such routes. */
const TIER_PATHS = ['/.well-known/x402', '/.well-known/did.json'];

/**
 * The routes of a reader: what only the publisher can answer is asked of it, or passed on to it. A request that its operation
 * does not allow is refused here, as the publisher would. While `isSound` is false, because what the publisher sends was not
 * taken, nothing is asked of it: it is as if it were away.
 */
export function readerRoutes(
  routes: readonly Route[],
  client: WriterClient,
  { hasTier, prices }: Pick<WriterSetting, 'hasTier' | 'prices'>,
  isSound: () => boolean,
): readonly Route[] {
  const asked = new AskedAnswers(client);
  const ask = (request: ApiRequest): ApiReply | Promise<ApiReply> =>
    isSound() ? asked.answer(request) : writerAway(request);
  const served = routes.map((each): Route => {
    const price = prices[each.path];
    const own = price === undefined ? each : { ...each, payment: price };
    switch (routeClass(each)) {
      case 'log':
      case 'own':
      case 'joined':
        return own;
      case 'asked':
        return { ...own, handle: ask };
      case 'passed':
        return {
          ...own,
          handle: (request) => (isSound() ? passOn(client, request) : writerAway(request)),
        };
    }
  });
  const found = hasTier ? TIER_PATHS : [];
  return [...served, ...found.map((path) => route('GET', path, ask, { unversioned: true }))];
}
