import type { Address } from '@assay/chain/deploy/address-text';
import { toHashHex, type HashHex } from '@assay/core/hash/hash';
import { isTicker, type Ticker } from '@assay/core/rule/ticker';
import type { Environment } from '../command/command.ts';
import { UsageError } from '../command/exit.ts';

/**
 * The address of a Solana node, from --rpc or ASSAY_SOLANA_RPC. Providers' addresses contain keys, so no error
 * quotes them. Throws `UsageError`.
 */
export function rpcOption(text: string | undefined, environment: Environment): string {
  const given = text ?? environment['ASSAY_SOLANA_RPC'];
  if (given === undefined || given === '') {
    throw new UsageError('a Solana node is missing: --rpc, or ASSAY_SOLANA_RPC');
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('--rpc is an address such as https://host');
  }
  if (text !== undefined && (url.username !== '' || url.password !== '')) {
    throw new UsageError(
      '--rpc must not contain a user: put such an address into ASSAY_SOLANA_RPC',
    );
  }
  return given;
}

/** An account's address in base58. Throws `UsageError`. */
export async function addressOption(text: string | undefined, option: string): Promise<Address> {
  const { parseAddress } = await import('@assay/chain/deploy/address-text');
  const address = text === undefined ? undefined : parseAddress(text);
  if (address === undefined) throw new UsageError(`${option} is an address in base58`);
  return address;
}

/** Parses a key in hex or, as Solana writes keys, in base58. Returns it in hex. */
export async function keyOption(text: string | undefined, option: string): Promise<HashHex> {
  if (text !== undefined && /^[0-9a-f]{64}$/.test(text)) return toHashHex(text);
  const { keyOfAddress, parseAddress } = await import('@assay/chain/deploy/address-text');
  const address = text === undefined ? undefined : parseAddress(text);
  if (address === undefined) throw new UsageError(`${option} is a key, in hex or base58`);
  return keyOfAddress(address);
}

/** A hash of 32 bytes in hex. Throws `UsageError`. */
export function hashOption(text: string, option: string): HashHex {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new UsageError(`${option} is 64 lower-case hex digits`);
  return toHashHex(text);
}

/** An index by its ticker, in any case. Throws `UsageError`. */
export function ticker(text: string, option: string): Ticker {
  const upper = text.toUpperCase();
  if (!isTicker(upper)) throw new UsageError(`${option} is a ticker, such as LAYOFFS`);
  return upper;
}
