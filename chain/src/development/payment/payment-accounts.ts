import { createHash } from 'node:crypto';
import {
  type Address,
  createKeyPairSignerFromPrivateKeyBytes,
  getAddressEncoder,
  getProgramDerivedAddress,
  type KeyPairSigner,
} from '@solana/kit';
import type { DevelopmentAccount } from '../development-ledger.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
/** Nobody can make more tokens than there are at the start. */
const NO_AUTHORITY = '11111111111111111111111111111111' as Address;
const DECIMALS = 6;
/** Lamports of an account, which are more than its rent. */
const LAMPORTS = 10_000_000n;

/**
 * The network and the asset that a development chain goes by in x402. Its packages know three networks of Solana, so a chain of this machine
 * has to use the name of a public test network, and the address of the USDC there.
 */
export const DEVELOPMENT_NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
export const DEVELOPMENT_ASSET: Address = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' as Address;

/** A key that everybody can make: of somebody on the development chain. */
export function developmentPayer(name: string): Promise<KeyPairSigner> {
  return createKeyPairSignerFromPrivateKeyBytes(developmentSeed(name));
}

/** The 32 bytes that such a key is made of. */
export function developmentSeed(name: string): Uint8Array {
  return new Uint8Array(
    createHash('sha256').update(`assay/development-payer/v1\0${name}`).digest(),
  );
}

/** The accounts with which a chain begins, so that its owners can pay in tokens: the mint, and a token account of each. */
export async function paymentAccounts(
  owners: ReadonlyMap<Address, bigint>,
): Promise<readonly DevelopmentAccount[]> {
  const supply = [...owners.values()].reduce((sum, each) => sum + each, 0n);
  const accounts = [...owners].map(async ([owner, amount]): Promise<DevelopmentAccount> => ({
    address: await tokenAccountOf(owner),
    owner: TOKEN,
    lamports: LAMPORTS,
    data: tokenAccountData(owner, amount),
  }));
  const mint = { address: DEVELOPMENT_ASSET, owner: TOKEN, lamports: LAMPORTS };
  return [{ ...mint, data: mintData(supply) }, ...(await Promise.all(accounts))];
}

/** The associated token account of an owner. */
async function tokenAccountOf(owner: Address): Promise<Address> {
  const seeds = [owner, TOKEN, DEVELOPMENT_ASSET].map((each) => getAddressEncoder().encode(each));
  const [address] = await getProgramDerivedAddress({ programAddress: ASSOCIATED, seeds });
  return address;
}

/** 0 4 option, 4 32 mint authority, 36 8 supply, 44 1 decimals, 45 1 initialized, 82. */
function mintData(supply: bigint): Uint8Array {
  const data = new Uint8Array(82);
  data[0] = 1;
  data.set(getAddressEncoder().encode(NO_AUTHORITY), 4);
  new DataView(data.buffer).setBigUint64(36, supply, true);
  data[44] = DECIMALS;
  data[45] = 1;
  return data;
}

/** 0 32 mint, 32 32 owner, 64 8 amount, 108 1 state, 165. */
function tokenAccountData(owner: Address, amount: bigint): Uint8Array {
  const data = new Uint8Array(165);
  data.set(getAddressEncoder().encode(DEVELOPMENT_ASSET));
  data.set(getAddressEncoder().encode(owner), 32);
  new DataView(data.buffer).setBigUint64(64, amount, true);
  data[108] = 1;
  return data;
}
