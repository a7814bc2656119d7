import {
  createRpcSubscriptionsTransportFromChannelCreator,
  createSolanaRpcFromTransport,
  createSolanaRpcSubscriptionsFromTransport,
  type Rpc,
  type RpcSubscriptions,
  type RpcTransport,
  type SolanaRpcApi,
  type SolanaRpcSubscriptionsApi,
} from '@solana/kit';
import type { DevelopmentChain } from './development-chain.ts';
import { answerRpc } from './json-rpc.ts';
import type { Subscriber } from './subscriptions.ts';

/** The client of @solana/kit 8 for a chain in this process, without a socket. */
export function kitRpc({ methods }: DevelopmentChain): Rpc<SolanaRpcApi> {
  const transport: RpcTransport = async <Response>({
    payload,
    signal,
  }: Parameters<RpcTransport>[0]): Promise<Response> => {
    signal?.throwIfAborted();
    return answerRpc(payload, methods) as Response;
  };
  return createSolanaRpcFromTransport(transport);
}

type Listener = (message: unknown) => void;

/** As `kitRpc`, for subscriptions. Each ends with the signal that it was opened with. */
export function kitSubscriptions(
  chain: DevelopmentChain,
): RpcSubscriptions<SolanaRpcSubscriptionsApi> {
  const transport = createRpcSubscriptionsTransportFromChannelCreator(
    async ({ abortSignal }: { readonly abortSignal: AbortSignal }) => {
      const listeners = new Set<Listener>();
      const tell = (message: unknown): void => {
        for (const listener of listeners) listener(message);
      };
      const subscriber: Subscriber = chain.subscribe(tell);
      abortSignal.addEventListener('abort', () => subscriber.close(), { once: true });
      return {
        on(
          name: string,
          listener: (message: never) => void,
          { signal }: { signal?: AbortSignal } = {},
        ) {
          // There are only messages, because nothing can fail here.
          if (name !== 'message') return () => {};
          const remove = (): void => {
            listeners.delete(listener as Listener);
          };
          listeners.add(listener as Listener);
          signal?.addEventListener('abort', remove, { once: true });
          return remove;
        },
        async send(message: unknown) {
          // The client begins to listen for the answer once this has resolved.
          setImmediate(() => {
            const answer = answerRpc(message, subscriber.methods);
            if (answer !== undefined) tell(answer);
          });
        },
      };
    },
  );
  return createSolanaRpcSubscriptionsFromTransport(transport);
}
