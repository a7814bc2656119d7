import { jsonBody } from '../../http/json-body.ts';
import { problem } from '../../http/problem.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import { WindowTable } from '../../http/window-table.ts';
import type { Deliveries } from '../../webhook/deliveries.ts';
import type { Signups } from '../../webhook/signups.ts';
import type { SubscriptionStore } from '../../webhook/subscription-store.ts';
import type { Progress, Subscription } from '../../webhook/subscription.ts';
import { formatSecret, parseSecret } from '../../webhook/webhook-signature.ts';
import {
  changeSubscription,
  getSubscription,
  pauseSubscription,
  replaySubscription,
  resumeSubscription,
  rotateSubscription,
  testSubscription,
  unsubscribe,
} from '../operation/webhook-operations.ts';
import {
  failure,
  filterIn,
  gone,
  isObject,
  json,
  timeOf,
  tooMany,
  unavailable,
  urlRefusal,
} from './webhook-fields.ts';

export const SUBSCRIPTION_PATH = '/webhooks/subscription';

/** Test messages, changes and rotations, for one address in ten minutes: each calls a stranger's server or writes a whole file. */
export const CALLS = 20;
const CALL_WINDOW_S = 600;
/** How long the secret before a rotation stays good. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

/** What takes and keeps subscriptions. */
export interface Webhooks {
  readonly store: SubscriptionStore;
  readonly signups: Pick<Signups, 'subscribe' | 'confirm' | 'waits' | 'challenge'>;
  readonly deliveries: Pick<Deliveries, 'test' | 'shown'>;
}

export interface WebhookRouteParts {
  /** Without it, the service takes no subscriptions. */
  readonly webhooks: Webhooks | undefined;
  /** The entries that are published. */
  readonly size: () => number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Monotonic seconds. */
  readonly elapsed: () => number;
  readonly random: (size: number) => Uint8Array;
}

type OwnerHandler = (
  request: ApiRequest,
  of: Subscription,
  hooks: Webhooks,
) => ApiReply | Promise<ApiReply>;

/** Everything that the owner of a receiver does with its secret. */
export function subscriptionRoutes(parts: WebhookRouteParts): readonly Route[] {
  const { webhooks, elapsed, random } = parts;
  const calls = new WindowTable(CALLS, CALL_WINDOW_S, random);

  /** A call by the owner of a secret. */
  const owned =
    (handle: OwnerHandler) =>
    (request: ApiRequest): ApiReply | Promise<ApiReply> => {
      if (webhooks === undefined) return unavailable(request);
      const secret = parseSecret(
        /^Bearer (\S+)$/i.exec(request.header('authorization') ?? '')?.[1] ?? '',
      );
      const of = secret === undefined ? undefined : webhooks.store.bySecret(secret, parts.nowMs());
      if (of !== undefined) {
        // Its owner has the newest secret, so whoever has one of before is perhaps somebody else.
        return isFirstUse(of, secret)
          ? webhooks.store.supersede(of.id).then(() => handle(request, of, webhooks))
          : handle(request, of, webhooks);
      }
      return problem(request, 'unauthorized', {
        detail: 'Send `Authorization: Bearer whsec_...` with the secret of a subscription.',
        headers: [['www-authenticate', 'Bearer']],
      });
    };
  /** The same for one that costs more than others. */
  const calling = (handle: OwnerHandler): ReturnType<typeof owned> =>
    owned((request, of, hooks) =>
      calls.take(request.client, elapsed()) < 0
        ? tooMany(request, calls, 'webhook calls')
        : handle(request, of, hooks),
    );
  const moved = (step: (before: Progress) => Progress): ReturnType<typeof owned> =>
    owned(async (request, { id }, hooks) =>
      shown(request, hooks, await hooks.store.move(id, step)),
    );

  return [
    route(
      'GET',
      SUBSCRIPTION_PATH,
      owned((request, of, hooks) => shown(request, hooks, of)),
      {
        operation: getSubscription,
      },
    ),
    route('POST', `${SUBSCRIPTION_PATH}/change`, calling(change), {
      operation: changeSubscription,
    }),
    route(
      'POST',
      `${SUBSCRIPTION_PATH}/test`,
      calling(async (_, of, { deliveries }) => json(await deliveries.test(of))),
      { operation: testSubscription },
    ),
    route(
      'POST',
      `${SUBSCRIPTION_PATH}/pause`,
      moved((before) => ({ ...before, state: 'paused', reason: 'subscriber' })),
      { operation: pauseSubscription },
    ),
    route(
      'POST',
      `${SUBSCRIPTION_PATH}/resume`,
      moved((before) => ({ ...before, state: 'active', reason: null, attempts: null })),
      { operation: resumeSubscription },
    ),
    route('POST', `${SUBSCRIPTION_PATH}/replay`, owned(replayWithin(parts.size)), {
      operation: replaySubscription,
    }),
    route(
      'POST',
      `${SUBSCRIPTION_PATH}/rotate`,
      // Each writes the file of all receivers anew.
      calling(async (request, { id }, { store }) => {
        const until = parts.nowMs() + ROTATION_MS;
        const secret = await store.rotate(id, until);
        if (secret === undefined) return gone(request);
        return json({ secret: formatSecret(secret), previous_until: timeOf(until) });
      }),
      { operation: rotateSubscription },
    ),
    route(
      'POST',
      `${SUBSCRIPTION_PATH}/unsubscribe`,
      owned(async (request, { id }, { store }) =>
        (await store.remove(id)) ? json({ deleted: true }) : gone(request),
      ),
      { operation: unsubscribe },
    ),
  ];
}

/** Whether somebody uses the newest secret while one of before is still a key, too. */
function isFirstUse({ secrets }: Subscription, secret: string | undefined): boolean {
  const [newest, ...older] = secrets;
  return newest?.secret === secret && older.some(({ superseded }) => superseded !== true);
}

/** A subscription as its owner is shown it. */
function shown(
  request: ApiRequest,
  { deliveries }: Webhooks,
  of: Subscription | undefined,
): ApiReply {
  if (of === undefined) return gone(request);
  const { id, email, url, filter, progress, created_ms } = of;
  const { cursor, state, reason, attempts } = progress;
  return json({
    id,
    email,
    url,
    ...filter,
    filter_version: of.filter_version,
    created_at: timeOf(created_ms),
    state,
    reason,
    cursor,
    failing:
      attempts === null
        ? null
        : {
            attempts: attempts.count,
            since: timeOf(attempts.failing_since_ms),
            last: attempts.last,
            next_at: state === 'active' ? timeOf(attempts.next_ms) : null,
          },
    deliveries: deliveries.shown(id),
  });
}

/** Changes what the body names. Another address has to answer a challenge first. */
function change(
  request: ApiRequest,
  of: Subscription,
  hooks: Webhooks,
): ApiReply | Promise<ApiReply> {
  return jsonBody(async (_, body) => {
    const given = (isObject(body) ? body : {}) as Readonly<Record<string, unknown>>;
    const filter = filterIn(given, of.filter, ['url']);
    if (typeof filter === 'string') return problem(request, 'invalid_filter', { detail: filter });
    const { url } = given;
    if (url !== undefined) {
      const refused = urlRefusal(request, url);
      if (refused !== undefined) return refused;
      const reason = await hooks.signups.challenge(url as string);
      if (reason !== undefined) {
        return problem(request, 'challenge_failed', {
          detail: failure(reason),
          members: { reason },
        });
      }
    }
    const isSame = JSON.stringify(filter) === JSON.stringify(of.filter);
    const after = await hooks.store.change(of.id, {
      ...(url === undefined ? {} : { url: url as string }),
      ...(isSame ? {} : { filter }),
    });
    return shown(request, hooks, after);
  })(request);
}

/** Moves the cursor to the entry that the body names, which may be the next one of the log. */
function replayWithin(sizeOf: () => number): OwnerHandler {
  return (request, of, hooks) =>
    jsonBody(async (_, body) => {
      const seq = isObject(body) ? (body as Readonly<Record<string, unknown>>)['seq'] : undefined;
      const size = sizeOf();
      if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0 || seq > size) {
        return problem(request, 'bad_request', {
          detail: `\`seq\` is the number of an entry, at most ${size}, where the log ends.`,
        });
      }
      const cursor = { seq, ordinal: 0 };
      return shown(
        request,
        hooks,
        await hooks.store.move(of.id, (before) => ({ ...before, cursor, attempts: null })),
      );
    })(request);
}
