import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  beaconChainParser,
  chainHash,
  QUICKNET,
  roundAt,
  roundTime,
} from '@assay/core/timelock/beacon-chain';
import { formatTime } from '@assay/core/time/time';
import { wire, type WireValue } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';
import { CHAINS, OWN, vectorChain } from './timelock-vectors.ts';

const parse = beaconChainParser(sha256);

test('chain: quicknet is what drand publishes, and its hash is that of its members', () => {
  assert.deepEqual(wire(QUICKNET), CHAINS.find(({ name }) => name === 'quicknet')?.chain);
  assert.deepEqual(parse(wire(QUICKNET), 'chain'), QUICKNET);
  assert.equal(chainHash(sha256, QUICKNET), QUICKNET.hash);
});

test('chain: the vectors are taken as they are', () => {
  assert.equal(CHAINS.length, 3);
  for (const { chain } of CHAINS) assert.deepEqual(parse(chain, ''), chain);
});

test('chain: what is refused, and where', () => {
  const refused =
    vectors<readonly { readonly name: string; readonly at: string; readonly chain: WireValue }[]>(
      'timelock/refused-chains',
    );
  assert.equal(refused.length, 19);
  for (const { name, at, chain } of refused) {
    assert.throws(() => parse(chain, 'chain'), { code: 'malformed', at }, name);
  }
  assert.throws(() => parse({ ...wire(QUICKNET), hash: OWN.hash }, ''), {
    code: 'malformed',
    at: 'hash',
    expected: QUICKNET.hash,
  });
});

test('rounds: the vectors', () => {
  for (const { chain, seconds, round, published } of vectors<
    readonly { chain: string; seconds: number; round: number; published: number }[]
  >('timelock/rounds')) {
    assert.equal(roundAt(vectorChain(chain), seconds), round, `${chain} at ${seconds}`);
    assert.equal(roundTime(vectorChain(chain), round), published, `${chain} ${round}`);
  }
  assert.equal(formatTime(roundTime(QUICKNET, 1000)), '2023-08-23T15:59:24Z');
  const refused =
    vectors<readonly { chain: string; round?: number; seconds?: number }[]>(
      'timelock/refused-rounds',
    );
  assert.equal(refused.length, 9);
  for (const { chain, round, seconds } of refused) {
    const computed = (): number =>
      round === undefined
        ? roundAt(vectorChain(chain), seconds ?? Number.NaN)
        : roundTime(vectorChain(chain), round);
    assert.throws(computed, { code: 'out_of_range' }, `${round} ${seconds}`);
  }
  for (const wrong of [Number.NaN, Infinity, -Infinity]) {
    assert.throws(() => roundAt(QUICKNET, wrong), { code: 'out_of_range' });
    assert.throws(() => roundTime(QUICKNET, wrong), { code: 'out_of_range' });
  }
});

test('rounds: the round of a time is the first that is published at or after it', () => {
  const times = fc.tuple(
    fc.integer({ min: 1, max: 86_400 }),
    fc.integer({ min: 0, max: 4_000_000_000 }),
    fc.integer({ min: 0, max: 253_000_000_000 }),
  );
  fc.assert(
    fc.property(times, ([period_s, genesis_time, seconds]) => {
      const chain = { ...OWN, period_s, genesis_time };
      const round = roundAt(chain, seconds);
      assert.ok(roundTime(chain, round) >= seconds);
      assert.ok(round === 1 || roundTime(chain, round - 1) < seconds);
      assert.equal(roundAt(chain, roundTime(chain, round)), round);
    }),
  );
});
