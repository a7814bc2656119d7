import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { acceptedForecast, forecastBody } from '../schema/forecast.ts';

const retryAfter: AnswerHeader = {
  name: 'Retry-After',
  description: 'Seconds after which another forecast may be sent.',
  example: '12',
  always: false,
};

export const postForecast: Operation = {
  tag: 'arena',
  id: 'postForecast',
  summary: 'A forecast for a round that is open',
  description:
    'Takes a forecast under a public handle. The first one of a handle issues its secret, once, or brings an Ed25519 key; each later one has the secret, or is signed with the key. The newest before the close counts. With an `Idempotency-Key` of 16 to 128 visible characters, chosen at random, the same body has the same answer until half an hour after the close, with the secret again where it has a nonce. The answer is a signed receipt: keep it.',
  body: { type: 'application/json', schema: forecastBody, closed: true },
  basis: 'live',
  freshness: 'none',
  success: 'It is in the log.',
  successStatus: 201,
  content: { type: 'application/json', schema: acceptedForecast },
  headers: [retryAfter],
  problems: [
    'not_json',
    'cross_site',
    'invalid_json',
    'invalid_forecast',
    'not_found',
    'closed',
    'bad_secret',
    'bad_signature',
    'handle_taken',
    'counter_used',
    'idempotency_reused',
    'halted',
  ],
};
