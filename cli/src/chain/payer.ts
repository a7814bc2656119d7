import { setTimeout as wait } from 'node:timers/promises';
import type { ChainRpc } from '@assay/chain/client/rpc';
import type { Sender } from '@assay/chain/client/sender';
import { openChainKey } from './key-file.ts';

/** The milliseconds between polls. On a chain of this machine, transactions are final at once. */
const POLL_MS = 1500;
const LOOPBACK_POLL_MS = 50;
const LOOPBACK = /^(?:127(?:\.[0-9]{1,3}){3}|\[::1\]|localhost)$/;

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a key file as a signer of transactions. Throws what `openChainKey` throws. */
export async function openTransactionSigner(
  path: string,
  environment: Environment,
): Promise<Sender['parts']['payer']> {
  const { keySigner } = await import('@assay/chain/client/key-signer');
  return keySigner(await openChainKey(path, environment['ASSAY_PASSPHRASE'] || undefined));
}

/** Sends a payer's transactions to a node at `url`. */
export async function openSender(
  rpc: ChainRpc,
  url: string,
  payer: Sender['parts']['payer'],
): Promise<Sender> {
  const { Sender: Sending, SENDER_LIMITS } = await import('@assay/chain/client/sender');
  const pollMs = LOOPBACK.test(new URL(url).hostname) ? LOOPBACK_POLL_MS : POLL_MS;
  return new Sending({
    rpc,
    payer,
    limits: { ...SENDER_LIMITS, pollMs },
    sleep: (ms, signal) => wait(ms, undefined, signal === undefined ? {} : { signal }),
    elapsed: () => performance.now() / 1000,
  });
}
