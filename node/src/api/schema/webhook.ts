import { z } from 'zod';
import { MESSAGE_TYPES } from '@assay/core/message/message-type';
import { NO_ANSWERS } from '../../webhook/guarded-https.ts';
import { PAUSE_REASONS, SUBSCRIPTION_STATES } from '../../webhook/subscription.ts';
import { about, hashText, hexText, named, timeText } from './field.ts';
import { problemAnswer } from './problem.ts';

const SECRET = `whsec_${Buffer.alloc(32, 0x5e).toString('base64')}`;
const TOKEN = 'Zq3xH1m8oC0sV4Yd7uKpWnRtB2eLgA9fJc6iXyT5hMk';

const secretText = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);
const types = about(
  z.array(z.enum(MESSAGE_TYPES)).min(1),
  'The types of messages that are sent. Without it: `score_event` and its deprecated twin `heat_event`.',
  ['print', 'close'],
);
const names = z
  .array(z.string().regex(/^[A-Za-z0-9]{1,16}$/))
  .min(1)
  .max(100)
  .nullable();
const tickers = about(names, 'Of messages about indexes, only those about these; null for all.', [
  'LAYOFFS',
]);
const symbols = about(names, 'Of messages about assets, only those about these; null for all.', [
  'SOL',
]);

export const subscribeBody: z.ZodType<object> = named(
  z.object({
    email: about(
      z.string().max(254),
      'Names the subscription. One e-mail has one.',
      'ops@venue.example.com',
    ),
    url: about(
      z.string().max(2048),
      'Where messages are sent: https, port 443 or 8443, a public name, no user, no fragment.',
      'https://venue.example.com/hooks/assay',
    ),
    types: types.optional(),
    tickers: tickers.optional(),
    symbols: symbols.optional(),
  }),
  'SubscribeBody',
  'Who wants messages, where, and which.',
) as unknown as z.ZodType<object>;

export const changeBody: z.ZodType<object> = named(
  z.object({
    url: about(
      z.string().max(2048).optional(),
      'Another address. It is challenged first.',
      'https://venue.example.com/hooks/other',
    ),
    types: types.optional(),
    tickers: tickers.optional(),
    symbols: symbols.optional(),
  }),
  'ChangeSubscriptionBody',
  'What is to change; the rest stays.',
) as unknown as z.ZodType<object>;

export const replayBody: z.ZodType<object> = named(
  z.object({
    seq: about(
      z.int().min(0),
      'The entry whose messages come first; the size of the log for those to come.',
      1860,
    ),
  }),
  'ReplayBody',
  'From where messages are sent again.',
) as unknown as z.ZodType<object>;

export const subscribed: z.ZodType<object> = named(
  z.looseObject({
    ok: about(z.literal(true), 'The address has answered its challenge.', true),
    secret: about(
      secretText.optional(),
      'The signing secret, once. Absent for an e-mail that is on file: nothing of its subscription has changed.',
      SECRET,
    ),
  }),
  'Subscribed',
  'The answer to a signup.',
);

const attempt = named(
  z.looseObject({
    message_id: about(z.string(), 'The `webhook-id` of the delivery.', `msg_${'9c'.repeat(16)}_0`),
    type: about(z.string(), 'The type of the message.', 'print'),
    at: about(timeText, 'When it was sent, UTC.', '2026-11-20T13:30:07Z'),
    outcome: about(
      z.string(),
      `The status of the receiver's answer, or why there was none: ${NO_ANSWERS.map((each) => `\`${each}\``).join(', ')}.`,
      '200',
    ),
    delivered: about(z.boolean(), 'Whether it counts as delivered: any 2xx.', true),
    ms: about(z.int(), 'Milliseconds that it took.', 83),
  }),
  'DeliveryAttempt',
  'One attempt at a delivery.',
);

export const attemptAnswer: z.ZodType<object> = attempt;

export const subscription: z.ZodType<object> = named(
  z.looseObject({
    id: about(hexText(16), 'Names the subscription in the logs of the service.', '4d'.repeat(16)),
    email: about(z.string(), 'The e-mail that it is under.', 'ops@venue.example.com'),
    url: about(z.string(), 'Where its messages are sent.', 'https://venue.example.com/hooks/assay'),
    types,
    tickers,
    symbols,
    filter_version: about(z.int(), 'Counted up with each change of types, tickers or symbols.', 0),
    created_at: about(timeText, 'When it was made, UTC.', '2026-11-20T13:00:00Z'),
    state: about(z.enum(SUBSCRIPTION_STATES), 'Whether messages are sent.', 'active'),
    reason: about(
      z.enum(PAUSE_REASONS).nullable(),
      'Why none are: you paused it, all attempts at a message failed, or the receiver answered 410.',
      null,
    ),
    cursor: about(
      z.looseObject({
        seq: about(z.int(), 'The entry whose messages come next.', 1867),
        ordinal: about(z.int(), 'The first of its messages that is not delivered.', 0),
      }),
      'How far messages have been delivered.',
    ),
    failing: about(
      z
        .looseObject({
          attempts: about(z.int(), 'Failed attempts at the next message.', 2),
          since: about(timeText, 'The first of them, UTC.', '2026-11-20T13:30:07Z'),
          last: about(z.string(), 'What the last one came to.', '503'),
          next_at: about(
            timeText.nullable(),
            'When it is tried again, UTC; null if it is not.',
            '2026-11-20T13:35:21Z',
          ),
        })
        .nullable(),
      'The message under the cursor could not be delivered yet; null if nothing is wrong.',
    ),
    deliveries: about(
      z.array(attempt),
      'The newest attempts since the service started, at most 20, the newest last.',
    ),
  }),
  'Subscription',
  'A subscription as its owner sees it.',
);

export const rotated: z.ZodType<object> = named(
  z.looseObject({
    secret: about(secretText, 'The new signing secret, once.', SECRET),
    previous_until: about(
      timeText,
      'Until then, deliveries are signed with the previous secret as well, and it may be used for calls. UTC.',
      '2026-11-21T13:00:00Z',
    ),
  }),
  'RotatedSecret',
  'A new secret.',
);

export const deleted: z.ZodType<object> = named(
  z.looseObject({ deleted: about(z.literal(true), 'It is gone, with its secrets.', true) }),
  'DeletedSubscription',
  'A subscription that is no more.',
);

export const challengeProblem: z.ZodType<object> = named(
  (problemAnswer as unknown as z.ZodObject).extend({
    reason: about(
      z.string().optional(),
      'Of `challenge_failed`: the status of the answer, `other_body`, or why there was none.',
      'timeout',
    ),
    confirm_token: about(
      z.string().optional(),
      'Of `challenge_failed`: with it the challenge can be tried again.',
      TOKEN,
    ),
    confirm_until: about(timeText.optional(), 'Until when, UTC.', '2026-11-20T13:15:00Z'),
  }),
  'ChallengeProblem',
  'A problem with a signup.',
);

export const confirmToken: z.ZodString = about(
  z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'not a token'),
  'The `confirm_token` of a signup whose challenge failed.',
  TOKEN,
);

const log = about(
  z.looseObject({
    origin: about(z.string(), "The origin of the log's checkpoints.", 'assay.example/log'),
    seq: about(z.int(), 'The entry that the message follows from.', 1867),
    leaf_hash: about(hashText, 'Its leaf hash (RFC 6962).', '9c'.repeat(32)),
  }),
  'The entry that it follows from. Compare it with the log under a checkpoint of your own.',
);

const timestamp = about(timeText, 'The time that the entry claims, UTC.', '2026-09-21T14:15:00Z');

/** The body of a delivery of a score event or its twin. */
export function scoreDelivery(
  type: 'score_event' | 'heat_event',
  item: z.ZodType,
): z.ZodType<object> {
  return z.looseObject({
    type: about(z.literal(type), 'The type of the message.', type),
    timestamp,
    data: about((item as z.ZodObject).extend({ log }), 'The event.'),
  });
}

/** The body of any other delivery. */
export const otherDelivery: z.ZodType<object> = named(
  z.looseObject({
    type: about(z.enum(MESSAGE_TYPES), 'The type of the message.', 'print'),
    timestamp,
    data: about(
      z.looseObject({
        kind: about(z.string().optional(), 'What has happened to it.', 'report'),
        log: log.optional(),
      }),
      'What the page docs/webhooks.md lists for each type.',
    ),
  }),
  'WebhookMessage',
  'A message to a receiver.',
);
