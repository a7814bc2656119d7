import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Operation } from '../../http/operation.ts';
import {
  problem,
  PROBLEM_KINDS,
  type ProblemCode,
  type ProblemMembers,
  PROBLEM_TYPE,
} from '../../http/problem.ts';
import { headerRefs } from './answer-header.ts';
import { RECORDED } from './recorded-answers.ts';
import { problemAnswer } from '../schema/problem.ts';

/** On an error response: the values that its `error` may have. */
export const ERRORS_MARK = 'x-assay-errors';

/** Codes that any route may give, whatever it does. */
const ANY_ROUTE: readonly ProblemCode[] = [
  'bad_request',
  'request_timeout',
  'content_too_large',
  'rate_limited',
  'internal',
];

interface Saying {
  readonly detail?: string;
  readonly members?: ProblemMembers;
}

/** What a problem of an operation may say, for its example. */
function sayingOf(code: ProblemCode): Saying | undefined {
  switch (code) {
    case 'bad_signature':
      return { members: { at: 'signature', expected: 'one of 3d4017c3e8', found: '00' } };
    case 'refused':
      return { members: { at: 'report', expected: 'nothing said of it', found: 'entry 63' } };
    case 'malformed':
      return {
        detail: 'It is not the body of a statement/1 entry.',
        members: { at: 'statement.verdict', expected: 'agree, dissent or abstain', found: '"yes"' },
      };
    case 'not_listed':
      return { detail: 'There is no asset "NOPE" here.' };
    case 'no_report':
      return { detail: 'Nothing is signed for LAYOFFS 1999-01-02.' };
    case 'no_kit':
      return { detail: 'Its level is withheld.' };
    case 'rate_limited':
      return {
        detail: 'The budget "default" of this address is spent for 12 s.',
        members: { 'violated-policies': ['default'] },
      };
    case 'internal':
      return { detail: 'The failure is on record as q3Fv0yVtB1Xw.2k.' };
    case 'invalid_email':
      return { detail: '`email` is no e-mail address.' };
    case 'invalid_url':
      return { detail: '`url` cannot be called: its host is an IP address.' };
    case 'invalid_filter':
      return { detail: '`types` is a list of types of messages.' };
    case 'challenge_failed':
      return {
        detail:
          'The address did not answer a GET request with the text in its query parameter `challenge`: timeout.',
      };
    case 'unauthorized':
      return {
        detail: 'Send `Authorization: Bearer whsec_...` with the secret of a subscription.',
      };
    case 'other_history':
      return { detail: 'This log, of 165 entries, has no such entry.', members: { size: 165 } };
    case 'busy':
      return { detail: 'As many streams are open as this service has room for.' };
    case 'unavailable':
      return { detail: 'This service takes no subscriptions: it has no key to store them under.' };
    case 'halted':
      return { detail: 'The record cannot be read now: /status says why.' };
    default:
      return undefined;
  }
}

interface ProblemExample {
  readonly status: number;
  readonly title: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Codes whose example is the same wherever they stand, so that operations share their responses. By the path of the example. */
const SHARED: Readonly<Partial<Record<ProblemCode, string>>> = {
  bad_request: '/indices',
  request_timeout: '/indices',
  content_too_large: '/indices',
  rate_limited: '/indices',
  internal: '/indices',
  halted: '/indices',
  tier_closed: '/receipts/full',
  cross_site: '/webhooks/subscribe',
  not_json: '/webhooks/subscribe',
  unauthorized: '/webhooks/subscription',
  unavailable: '/webhooks/subscription',
};

/** The operations whose recorded problems others show too. */
const SHOWN_BY_ALL = ['listIndices', 'listFullReceipts', 'getSubscription'];

/** The problem as a run recorded it, or as the service makes it. */
function problemExample(operation: Operation, code: ProblemCode, path: string): ProblemExample {
  const shared = SHARED[code];
  const hasBody = operation.problemSchemas?.[PROBLEM_KINDS[code].status] !== undefined;
  const key = `${PROBLEM_KINDS[code].status} ${code}`;
  const ids = shared === undefined || hasBody ? [operation.id] : SHOWN_BY_ALL;
  const recorded = ids.flatMap((id) => RECORDED[id]?.answers[key] ?? []);
  const made = problem({ path: shared ?? path }, code, sayingOf(code));
  const value = (recorded[0] ?? JSON.parse(String(made.body))) as {
    readonly status: number;
    readonly title: string;
  };
  return { status: value.status, title: value.title, value: { ...value } };
}

/**
 * The error responses of an operation, by status. `path` is an example of its path, `every` the names of
 * the headers that each answer has, `limited` whether requests are counted.
 */
export function problemResponses(
  operation: Operation,
  path: string,
  every: readonly string[],
  limited: boolean,
): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, Map<ProblemCode, ProblemExample>>();
  const any = ANY_ROUTE.filter((code) => limited || code !== 'rate_limited');
  for (const code of new Set([...operation.problems, ...any])) {
    const example = problemExample(operation, code, path);
    const same = byStatus.get(example.status) ?? new Map<ProblemCode, ProblemExample>();
    byStatus.set(example.status, same.set(code, example));
  }
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  for (const [status, codes] of byStatus) {
    responses[String(status)] = {
      description: [...codes].map(([code, { title }]) => `\`${code}\`: ${title}.`).join(' '),
      headers: headerRefs([
        ...every,
        ...(codes.has('rate_limited') || codes.has('halted') ? ['Retry-After'] : []),
      ]) as never,
      content: {
        [PROBLEM_TYPE]: {
          schema: operation.problemSchemas?.[status] ?? problemAnswer,
          examples: Object.fromEntries(
            [...codes].map(([code, { title, value }]) => [code, { summary: title, value }]),
          ),
        },
      },
      [ERRORS_MARK]: [...codes.keys()],
    } as ZodOpenApiResponseObject;
  }
  return responses as ZodOpenApiResponsesObject;
}
