import { jsonBody } from '../../http/json-body.ts';
import { problem } from '../../http/problem.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import { WindowTable } from '../../http/window-table.ts';
import type { SignupAnswer } from '../../webhook/signups.ts';
import { DEFAULT_TYPES, type Filter } from '../../webhook/subscription.ts';
import { formatSecret } from '../../webhook/webhook-signature.ts';
import { confirmWebhook, subscribeWebhook } from '../operation/webhook-operations.ts';
import { subscriptionRoutes, type WebhookRouteParts } from './subscription-routes.ts';
import {
  failure,
  filterIn,
  isObject,
  json,
  timeOf,
  tooMany,
  unavailable,
  urlRefusal,
} from './webhook-fields.ts';

export const SUBSCRIBE_PATH = '/webhooks/subscribe';
export const CONFIRM_PATH = '/webhooks/confirm';

/** Signups of one address in ten minutes. */
export const SIGNUPS = 5;
const SIGNUP_WINDOW_S = 600;
const BUSY_RETRY_S = 5;
/** One `@`, and what SMTP allows on both sides without quotes (RFC 5321, 4.5.3.1). */
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/;
const MAX_EMAIL = 254;

/** Subscribing to webhooks. */
export function webhookRoutes(parts: WebhookRouteParts): readonly Route[] {
  const { webhooks, elapsed, random } = parts;
  const signups = new WindowTable(SIGNUPS, SIGNUP_WINDOW_S, random);

  const subscribe = async (request: ApiRequest, body: unknown): Promise<ApiReply> => {
    const given = (isObject(body) ? body : {}) as Readonly<Record<string, unknown>>;
    const { email, url } = given;
    if (typeof email !== 'string' || email.length > MAX_EMAIL || !EMAIL.test(email)) {
      return problem(request, 'invalid_email', { detail: '`email` is no e-mail address.' });
    }
    const refused = urlRefusal(request, url);
    if (refused !== undefined) return refused;
    const filter = filterIn(given, NO_FILTER, ['email', 'url']);
    if (typeof filter === 'string') return problem(request, 'invalid_filter', { detail: filter });
    if (webhooks === undefined) return unavailable(request);
    if (signups.take(request.client, elapsed()) < 0) return tooMany(request, signups, 'signups');
    const answer = await webhooks.signups.subscribe({ email, url: url as string, filter });
    return signupReply(request, answer, 'save_failed');
  };

  const confirm = async (request: ApiRequest, { token }: { token: string }): Promise<ApiReply> => {
    if (webhooks === undefined) return unavailable(request);
    // A try would use up the token, and the secret would be lost with the body: HEAD says whether there is anything to try.
    if (request.method === 'HEAD') {
      const answer: SignupAnswer = {
        kind: webhooks.signups.waits(token) ? 'confirmed' : 'not_found',
      };
      return signupReply(request, answer, 'confirm_failed');
    }
    return signupReply(request, await webhooks.signups.confirm(token), 'confirm_failed');
  };

  return [
    route('POST', SUBSCRIBE_PATH, jsonBody(subscribe), { operation: subscribeWebhook }),
    route('GET', CONFIRM_PATH, confirm, { operation: confirmWebhook }),
    ...subscriptionRoutes(parts),
  ];
}

const NO_FILTER: Filter = { types: DEFAULT_TYPES, tickers: null, symbols: null };

function signupReply(
  request: ApiRequest,
  answer: SignupAnswer,
  unsaved: 'save_failed' | 'confirm_failed',
): ApiReply {
  switch (answer.kind) {
    case 'confirmed':
      return json({
        ok: true,
        ...(answer.secret === undefined ? {} : { secret: formatSecret(answer.secret) }),
      });
    case 'challenge_failed':
      return problem(request, 'challenge_failed', {
        detail: failure(answer.reason),
        members: {
          reason: answer.reason,
          ...(answer.again === null
            ? {}
            : {
                confirm_token: answer.again.token,
                confirm_until: timeOf(answer.again.untilMs),
              }),
        },
      });
    case 'not_found':
      return problem(request, 'not_found', {
        detail: 'No challenge waits under that token. It may have been used, or be too old.',
      });
    case 'unsaved':
      return problem(request, unsaved, {
        detail: 'The subscription could not be stored. Nothing has changed.',
      });
    case 'busy':
      return unavailable(request, {
        detail: 'Too many addresses are being challenged now.',
        headers: [['retry-after', String(BUSY_RETRY_S)]],
      });
    case 'full':
      return unavailable(request, {
        detail: 'This service has as many subscriptions as it takes.',
      });
  }
}
