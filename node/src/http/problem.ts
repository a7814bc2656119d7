import type { HeaderList } from './header.ts';
import { PROBLEM_TEXTS } from './problem-text.ts';
import { NO_STORE, whole } from './reply.ts';
import type { Incoming, WholeReply } from './request.ts';

/** The short code in the member `error`. The meaning and the status of a code never change. */
export type ProblemCode =
  | 'bad_request'
  | 'invalid_json'
  | 'invalid_answer'
  | 'invalid_forecast'
  | 'invalid_email'
  | 'invalid_url'
  | 'invalid_filter'
  | 'challenge_failed'
  | 'invalid_payment'
  | 'unauthorized'
  | 'cross_site'
  | 'not_a_reader'
  | 'unknown_cosigner'
  | 'bad_signature'
  | 'bad_secret'
  | 'not_found'
  | 'not_listed'
  | 'no_report'
  | 'no_kit'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'refused'
  | 'address_cap'
  | 'other_history'
  | 'handle_taken'
  | 'counter_used'
  | 'payment_conflict'
  | 'closed'
  | 'answer_gone'
  | 'content_too_large'
  | 'unsupported_media_type'
  | 'not_json'
  | 'malformed'
  | 'idempotency_reused'
  | 'rate_limited'
  | 'internal'
  | 'damaged'
  | 'save_failed'
  | 'confirm_failed'
  | 'unavailable'
  | 'busy'
  | 'tier_closed'
  | 'facilitator_unavailable'
  | 'settlement_unknown'
  | 'writer_away'
  | 'halted';

/** What is fixed for a code. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Of a type that is registered elsewhere. */
  readonly type?: string;
}

export const PROBLEM_KINDS: Readonly<Record<ProblemCode, ProblemKind>> = {
  bad_request: { status: 400, title: 'The request could not be understood' },
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_answer: { status: 400, title: 'The body is not an answer that can be taken' },
  invalid_forecast: { status: 400, title: 'The body is not a forecast that can be taken' },
  invalid_email: { status: 400, title: 'The e-mail address is none' },
  invalid_url: { status: 400, title: 'The address is one that nothing is sent to' },
  invalid_filter: { status: 400, title: 'The types, tickers or symbols cannot be chosen' },
  challenge_failed: { status: 400, title: 'The address did not answer its challenge' },
  invalid_payment: { status: 400, title: 'The payment cannot be read' },
  unauthorized: { status: 401, title: 'The secret of a subscription is needed' },
  cross_site: { status: 403, title: "A request from another site's page is refused here" },
  not_a_reader: { status: 403, title: 'This address is for the readers of the publisher' },
  unknown_cosigner: { status: 403, title: 'The key is that of no co-signer here' },
  bad_signature: { status: 403, title: 'The body is not signed by the key that it names' },
  bad_secret: { status: 403, title: 'The secret is not that of the handle' },
  not_found: { status: 404, title: 'There is nothing by that name' },
  not_listed: { status: 404, title: 'There is no asset by that symbol' },
  no_report: { status: 404, title: 'There is no number for that index and period' },
  no_kit: { status: 404, title: 'That index offers no listing kit' },
  method_not_allowed: { status: 405, title: 'The path does not take that method' },
  request_timeout: { status: 408, title: 'The body did not arrive in time' },
  refused: { status: 409, title: 'The record must not hold what the body says' },
  address_cap: { status: 409, title: 'This address has given as many answers as it may' },
  other_history: { status: 409, title: 'The log has another entry there, or none' },
  handle_taken: { status: 409, title: 'The handle is taken' },
  counter_used: { status: 409, title: 'The counter is not above that of the forecast before' },
  payment_conflict: { status: 409, title: 'The payment is bound to another request' },
  closed: { status: 410, title: 'It is closed' },
  answer_gone: { status: 410, title: 'The answer that was bought is not kept any more' },
  content_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has a type that is not taken here' },
  not_json: { status: 415, title: 'The content type must be application/json' },
  malformed: { status: 422, title: 'The body is JSON of another shape than is taken here' },
  idempotency_reused: {
    status: 422,
    title: 'Another body was sent with this Idempotency-Key',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    // draft-ietf-httpapi-ratelimit-headers registers this one.
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
  },
  damaged: { status: 500, title: 'What is kept is damaged' },
  internal: { status: 500, title: 'The service failed' },
  save_failed: { status: 500, title: 'The subscription could not be stored' },
  confirm_failed: { status: 500, title: 'The subscription could not be stored' },
  busy: { status: 503, title: 'The service has as many of these as it has room for' },
  unavailable: { status: 503, title: 'No subscriptions are taken now' },
  tier_closed: { status: 503, title: 'The machine tier is closed' },
  facilitator_unavailable: { status: 503, title: 'Payments cannot be checked now' },
  settlement_unknown: { status: 503, title: 'It is not known whether the payment was made' },
  writer_away: { status: 503, title: 'The publisher cannot be reached from here' },
  halted: { status: 503, title: 'The service is halted' },
};

/** Seconds after which to ask a halted service again, where the route says nothing better. */
const HALTED_RETRY_S = 30;

export const PROBLEM_TYPE = 'application/problem+json';

/** The members that RFC 9457 and this API fix, which no extension may take. */
type FixedMember = 'type' | 'title' | 'status' | 'detail' | 'instance' | 'error';

export type ProblemMembers = Readonly<Record<string, unknown>> & {
  readonly [name in FixedMember]?: never;
};

export interface ProblemOptions {
  /** What went wrong this time, for a reader: what the code means, without. It is never the text of an error. */
  readonly detail?: string;
  /** Further members: those of the body that the problem replaces, or of its type. */
  readonly members?: ProblemMembers;
  readonly headers?: HeaderList;
}

/** Where the service explains its codes. A type is a path of it, whatever host a problem comes from (RFC 9457, 3.1.1). */
export const PROBLEMS_PATH = '/problems';

/** RFC 9457 problem details. `instance` is the requested path. */
export function problem(
  request: Pick<Incoming, 'path'>,
  code: ProblemCode,
  options: ProblemOptions = {},
): WholeReply {
  const kind = PROBLEM_KINDS[code];
  const body = {
    ...options.members,
    type: kind.type ?? `${PROBLEMS_PATH}/${code}`,
    title: kind.title,
    status: kind.status,
    detail: options.detail || PROBLEM_TEXTS[code].meaning,
    instance: request.path,
    error: code,
  };
  const headers = options.headers ?? [];
  const isTimed = code !== 'halted' || headers.some(([name]) => name === 'retry-after');
  return whole(PROBLEM_TYPE, JSON.stringify(body), {
    status: kind.status,
    cacheControl: NO_STORE,
    headers: isTimed ? headers : [...headers, ['retry-after', String(HALTED_RETRY_S)]],
  });
}
