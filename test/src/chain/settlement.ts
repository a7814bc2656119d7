// The example of a venue's program, samples/settlement-program, and what it is called with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOfKey } from '@assay/chain/addresses';
import { concatBytes } from '@assay/core/bytes';
import { parseHex } from '@assay/core/hex';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  getAddressEncoder,
  type Instruction,
  lamports,
  type TransactionSigner,
} from '@solana/kit';
import { ROOT } from '../core/fixture.ts';
import { hashOf, type Party, partyOf } from './party.ts';
import { type Outcome, PERIOD, PROGRAM, type World, worldOf } from './world.ts';

export const SETTLEMENT: Address = addressOfKey(hashOf('settlement program'));

const BYTES = readFileSync(join(ROOT, 'samples/settlement-program/settlement.so'));
const SYSTEM = '11111111111111111111111111111111' as Address;
const MARKET_BYTES = 448;

/** Lamports that the market holds once it is open. */
export const STAKE = 2_000_000_001n;

/** What the two parties agree on; `refund` in unix seconds. */
export interface Terms {
  readonly period: number;
  readonly required: number;
  readonly strike: bigint;
  readonly refund: bigint;
  readonly feed: Address;
  readonly assay: Address;
  readonly rule: string;
  readonly over: Party;
  readonly under: Party;
  readonly own: readonly string[];
}

/** Feed, market and the two who bet. */
export interface Scene {
  readonly world: World;
  readonly market: Party;
  readonly over: Party;
  readonly under: Party;
  readonly terms: Terms;
}

export async function sceneOf(change: Partial<Terms> = {}): Promise<Scene> {
  const world = await worldOf();
  world.svm.addProgram(SETTLEMENT, BYTES);
  const [market, over, under] = [
    await partyOf('market'),
    await partyOf('over'),
    await partyOf('under'),
  ];
  for (const { signer } of [over, under]) {
    world.svm.airdrop(signer.address, lamports(1_000_000_000n));
  }
  const terms: Terms = {
    period: PERIOD,
    required: 2,
    strike: 218_000n,
    refund: world.now + 86_400n,
    feed: world.feed,
    assay: PROGRAM,
    rule: world.parameters.rule,
    over,
    under,
    own: world.cosigners.map(({ key }) => key),
    ...change,
  };
  return { world, market, over, under, terms };
}

/** The bytes of a market from 8 on. */
export function termsBytes(terms: Terms): Uint8Array {
  const out = new Uint8Array(MARKET_BYTES - 8);
  const view = new DataView(out.buffer);
  view.setInt32(0, terms.period, true);
  out.set([terms.required, terms.own.length], 4);
  view.setBigInt64(8, terms.strike, true);
  view.setBigInt64(16, terms.refund, true);
  const keys = [
    ...[terms.feed, terms.assay].map((each) => getAddressEncoder().encode(each)),
    ...[terms.rule, terms.over.key, terms.under.key, ...terms.own.slice(0, 8)].map((each) =>
      parseHex(each, 32),
    ),
  ];
  for (const [i, key] of keys.entries()) out.set(key, 24 + 32 * i);
  return out;
}

/** The account of a market, with the money of both. */
export function createMarket({ world, market }: Scene, space: number = MARKET_BYTES): Instruction {
  const data = new Uint8Array(52);
  const view = new DataView(data.buffer);
  view.setBigUint64(4, STAKE, true);
  view.setBigUint64(12, BigInt(space), true);
  data.set(getAddressEncoder().encode(SETTLEMENT), 20);
  return { programAddress: SYSTEM, accounts: [signs(world.payer), signs(market)], data };
}

/** Data is the number and what follows it. */
export function call(
  accounts: readonly (Party | Address | AccountSignerMeta)[],
  number: number,
  rest: Uint8Array = new Uint8Array(),
): Instruction {
  return {
    programAddress: SETTLEMENT,
    accounts: accounts.map((each) =>
      typeof each === 'string'
        ? { address: each, role: AccountRole.READONLY }
        : 'role' in each
          ? each
          : { address: each.signer.address, role: AccountRole.WRITABLE },
    ),
    data: concatBytes(Uint8Array.of(number), rest),
  };
}

export function signs({ signer }: { readonly signer: TransactionSigner }): AccountSignerMeta {
  return { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer };
}

/** Creates the market and opens it. */
export function open(scene: Scene): Promise<Outcome> {
  const { world, market, over, under, terms } = scene;
  const parties = [market, over, under].map(signs);
  return world.send(createMarket(scene), call(parties, 0, termsBytes(terms)));
}

/** Settles for `winner`, by the page that holds the period of the terms. */
export async function settle(
  { world, market, terms }: Scene,
  winner: Party,
  accounts: { readonly feed?: Address; readonly page?: Address } = {},
): Promise<Outcome> {
  const { feed = terms.feed, page = await world.pageOf(terms.period) } = accounts;
  return world.send(call([market, feed, page, winner], 1));
}

export function refund({ world, market, over, under }: Scene): Promise<Outcome> {
  return world.send(call([market, over, under], 2));
}

/** The first 8 bytes of the market, or undefined where there is none. */
export function stateOf({ world, market }: Scene): string | undefined {
  const found = world.account(market.signer.address);
  return found && String.fromCharCode(...found.data.subarray(0, 8));
}

export const OPEN = 'venueMK1';

export function balanceOf({ world }: Scene, { signer }: Party): bigint {
  return world.account(signer.address)?.lamports ?? 0n;
}
