import { formatTime } from '@assay/core/time/time';
import { problem, type ProblemOptions } from '../../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../../http/reply.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import type { WindowTable } from '../../http/window-table.ts';
import { type Filter, isMessageType } from '../../webhook/subscription.ts';
import { webhookUrlFault } from '../../webhook/webhook-url.ts';

/** The most tickers or symbols of a filter. */
const MAX_NAMES = 100;
const NAME = /^[A-Za-z0-9]{1,16}$/;

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function urlRefusal(request: ApiRequest, url: unknown): ApiReply | undefined {
  const fault = typeof url === 'string' ? webhookUrlFault(url) : 'it is no text';
  if (fault === undefined) return undefined;
  return problem(request, 'invalid_url', { detail: `\`url\` cannot be called: ${fault}.` });
}

/**
 * The filter in a body, with what it leaves out from `before`; or what is wrong with it. Members that are neither its own nor among
 * `others` are refused: whoever misspells `types` would wait for messages that never come.
 */
export function filterIn(
  body: Readonly<Record<string, unknown>>,
  before: Filter,
  others: readonly string[],
): Filter | string {
  const known = [...others, 'types', 'tickers', 'symbols'];
  if (!Object.keys(body).every((name) => known.includes(name))) {
    return `The body has no other members than ${known.map((name) => `\`${name}\``).join(', ')}.`;
  }
  const { types = before.types, tickers = before.tickers, symbols = before.symbols } = body;
  if (!isTexts(types) || types.length === 0 || !types.every(isMessageType)) {
    return '`types` is a list of types of messages.';
  }
  const named = { tickers, symbols };
  for (const [name, list] of Object.entries(named)) {
    if (list === null) continue;
    if (!isTexts(list) || list.length === 0 || !list.every((each) => NAME.test(each))) {
      return `\`${name}\` is null, for all, or a list of 1 to ${MAX_NAMES} of them.`;
    }
  }
  return {
    types: [...new Set(types)],
    tickers: upper(tickers as readonly string[] | null),
    symbols: upper(symbols as readonly string[] | null),
  };
}

export function isTexts(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_NAMES &&
    value.every((each) => typeof each === 'string')
  );
}

export function upper(names: readonly string[] | null): readonly string[] | null {
  return names === null ? null : [...new Set(names.map((each) => each.toUpperCase()))];
}

export function failure(reason: string): string {
  return `The address did not answer a GET request with the text in its query parameter \`challenge\`: ${reason}.`;
}

export function unavailable(request: ApiRequest, options?: ProblemOptions): ApiReply {
  return problem(
    request,
    'unavailable',
    options ?? {
      detail:
        'This service takes no subscriptions: it has no key to store them under, or they cannot be read.',
    },
  );
}

export function gone(request: ApiRequest): ApiReply {
  return problem(request, 'not_found', { detail: 'The subscription is gone.' });
}

export function tooMany(request: ApiRequest, { resetS }: WindowTable, policy: string): ApiReply {
  return problem(request, 'rate_limited', {
    detail: `This address has had all its ${policy} of ten minutes; another one is taken in ${resetS} s.`,
    members: { 'violated-policies': [policy] },
    headers: [['retry-after', String(resetS)]],
  });
}

export function json(body: object): ApiReply {
  return whole(JSON_TYPE, JSON.stringify(body), { cacheControl: NO_STORE });
}

export function timeOf(ms: number): string {
  return formatTime(Math.floor(ms / 1000));
}
