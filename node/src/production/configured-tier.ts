import type { Logger } from 'pino';
import { Fault, faultCode } from '@assay/core/fault';
import type { OpenData } from '../data/open-data.ts';
import { createKey, openKey } from '../key/keystore.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { Tier } from '../payment/open-tier.ts';
import { type DataFolder, dataFolder, keyPath } from '../platform/data-folder.ts';
import { type Config, type Environment, readSecrets } from './config.ts';

/** The chain on which tokens have a value. */
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/**
 * The machine tier of a configuration; undefined where it is closed, and then nothing of it is loaded. Throws `bad_config`, what
 * the keystore throws, and what the store of payments throws.
 */
export async function configuredTier(
  { tier: config, data: root }: Config,
  environment: Environment,
  { network }: Pick<OpenData, 'network'>,
  log: Logger,
): Promise<Tier | undefined> {
  if (config === null) return undefined;
  const isDevelopment = network !== 'production';
  if (isDevelopment && config.network === MAINNET) {
    throw new Fault('bad_config', 'config', {
      at: 'tier.network',
      expected: 'a test network: nothing of a development log may be sold for money',
      found: config.network,
    });
  }
  const { facilitator_token: name } = config;
  const token = name === null ? undefined : readSecrets(environment).get(name);
  if (name !== null && token === undefined) {
    throw new Fault('bad_config', 'environment', {
      at: `ASSAY_SECRET_${name}`,
      expected: 'the token of the facilitator',
    });
  }
  const folder = dataFolder(root);
  const [{ openTier }, { PaymentStore }] = await Promise.all([
    import('../payment/open-tier.ts'),
    import('../payment/record/payment-store.ts'),
  ]);
  const signer = await paymentKey(folder, environment);
  const store = await PaymentStore.at(folder.payments);
  try {
    return await openTier({ config, store, signer, isDevelopment, token, log });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The key that signs offers and receipts, which is made when the tier is opened for the first time. */
async function paymentKey(folder: DataFolder, environment: Environment): Promise<Signer> {
  const { ASSAY_PASSPHRASE: text } = environment;
  const passphrase = text === '' ? undefined : text;
  const path = keyPath(folder, 'payment');
  try {
    return await openKey(path, { passphrase });
  } catch (error) {
    if (faultCode(error) !== 'key_missing') throw error;
    return createKey(path, { passphrase });
  }
}
