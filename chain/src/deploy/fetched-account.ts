import { parseBase64 } from '@assay/core/bytes/base64';
import { type Address, isAddress } from '@solana/kit';
import { ask, memberOf, wholeOf } from '../client/ask.ts';
import type { ChainRpc } from '../client/rpc.ts';

/** An account as an RPC node answered it at commitment `finalized`. */
export interface FetchedAccount {
  readonly address: Address;
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
  /** The slot at which it was read. */
  readonly slot: bigint;
}

/** Fetches an account; undefined if there is none. Throws what `ask` throws. */
export async function fetchAccount(
  rpc: ChainRpc,
  address: Address,
): Promise<FetchedAccount | undefined> {
  const [found] = await fetchAccounts(rpc, [address]);
  return found;
}

/**
 * Fetches up to 100 accounts at one slot, in the order of the request, with undefined for one that does not
 * exist. With `from`, the node answers for that slot or a later one. Throws what `ask` throws.
 */
export function fetchAccounts(
  rpc: ChainRpc,
  addresses: readonly Address[],
  from: bigint = 0n,
): Promise<readonly (FetchedAccount | undefined)[]> {
  const call = rpc.getMultipleAccounts([...addresses], {
    commitment: 'finalized',
    encoding: 'base64',
    minContextSlot: from,
  });
  return ask('getMultipleAccounts', call, undefined, (answer) => {
    const slot = wholeOf(memberOf(answer, 'context', 'slot'));
    const value = memberOf(answer, 'value');
    if (slot === undefined || slot < from) return undefined;
    if (!Array.isArray(value) || value.length !== addresses.length) return undefined;
    const found = addresses.map((address, i) => accountOf(address, value[i], slot));
    return found.includes(null) ? undefined : (found as (FetchedAccount | undefined)[]);
  });
}

/** Returns null if the answer is no account. */
function accountOf(
  address: Address,
  found: unknown,
  slot: bigint,
): FetchedAccount | null | undefined {
  if (found === null) return undefined;
  const owner = memberOf(found, 'owner');
  const lamports = wholeOf(memberOf(found, 'lamports'));
  const data = memberOf(found, 'data', 0);
  if (typeof owner !== 'string' || !isAddress(owner)) return null;
  if (lamports === undefined || typeof data !== 'string') return null;
  try {
    return { address, owner, lamports, data: parseBase64(data), slot };
  } catch {
    return null;
  }
}

/** Fetches the newest finalized slot that the node knows. Throws what `ask` throws. */
export function fetchSlot(rpc: ChainRpc): Promise<bigint> {
  return ask('getSlot', rpc.getSlot({ commitment: 'finalized' }), undefined, wholeOf);
}

/** Fetches the lamports of an account, 0 if there is none. Throws what `ask` throws. */
export function fetchBalance(rpc: ChainRpc, address: Address): Promise<bigint> {
  return ask(
    'getBalance',
    rpc.getBalance(address, { commitment: 'finalized' }),
    undefined,
    (answer) => wholeOf(memberOf(answer, 'value')),
  );
}

/** Fetches the lamports that an account of a length must hold. Throws what `ask` throws. */
export function fetchRent(rpc: ChainRpc, length: number): Promise<bigint> {
  const call = rpc.getMinimumBalanceForRentExemption(BigInt(length));
  return ask('getMinimumBalanceForRentExemption', call, undefined, wholeOf);
}
