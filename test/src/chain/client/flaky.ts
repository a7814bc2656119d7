import { answerRpc } from '@assay/chain/development/json-rpc';
import type { DevelopmentChain } from '@assay/chain/development/development-chain';
import type { ChainRpc } from '@assay/chain/client/rpc';
import {
  createSolanaRpcFromTransport,
  type RpcTransport,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SolanaError,
} from '@solana/kit';
import type { TestTime } from './world.ts';

/** What one call meets. */
export const TROUBLES = [
  'none',
  'lost', // it does not arrive
  'dropped', // it arrives, and its answer does not
  'held', // a transaction arrives some calls later; anything else is lost
  'late', // the answer takes ten seconds
  'old', // what the same question was answered with before
  'busy', // status 429
  'garbage', // JSON of another shape
  'expire', // the answer takes longer than a blockhash lives
  'crash', // it arrives, and whoever asked is gone
] as const;

/** A status that is not so. */
export const LIES = ['lie_final', 'lie_unknown'] as const;

export type Trouble = (typeof TROUBLES)[number] | (typeof LIES)[number];

interface Payload {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/** The calls after which what was held arrives. */
const HELD_CALLS = 9;
const EXPIRY_SECONDS = 70;

const GARBAGE: readonly unknown[] = [7, null, {}, [], '<html>', { value: null }, { value: [7] }];

/** What the calls of a method meet, one after the other; `others` is for those that are not named. */
export type Troubles = Partial<Record<string, Trouble[]>>;

/** The methods whose troubles say most. */
export const TROUBLED = [
  'sendTransaction',
  'getSignatureStatuses',
  'getEpochInfo',
  'getMultipleAccounts',
  'simulateTransaction',
  'others',
] as const;

/** A node of a chain that has its troubles, one a call, until there are none left. */
export function flakyRpc(
  chain: DevelopmentChain,
  time: TestTime,
  troubles: Troubles,
  crash: () => void = () => undefined,
): ChainRpc {
  const before = new Map<string, unknown>();
  let held: { payload: Payload; calls: number }[] = [];
  let count = 0;

  const deliver = (payload: Payload): unknown => {
    const answer = answerRpc(payload, chain.methods);
    before.set(keyOf(payload), answer);
    return answer;
  };
  const deliverHeld = (): void => {
    for (const each of held) each.calls -= 1;
    for (const { payload } of held.filter(({ calls }) => calls <= 0)) deliver(payload);
    held = held.filter(({ calls }) => calls > 0);
  };
  const met = (trouble: Trouble, payload: Payload): unknown => {
    switch (trouble) {
      case 'lost':
        throw new TypeError('fetch failed');
      case 'held':
        if (payload.method === 'sendTransaction') held.push({ payload, calls: HELD_CALLS });
        throw new TypeError('fetch failed');
      case 'dropped':
        deliver(payload);
        throw new TypeError('fetch failed');
      case 'crash':
        deliver(payload);
        crash();
        throw new TypeError('fetch failed');
      case 'busy':
        throw new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, {
          headers: new Headers(),
          message: 'Too Many Requests',
          statusCode: 429,
        });
      case 'garbage':
        return { jsonrpc: '2.0', id: payload.id, result: GARBAGE[count % GARBAGE.length] };
      case 'old': {
        const old = before.get(keyOf(payload)) as { result?: unknown } | undefined;
        return old === undefined ? deliver(payload) : { ...old, id: payload.id };
      }
      case 'late':
        time.seconds += 10;
        return deliver(payload);
      case 'expire':
        time.seconds += EXPIRY_SECONDS;
        return deliver(payload);
      case 'lie_final':
      case 'lie_unknown':
        return payload.method === 'getSignatureStatuses'
          ? lied(trouble, payload)
          : deliver(payload);
      case 'none':
        return deliver(payload);
    }
  };
  const lied = (trouble: Trouble, { id }: Payload): unknown => {
    chain.ledger.advance();
    const { slot } = chain.ledger;
    const status = { slot, err: null, confirmations: null, confirmationStatus: 'finalized' };
    const value = [trouble === 'lie_final' ? status : null];
    return { jsonrpc: '2.0', id, result: { context: { slot }, value } };
  };
  const transport: RpcTransport = async <Response>({
    payload,
    signal,
  }: Parameters<RpcTransport>[0]): Promise<Response> => {
    signal?.throwIfAborted();
    count += 1;
    deliverHeld();
    const { method } = payload as Payload;
    const left = troubles[method] ?? troubles['others'] ?? [];
    return met(left.shift() ?? 'none', payload as Payload) as Response;
  };
  return createSolanaRpcFromTransport(transport);
}

/** The question of a call: how it is to be answered aside, and of a simulation what is simulated. */
function keyOf({ method, params }: Payload): string {
  if (method === 'simulateTransaction') return method;
  return JSON.stringify([method, (params as readonly unknown[])[0]], (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
}
