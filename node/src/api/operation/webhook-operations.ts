import { z } from 'zod';
import type { AnswerHeader, Content, Operation } from '../../http/operation.ts';
import type { ProblemCode } from '../../http/problem.ts';
import {
  attemptAnswer,
  challengeProblem,
  changeBody,
  confirmToken,
  deleted,
  replayBody,
  rotated,
  subscribeBody,
  subscribed,
  subscription,
} from '../schema/webhook.ts';

const tag = 'webhooks';

const retryAfter: AnswerHeader = {
  name: 'Retry-After',
  description: 'Seconds after which to try again.',
  example: '60',
  always: false,
};

const json = (schema: z.ZodType): Content => ({ type: 'application/json', schema });

export const subscribeWebhook: Operation = {
  tag,
  basis: 'live',
  freshness: 'none',
  id: 'subscribeWebhook',
  summary: 'Subscribe an address to messages',
  description:
    'The service sends GET to the address with a random text in the query parameter `challenge`; the answer has to be 2xx with that text as its body. A new e-mail gets its signing secret here, once. An e-mail that is on file gets the same answer without a secret, and nothing about its subscription changes. Five signups from one address in ten minutes. Deliveries follow Standard Webhooks.',
  body: json(subscribeBody),
  success: 'The address is subscribed, or was before under that e-mail.',
  content: json(subscribed),
  headers: [retryAfter],
  problems: [
    'not_json',
    'cross_site',
    'invalid_json',
    'invalid_email',
    'invalid_url',
    'invalid_filter',
    'challenge_failed',
    'save_failed',
    'unavailable',
  ],
  problemSchemas: { 400: challengeProblem },
};

type ConfirmQuery = z.ZodObject<{ token: z.ZodString }>;

export const confirmWebhook: Operation<ConfirmQuery> = {
  tag,
  basis: 'live',
  freshness: 'none',
  id: 'confirmWebhook',
  summary: 'Try the challenge of a signup again',
  description:
    'Sends the challenge again for a signup that failed with `challenge_failed`, for 15 minutes and at most five times in all. The answer is that of the signup, with the secret where the e-mail is new. The token is used up by success.',
  query: z.object({ token: confirmToken }),
  success: 'The address is subscribed.',
  content: json(subscribed),
  headers: [retryAfter],
  problems: ['challenge_failed', 'not_found', 'confirm_failed', 'unavailable'],
  problemSchemas: { 400: challengeProblem },
};

/** A call by the owner of a secret. */
function owned(
  id: string,
  summary: string,
  description: string,
  success: string,
  rest: {
    readonly body?: z.ZodType;
    readonly answer?: z.ZodType;
    readonly problems?: readonly ProblemCode[];
    readonly problemSchemas?: Operation['problemSchemas'];
  } = {},
): Operation {
  const { body, answer = subscription, problems = [], problemSchemas } = rest;
  return {
    tag,
    basis: 'live',
    freshness: 'none',
    id,
    summary,
    description: `${description} Needs \`Authorization: Bearer whsec_...\`, the secret of the subscription.`,
    bearer: true,
    ...(body === undefined ? {} : { body: json(body) }),
    success,
    content: json(answer),
    headers: [retryAfter],
    problems: ['unauthorized', 'unavailable', ...problems],
    ...(problemSchemas === undefined ? {} : { problemSchemas }),
  };
}

export const getSubscription: Operation = owned(
  'getSubscription',
  'A subscription',
  'Where it is sent, what it lets through, how far it is, and the newest attempts.',
  'The subscription.',
);

export const changeSubscription: Operation = owned(
  'changeSubscription',
  'Change the address or the filter of a subscription',
  'Changes what the body names. Another address has to answer a challenge first. A new filter holds from the cursor on.',
  'The subscription as it is now.',
  {
    body: changeBody,
    problems: [
      'not_json',
      'cross_site',
      'invalid_json',
      'invalid_url',
      'invalid_filter',
      'challenge_failed',
      'not_found',
    ],
    problemSchemas: { 400: challengeProblem },
  },
);

export const testSubscription: Operation = owned(
  'testSubscription',
  'Send a test message',
  'Sends a signed message of the type `test` at once, and waits for the answer. It moves no cursor and is not tried again.',
  'What the receiver answered, delivered or not.',
  { answer: attemptAnswer },
);

export const pauseSubscription: Operation = owned(
  'pauseSubscription',
  'Pause a subscription',
  'Sends nothing until it is resumed. The cursor stays, so nothing is lost.',
  'The subscription as it is now.',
  { problems: ['not_found'] },
);

export const resumeSubscription: Operation = owned(
  'resumeSubscription',
  'Resume a subscription',
  'Goes on at the cursor at once, whyever it was paused or disabled.',
  'The subscription as it is now.',
  { problems: ['not_found'] },
);

export const replaySubscription: Operation = owned(
  'replaySubscription',
  'Send messages again from an entry on',
  'Moves the cursor, back to send messages again, or forward to skip some. Each message has the id that it had before.',
  'The subscription as it is now.',
  { body: replayBody, problems: ['not_json', 'cross_site', 'invalid_json', 'not_found'] },
);

export const rotateSubscription: Operation = owned(
  'rotateSubscription',
  'Get a new secret',
  'Deliveries are signed with both secrets for 24 hours.',
  'The new secret.',
  { answer: rotated, problems: ['not_found'] },
);

export const unsubscribe: Operation = owned(
  'unsubscribe',
  'Delete a subscription',
  'Deletes the e-mail, the address, the filter and the secrets.',
  'It is deleted.',
  { answer: deleted, problems: ['not_found'] },
);
