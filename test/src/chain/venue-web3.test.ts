import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finalOf, printOfPeriod, type Web3 } from '@assay/chain/venue-web3';
import { Fault } from '@assay/core/fault';
import type { Address } from '@solana/kit';
import { needsSvm, NOW, PROGRAM, type World, worldOf } from './fixture/world.ts';

class Key {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toBase58(): string {
    return this.text;
  }
}

/** As web3.js answers; the real one reads in test/interop/chain-web3.test.ts. */
function web3Of(world: World): Web3<Key> {
  const connection = {
    async getMultipleAccountsInfoAndContext(keys: Key[], config: { commitment: string }) {
      assert.equal(config.commitment, 'finalized');
      const value = keys.map((key) => {
        const found = world.account(key.text as Address);
        return found === undefined
          ? null
          : { owner: new Key(found.programAddress), data: Buffer.from(found.data), lamports: 1 };
      });
      return { context: { slot: 1 }, value };
    },
  };
  return { connection, PublicKey: Key };
}

test('venue web3: the same final, and the same refusals', needsSvm, async () => {
  const world = await worldOf();
  const request = {
    program: PROGRAM,
    publisher: world.publisher.key,
    ticker: 'LAYOFFS',
    period: '2026-07-25',
    ruleHash: world.parameters.rule,
    cosigners: world.cosigners.map(({ key }) => key),
    required: 3,
    maxAge: 86_400,
    now: Number(NOW),
  };
  const web3 = web3Of(world);
  const at = (place: string) => (error: unknown) => error instanceof Fault && error.at === place;
  await assert.rejects(finalOf(web3, request), at('status'));
  await assert.rejects(finalOf(web3, { ...request, ticker: 'JOBS' }), at('feed'));
  assert.equal((await world.publish(world.print())).error, null);
  assert.equal((await finalOf(web3, request)).value, 218_000n);
  assert.equal((await printOfPeriod(web3, request)).settled?.status, 'final');
  const down = {
    ...web3,
    connection: { getMultipleAccountsInfoAndContext: () => Promise.reject() },
  };
  await assert.rejects(
    finalOf(down, request),
    (error: unknown) => error instanceof Fault && error.code === 'unreachable',
  );
});

test('venue web3: a connection that never answers has an end', async () => {
  const connection = { getMultipleAccountsInfoAndContext: () => new Promise<never>(() => {}) };
  const web3 = { connection, PublicKey: Key };
  const period = {
    program: PROGRAM,
    publisher: '11'.repeat(32),
    ticker: 'T',
    period: '2026-07-25',
  };
  const unreachable = (error: unknown): boolean =>
    error instanceof Fault && error.code === 'unreachable';
  await assert.rejects(printOfPeriod(web3, period, { timeoutMs: 1 }), unreachable);
  const stop = new AbortController();
  const list = { ruleHash: '11'.repeat(32), cosigners: ['11'.repeat(32)], required: 1 };
  const request = { ...period, ...list, maxAge: 1, now: 1 };
  const stopped = finalOf(web3, request, { signal: stop.signal });
  stop.abort();
  await assert.rejects(stopped, unreachable);
});
