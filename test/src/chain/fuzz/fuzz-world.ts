import assert from 'node:assert/strict';
import { closeAddress } from '@assay/chain/addresses';
import { SYSTEM_PROGRAM } from '@assay/chain/instructions';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { formatCloseAccount, parseCloseAccount } from '@assay/core/feed/close-account';
import { formatFeed, parseFeed } from '@assay/core/feed/feed-account';
import { formatPage, parsePage } from '@assay/core/feed/page-account';
import { type Address, getAddressEncoder } from '@solana/kit';
import type { Model } from '../fixture/model.ts';
import { hashOf } from '../fixture/party.ts';
import { DAY, NOW, PERIOD, PROGRAM, type World, worldOf } from '../fixture/world.ts';

/** All accounts of the program, by address. */
export type State = ReadonlyMap<Address, Uint8Array>;

export const PAGE: number = 92;
export const CLOSE_DAY: number = Number(NOW / DAY) - 1;
export const OTHER_SYSVAR: Address = 'SysvarC1ock11111111111111111111111111111111' as Address;

export function stateOf({ svm }: World): State {
  return new Map(
    svm.getProgramAccounts(PROGRAM).map(({ address, data }) => [address, Uint8Array.from(data)]),
  );
}

export function requireState(world: World, expected: State, words: string): void {
  const found = stateOf(world);
  assert.deepEqual([...found.keys()].sort(), [...expected.keys()].sort(), words);
  for (const [address, bytes] of expected) {
    assert.ok(equalBytes(found.get(address) ?? new Uint8Array(), bytes), `${words}: ${address}`);
  }
}

/** Puts the accounts back, and takes away those that were not there. */
export function restore(world: World, state: State): void {
  for (const [address, bytes] of state) world.overwrite(address, bytes);
  for (const address of stateOf(world).keys()) {
    if (!state.has(address)) world.overwrite(address, new Uint8Array(), SYSTEM_PROGRAM, 0n);
  }
}

/** A world whose feed has a provisional and a Close, so that each message can be brought. */
export async function fuzzWorld(): Promise<World> {
  const world = await worldOf();
  const outcomes = [
    await world.publish(world.print({ status: 'provisional' })),
    await world.close(CLOSE_DAY, hashOf('first')),
  ];
  for (const { error } of outcomes) assert.equal(error, null);
  return world;
}

export async function modelOf(world: World): Promise<Model> {
  const [closeAt] = await closeAddress(PROGRAM, world.feed, CLOSE_DAY);
  const close_ = parseCloseAccount(world.bytesOf(closeAt));
  const feedKey = formatHex(Uint8Array.from(getAddressEncoder().encode(world.feed))) as HashHex;
  return {
    now: world.now,
    slot: world.svm.getClock().slot,
    feed: parseFeed(world.bytesOf(world.feed)),
    pages: new Map([[PAGE, parsePage(world.bytesOf(await world.pageOf(PERIOD)))]]),
    closes: new Map([[CLOSE_DAY, close_]]),
    facts: {
      genesis: world.publisher.key,
      feedKey,
      feedBump: 0,
      pageBump: () => 0,
      closeBump: () => close_.bump,
      series: () => feedKey,
      isKey: () => true,
    },
  };
}

export async function bytesOfModel(world: World, model: Model): Promise<State> {
  const [closeAt] = await closeAddress(PROGRAM, world.feed, CLOSE_DAY);
  const [page, held] = [model.pages.get(PAGE), model.closes.get(CLOSE_DAY)];
  if (model.feed === null || page === undefined || held === undefined) throw new TypeError('gone');
  return new Map([
    [world.feed, formatFeed(model.feed)],
    [await world.pageOf(PERIOD), formatPage(page)],
    [closeAt, formatCloseAccount(held)],
  ]);
}
