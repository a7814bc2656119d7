import {
  DEFAULT_QUESTIONS,
  type QuestionFilter,
  questionsPayload,
} from '@assay/core/answer/referee/questions';
import { QUESTIONS_PATH } from '@assay/core/answer/referee/question';
import { isHex } from '@assay/core/bytes/hex';
import type { Sha256 } from '@assay/core/hash/hash';
import { type Answer, ANSWERS } from '@assay/core/referee/answer-leaf';
import { jsonBody } from '../../http/json-body.ts';
import { problem } from '../../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../../http/reply.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import { WindowTable } from '../../http/window-table.ts';
import type { LogRecord } from '../../ledger/record.ts';
import type { AnswerIntake, AnswerReceipt, Submitted } from '../../referee/answer-intake.ts';
import { foldedRoutes, halted } from '../folded-routes.ts';
import { nextQuery, pageStart } from '../list/page-request.ts';
import { listQuestions, postAnswer } from '../operation/question-operations.ts';
import { jsonShown, type Publication } from '../publication.ts';

/** Requests to answer a question, for each address. */
export const ANSWERS_PER_MINUTE = 20;
const MINUTE_S = 60;
/** Seconds after which to send an answer again that could not be written. */
const RETRY_S = 5;

export interface QuestionRouteParts {
  readonly record: LogRecord;
  readonly publication: Publication;
  readonly sha256: Sha256;
  /** Takes answers. Without it, nothing does. */
  readonly intake: Pick<AnswerIntake, 'submit'> | undefined;
  /** Monotonic seconds. */
  readonly elapsed: () => number;
  readonly random: (size: number) => Uint8Array;
}

interface ListInput {
  readonly state?: QuestionFilter | undefined;
  readonly symbol?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Questions, and the answers to them. */
export function questionRoutes(parts: QuestionRouteParts): readonly Route[] {
  const { record, publication, sha256, intake, elapsed, random } = parts;
  const windows = new WindowTable(ANSWERS_PER_MINUTE, MINUTE_S, random);

  const list = (request: ApiRequest, input: ListInput): ApiReply => {
    if (!publication.readable) return halted(request);
    const page = pageStart(request, 'questions', input);
    if (!('after' in page)) return page;
    const state = input.state ?? 'all';
    const symbol = input.symbol?.toUpperCase();
    const limit = Number(input.limit ?? DEFAULT_QUESTIONS);
    const { from, to } = input;
    const asked = { state, symbol, from, to, limit, after: page.after };
    const name = `${QUESTIONS_PATH} ${JSON.stringify(asked)}`;
    const known = publication.cache.get(name, publication.version);
    if (known !== undefined) return publication.reply(request, known);
    const payload = questionsPayload(record.shown, sha256, asked);
    const next = nextQuery({ ...input }, payload.next_cursor);
    const shown = jsonShown(JSON.stringify(payload), next);
    return publication.reply(request, publication.cache.keep(name, publication.version, shown));
  };

  const answer = async (request: ApiRequest<'id'>, body: unknown): Promise<ApiReply> => {
    if (windows.take(request.client, elapsed()) < 0) return tooMany(request, windows.resetS);
    const given = answerIn(body);
    if (given === undefined) {
      return problem(request, 'invalid_answer', {
        detail: 'The body is { "answer": "yes" or "no", "nonce": 64 lower-case hex digits }.',
      });
    }
    if (intake === undefined) return unwritten(request);
    const userAgent = request.header('user-agent') ?? '';
    const caller = { address: request.client, userAgent };
    return replyTo(
      request,
      await intake.submit({ question: request.params.id, ...given, ...caller }),
    );
  };

  return [
    route('GET', QUESTIONS_PATH, list, { operation: listQuestions }),
    ...foldedRoutes(record, publication, ['referee']).filter(({ path }) => path !== QUESTIONS_PATH),
    route('POST', `${QUESTIONS_PATH}/:id/answer`, jsonBody(answer), { operation: postAnswer }),
  ];
}

/** The answer in a body, which has nothing else; undefined where it is none. */
function answerIn(body: unknown): { readonly answer: Answer; readonly nonce: string } | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { answer, nonce, ...rest } = body as Readonly<Record<string, unknown>>;
  const found = ANSWERS.find((each) => each === answer);
  if (found === undefined || Object.keys(rest).length > 0) return undefined;
  return typeof nonce === 'string' && isHex(nonce, 32) ? { answer: found, nonce } : undefined;
}

function replyTo(request: ApiRequest, submitted: Submitted): ApiReply {
  switch (submitted.kind) {
    case 'recorded':
      return json(201, { recorded: true, ...receiptOf(submitted) });
    case 'already_answered': {
      const { again } = submitted;
      return json(200, {
        already_answered: true,
        ...(again === undefined ? {} : receiptOf(again)),
      });
    }
    case 'not_found':
      return problem(request, 'not_found', { detail: 'There is no question with that id.' });
    case 'closed':
      return problem(request, 'closed', { detail: 'The question takes no more answers.' });
    case 'address_cap':
      return problem(request, 'address_cap', {
        detail: 'This address has given 3 answers to this question.',
      });
    case 'full':
    case 'halted':
      return unwritten(request);
  }
}

function receiptOf({ receipt, salt }: AnswerReceipt): AnswerReceipt {
  return { receipt, salt };
}

function json(status: number, body: object): ApiReply {
  return whole(JSON_TYPE, JSON.stringify(body), { status, cacheControl: NO_STORE });
}

function tooMany(request: ApiRequest, resetS: number): ApiReply {
  return problem(request, 'rate_limited', {
    detail: `This address may send ${ANSWERS_PER_MINUTE} answers in a minute.`,
    members: { 'violated-policies': ['answers'] },
    headers: [['retry-after', String(resetS)]],
  });
}

function unwritten(request: ApiRequest): ApiReply {
  return problem(request, 'halted', {
    detail: 'No answer can be taken now: /status says why.',
    headers: [['retry-after', String(RETRY_S)]],
  });
}
