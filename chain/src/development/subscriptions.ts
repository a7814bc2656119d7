import type { Address } from '@solana/kit';
import {
  type AccountFilter,
  accountFilterOf,
  type AccountView,
  accountViewOf,
  formatAccount,
} from './accounts.ts';
import type { DevelopmentLedger } from './development-ledger.ts';
import type { AccountChange, ExecutedTransaction } from './execution.ts';
import type { Json, JsonObject } from './json.ts';
import type { RpcMethod, RpcMethods } from './json-rpc.ts';
import type { SvmAccount } from './litesvm.ts';
import {
  addressParam,
  configParam,
  flagParam,
  integerParam,
  listParam,
  signatureParam,
} from './params.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { inContext } from './transactions.ts';

/** The most subscriptions of one client. */
export const MAX_SUBSCRIPTIONS = 1000;

const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
/** By how many slots the root of a real node is behind. */
const ROOT_DISTANCE = 32;

/** A client of the pubsub, by whatever means its messages are carried. */
export interface Subscriber {
  /** The methods that the client can call. */
  readonly methods: RpcMethods;
  /** Ends the client's subscriptions. */
  readonly close: () => void;
}

/**
 * What a subscription waits for. Each function gives the result to send, or undefined if there is nothing to
 * send.
 */
interface Subscription {
  readonly method: string;
  slot?(slot: number): Json | undefined;
  executed?(executed: ExecutedTransaction, changes: readonly AccountChange[]): readonly Json[];
  /** The subscription ends with its first notification. */
  readonly once?: true;
}

/**
 * A client's subscriptions: account, program, signature, logs, slot, slotsUpdates and root. `send` receives
 * each notification after the call that caused it has been answered. Subscriptions to blocks and votes are
 * answered with -32601. web3.js subscribes to neither; if a method that it does know is refused, it asks again
 * without a pause.
 */
export function openSubscriber(
  ledger: DevelopmentLedger,
  send: (notification: JsonObject) => void,
): Subscriber {
  const subscriptions = new Map<number, Subscription>();
  let last = 0;

  function notify(id: number, subscription: Subscription, result: Json): void {
    if (subscription.once) subscriptions.delete(id);
    const params = { result, subscription: id };
    const notification = { jsonrpc: '2.0', method: `${subscription.method}Notification`, params };
    setImmediate(() => {
      if (subscription.once || subscriptions.has(id)) send(notification);
    });
  }

  const unlisten = ledger.listen({
    slot(slot) {
      for (const [id, each] of subscriptions) {
        const result = each.slot?.(slot);
        if (result !== undefined) notify(id, each, result);
      }
    },
    executed(executed, changes) {
      for (const [id, each] of subscriptions) {
        for (const result of each.executed?.(executed, changes) ?? []) notify(id, each, result);
      }
    },
  });

  function subscribe(subscription: Subscription, now?: Json): number {
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(
        'internal_error',
        `A client has at most ${MAX_SUBSCRIPTIONS} subscriptions`,
      );
    }
    last += 1;
    subscriptions.set(last, subscription);
    if (now !== undefined) notify(last, subscription, now);
    return last;
  }

  function unsubscribe([id]: readonly unknown[]): boolean {
    const number = integerParam(id, 'subscription', 0, Number.MAX_SAFE_INTEGER);
    if (!subscriptions.delete(number)) throw invalidParams('Invalid subscription id.');
    return true;
  }

  const subscribers: readonly (readonly [string, RpcMethod])[] = [
    ['account', (params) => subscribe(accountSubscription(ledger, params))],
    ['program', (params) => subscribe(programSubscription(ledger, params))],
    ['signature', (params) => subscribe(...signatureSubscription(ledger, params))],
    ['logs', (params) => subscribe(logsSubscription(ledger, params))],
    ['slot', () => subscribe(slotSubscription())],
    ['slotsUpdates', () => subscribe(updateSubscription(ledger))],
    ['root', () => subscribe(rootSubscription())],
  ];
  return {
    methods: new Map(
      subscribers.flatMap(([name, method]) => [
        [`${name}Subscribe`, method],
        [`${name}Unsubscribe`, unsubscribe],
      ]),
    ),
    close() {
      unlisten();
      subscriptions.clear();
    },
  };
}

function accountSubscription(
  ledger: DevelopmentLedger,
  [address, options]: readonly unknown[],
): Subscription {
  const of = addressParam(address);
  const view = accountViewOf(configParam(options, ledger.slot));
  return {
    method: 'account',
    executed: (_, changes) =>
      changes.flatMap(({ address: changed, account }) =>
        changed === of ? [inContext(ledger, viewed(account ?? gone(of), view, ledger))] : [],
      ),
  };
}

function programSubscription(
  ledger: DevelopmentLedger,
  [address, options]: readonly unknown[],
): Subscription {
  const of = addressParam(address);
  const config = configParam(options, ledger.slot);
  const view = accountViewOf(config);
  const passes: AccountFilter = accountFilterOf(config);
  return {
    method: 'program',
    executed: (_, changes) =>
      changes.flatMap(({ address: pubkey, account }) =>
        account?.programAddress === of && passes(account)
          ? [inContext(ledger, { pubkey, account: viewed(account, view, ledger) })]
          : [],
      ),
  };
}

/** With the notification that is sent at once if the transaction has run already. */
function signatureSubscription(
  ledger: DevelopmentLedger,
  [signature, options]: readonly unknown[],
): [Subscription, Json | undefined] {
  const of = signatureParam(signature);
  const config = configParam(options, ledger.slot);
  // There is only one notification, because a transaction is received and final at the same moment.
  flagParam(config.enableReceivedNotification, 'enableReceivedNotification');
  const result = ({ error }: ExecutedTransaction): Json => inContext(ledger, { err: error });
  const known = ledger.history.get(of);
  const subscription: Subscription = {
    method: 'signature',
    once: true,
    executed: (executed) => (executed.wire.signature === of ? [result(executed)] : []),
  };
  return [subscription, known === undefined ? undefined : result(known)];
}

function logsSubscription(
  ledger: DevelopmentLedger,
  [filter, options]: readonly unknown[],
): Subscription {
  configParam(options, ledger.slot);
  const mentioned = mentionedBy(filter);
  return {
    method: 'logs',
    executed: ({ wire, error, logs, addresses }) =>
      mentioned === undefined || addresses.includes(mentioned)
        ? [inContext(ledger, { signature: wire.signature, err: error, logs })]
        : [],
  };
}

function slotSubscription(): Subscription {
  return {
    method: 'slot',
    slot: (slot) => ({ parent: slot - 1, root: slot - ROOT_DISTANCE, slot }),
  };
}

/**
 * Of a node's notifications about a slot, this sends the one that two thirds have voted for it, which every
 * slot has at once.
 */
function updateSubscription(ledger: DevelopmentLedger): Subscription {
  return {
    method: 'slotsUpdates',
    slot: (slot) => ({
      type: 'optimisticConfirmation',
      slot,
      timestamp: Math.floor(ledger.clock * 1000),
    }),
  };
}

function rootSubscription(): Subscription {
  return { method: 'root', slot: (slot) => Math.max(0, slot - ROOT_DISTANCE) };
}

/** The one address whose transactions are wanted; undefined for all. Throws `invalid_params`. */
function mentionedBy(filter: unknown): Address | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const { mentions } = (filter ?? {}) as Readonly<Record<string, unknown>>;
  const [only] = listParam(mentions, 'mentions', 1, addressParam);
  if (only === undefined) throw invalidParams('mentions names one address');
  return only;
}

function viewed(account: SvmAccount, view: AccountView, ledger: DevelopmentLedger): Json {
  return formatAccount(account, view, (address) => ledger.account(address));
}

/** How an account that was closed is reported. */
function gone(address: Address): SvmAccount {
  const data = new Uint8Array();
  return {
    address,
    data,
    executable: false,
    lamports: 0n,
    programAddress: SYSTEM_PROGRAM,
    space: 0n,
  };
}
