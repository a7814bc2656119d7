import { randomBytes } from 'node:crypto';
import { Fault } from '@assay/core/fault';
import type { CheckpointSigner } from '../ledger/checkpoint-signer.ts';
import type { NodeReaders } from '../node.ts';
import { dataFolder } from '../platform/data-folder.ts';
import type { Config, Environment } from './config.ts';

/** The variable with the token that readers on other machines show. It is no field of the config, which may be copied. */
export const READERS_TOKEN = 'ASSAY_READERS_TOKEN';

/** A token that can be guessed would let anybody name a client and get around the limits. */
const LEAST_TOKEN = 32;

/**
 * The readers that a configuration asks for; undefined if it asks for none. `readers_port` is for readers on other machines,
 * which need the token of the environment; those of this machine get one of their own otherwise. Throws `bad_config`.
 */
export function nodeReaders(
  { data, readers: count, readers_port, readers_host, log_level }: Config,
  environment: Environment,
  { checkpoints: { vkey } }: { readonly checkpoints: Pick<CheckpointSigner, 'vkey'> },
): NodeReaders | undefined {
  if (count === 0 && readers_port === null) return undefined;
  const given = environment[READERS_TOKEN] ?? '';
  if (readers_port !== null && !isToken(given)) {
    throw new Fault('bad_config', 'environment', {
      at: READERS_TOKEN,
      expected: `a token of ${LEAST_TOKEN} to 256 letters, digits, hyphens and underscores, because readers_port is set`,
    });
  }
  return {
    count,
    folder: dataFolder(data).readers,
    at: { host: readers_port === null ? '127.0.0.1' : readers_host, port: readers_port ?? 0 },
    token: readers_port === null ? randomBytes(32).toString('base64url') : given,
    vkey,
    logLevel: log_level,
  };
}

function isToken(text: string): boolean {
  return new RegExp(`^[A-Za-z0-9_-]{${LEAST_TOKEN},256}$`).test(text);
}
