import {
  DevelopmentLedger,
  type DevelopmentLedgerOptions,
  SLOT_SECONDS,
} from './development-ledger.ts';
import { developmentRpc } from './development-rpc.ts';
import type { JsonObject } from './json.ts';
import type { RpcMethods } from './json-rpc.ts';
import { openSubscriber, type Subscriber } from './subscriptions.ts';
import { openTransactionFile } from './transaction-file.ts';
import { parseWireTransaction } from './wire-transaction.ts';

export interface DevelopmentChainOptions extends Omit<DevelopmentLedgerOptions, 'startedAt'> {
  /**
   * Where transactions are kept, to be run again when the chain is opened the next time. Its slots stay as long as
   * they were when it was begun, whatever `slotSeconds` says.
   */
  readonly file?: string;
  /** Milliseconds between looks at the clock, so that subscribers hear of slots; 0 looks at calls alone. */
  readonly tickMs?: number;
}

/** A Solana chain within this process, with its methods and no socket. */
export interface DevelopmentChain {
  readonly ledger: DevelopmentLedger;
  readonly methods: RpcMethods;
  /** A new client of the pubsub. */
  subscribe(send: (notification: JsonObject) => void): Subscriber;
  close(): void;
}

const TICK_MS = 400;

/**
 * Opens a development chain. With a file it begins where it was left: every kept transaction runs again, at
 * its time, over the programs and accounts of now. Throws `unsupported` where there is no litesvm, and
 * `malformed` on a file that is none.
 */
export async function openDevelopmentChain(
  options: DevelopmentChainOptions,
): Promise<DevelopmentChain> {
  const { file: path, tickMs = TICK_MS, ...rest } = options;
  const { slotSeconds = SLOT_SECONDS } = rest;
  const begin = { startedAt: options.now(), slotSeconds };
  const file = path === undefined ? undefined : openTransactionFile(path, begin);
  try {
    const ledger = await DevelopmentLedger.open(
      file === undefined
        ? rest
        : { ...rest, startedAt: file.startedAt, slotSeconds: file.slotSeconds },
    );
    for (const { at, bytes } of file?.kept ?? []) {
      ledger.advance(at);
      ledger.execute(parseWireTransaction(bytes));
    }
    ledger.advance();
    const unlisten = ledger.listen({
      executed: ({ wire }) => file?.append({ at: ledger.clock, bytes: wire.bytes }),
    });
    const timer = tickMs === 0 ? undefined : setInterval(() => ledger.advance(), tickMs);
    timer?.unref();
    return {
      ledger,
      methods: developmentRpc(ledger),
      subscribe: (send) => openSubscriber(ledger, send),
      close() {
        clearInterval(timer);
        unlisten();
        file?.close();
      },
    };
  } catch (error) {
    file?.close();
    throw error;
  }
}
