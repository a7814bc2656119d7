import { type BeaconChain, beaconChainParser } from '@assay/core/timelock/beacon-chain';
import type { WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

export interface ChainVector {
  readonly name: string;
  readonly chain: WireObject;
  /** The secret key, hex, of a chain that is made for the vectors. */
  readonly secret?: string;
}

export interface SignatureVector {
  readonly chain: string;
  readonly round: number;
  readonly signature: string;
}

export interface SealedVector {
  readonly name: string;
  readonly chain: string;
  readonly round: number;
  readonly message: string;
  readonly sigma: string;
  readonly sealed: string;
}

export const CHAINS: readonly ChainVector[] = vectors('timelock/chains');
export const SIGNATURES: readonly SignatureVector[] = vectors('timelock/signatures');
export const SEALED: readonly SealedVector[] = vectors('timelock/sealed');

const parsed = new Map(
  CHAINS.map(({ name, chain }) => [name, beaconChainParser(sha256)(chain, 'chain')]),
);

export function vectorChain(name: string): BeaconChain {
  const chain = parsed.get(name);
  if (chain === undefined) throw new TypeError(`no chain ${name}`);
  return chain;
}

/** The chain whose secret the vectors have. */
export const OWN: BeaconChain = vectorChain('own');

export const OWN_SECRET: string = CHAINS.find(({ name }) => name === 'own')?.secret ?? '';

/** The signature of a round that the vectors have, hex. */
export function vectorSignature(chain: string, round: number): string {
  const found = SIGNATURES.find((each) => each.chain === chain && each.round === round);
  if (found === undefined) throw new TypeError(`no signature of ${chain} ${round}`);
  return found.signature;
}
