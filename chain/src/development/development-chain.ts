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
   * The file in which transactions are stored, to be run again when the chain is opened the next time. The
   * length of its slots is fixed when the file is created, whatever `slotSeconds` is.
   */
  readonly file?: string;
  /**
   * Milliseconds between readings of the clock, so that subscribers are notified of slots. With 0 the clock is
   * read only at calls.
   */
  readonly tickMs?: number;
}

/** A Solana chain within this process: its methods without a socket. */
export interface DevelopmentChain {
  readonly ledger: DevelopmentLedger;
  readonly methods: RpcMethods;
  /** Adds a client of the pubsub. */
  subscribe(send: (notification: JsonObject) => void): Subscriber;
  close(): void;
}

const TICK_MS = 400;

/**
 * Opens a development chain. With a file it continues where it was left: every stored transaction runs again,
 * at its time, with the programs and accounts of now. Throws `unsupported` if litesvm is not available, and
 * `malformed` for an invalid file.
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
