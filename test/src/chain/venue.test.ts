import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageAddress } from '@assay/chain/addresses';
import { finalOf, periodThrough, printOfPeriod, type VenueRequest } from '@assay/chain/venue';
import { Fault } from '@assay/core/fault';
import { formatFeed } from '@assay/core/feed/feed-account';
import { type Address, createSolanaRpcFromTransport } from '@solana/kit';
import { hashOf, partyOf, type Party } from './fixture/party.ts';
import { finalOfWeek } from './fixture/venue-example.ts';
import { type Asked, venueRpc } from './fixture/venue-rpc.ts';
import { needsSvm, NOW, PERIOD, PROGRAM, type World, worldOf } from './fixture/world.ts';

const SYSTEM = '11111111111111111111111111111111' as Address;

function requestOf(world: World, change: Partial<VenueRequest> = {}): VenueRequest {
  return {
    program: PROGRAM,
    publisher: world.publisher.key,
    ticker: 'LAYOFFS',
    period: '2026-07-25',
    ruleHash: world.parameters.rule,
    cosigners: world.cosigners.map(({ key }) => key),
    required: 2,
    maxAge: 86_400,
    now: Number(NOW),
    ...change,
  };
}

/** Code, place and what was found. */
async function refusal(
  promise: Promise<unknown>,
): Promise<readonly [string, string | undefined, string | undefined]> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Fault) return [error.code, error.at, error.found];
    throw error;
  }
  return ['none', undefined, undefined];
}

test('venue: a period from nothing to final and corrected', needsSvm, async () => {
  const world = await worldOf();
  const rpc = venueRpc(world);
  const read = (change: Partial<VenueRequest> = {}) => finalOf(rpc, requestOf(world, change));
  assert.deepEqual(await refusal(read()), ['unmet', 'status', 'nothing']);
  const provisional = world.print({ status: 'provisional' });
  assert.equal((await world.publish(provisional, [world.publisher])).error, null);
  assert.deepEqual(await refusal(read()), ['unmet', 'status', 'provisional']);
  const seen = await printOfPeriod(rpc, requestOf(world));
  assert.deepEqual([seen.provisional?.value, seen.settled], [218_000n, null]);
  const [first, second] = world.cosigners as [Party, Party];
  const signers = [world.publisher, first, second];
  assert.equal((await world.publish(world.print(), signers)).error, null);
  assert.equal((await world.publish(world.print({ status: 'corrected', value: 1n }))).error, null);
  assert.equal((await world.dissent(world.print(), [first])).error, null);
  const final = await read({ log: world.parameters.log });
  assert.deepEqual([final.value, final.reportHash], [218_000n, hashOf('a report')]);
  assert.deepEqual(final.counted, [first.key, second.key]);
  assert.deepEqual([final.dissent, final.dissents], [true, [first.key]]);
  assert.equal(final.corrected?.value, 1n);
  for (const [expected, change] of [
    ['cosigners', { required: 3 }],
    ['rule', { ruleHash: hashOf('rule 2') }],
    ['log', { log: hashOf('another log') }],
    ['age', { maxAge: 3599 }],
    ['status', { period: '2026-07-18' }],
  ] as const) {
    assert.deepEqual((await refusal(read(change))).slice(0, 2), ['unmet', expected]);
  }
});

test('venue: feed and page come of one answer, at `finalized`', needsSvm, async () => {
  const world = await worldOf();
  assert.equal((await world.publish(world.print())).error, null);
  const asked: Asked[] = [];
  await finalOf(venueRpc(world, asked), requestOf(world));
  const page = await world.pageOf(PERIOD);
  const { feed } = world;
  assert.deepEqual(asked, [
    [[feed], 'finalized'],
    [[feed, page], 'finalized'],
  ]);
  asked.length = 0;
  await printOfPeriod(venueRpc(world, asked), requestOf(world, { commitment: 'confirmed' }));
  assert.deepEqual(
    asked.map(([, commitment]) => commitment),
    ['confirmed', 'confirmed'],
  );
});

test('venue: accounts that are not there, or another’s', needsSvm, async () => {
  const world = await worldOf();
  const rpc = venueRpc(world);
  const at = (change: Partial<VenueRequest>) => refusal(finalOf(rpc, requestOf(world, change)));
  assert.deepEqual(await at({ ticker: 'JOBS' }), ['unmet', 'feed', 'nothing']);
  assert.deepEqual(await at({ publisher: world.next.key }), ['unmet', 'feed', 'nothing']);
  assert.deepEqual(await at({ period: '2030-01-05' }), ['unmet', 'page', 'nothing']);
  const [page] = await pageAddress(PROGRAM, world.feed, 93);
  // Lamports that somebody sent ahead.
  world.overwrite(page, new Uint8Array(), SYSTEM);
  const ahead = await at({ period: '2026-08-15' });
  assert.deepEqual(ahead, ['unmet', 'status', 'nothing'], 'still page 92');
  const first93 = await at({ period: '2027-01-16' });
  assert.deepEqual(first93, ['unmet', 'page.owner', SYSTEM]);
  world.overwrite(world.feed, formatFeed(world.feedAccount()), SYSTEM);
  assert.deepEqual(await at({}), ['unmet', 'feed.owner', SYSTEM]);
});

test('venue: the cadence is the feed’s', needsSvm, async () => {
  for (const [cadence, period, days] of [
    ['utc_day', '2026-07-24', 20_658],
    ['month', '2026-07-01', 20_635],
  ] as const) {
    const world = await worldOf({ parameters: { cadence, first: 0 } });
    assert.equal((await world.publish(world.print({ period: days }))).error, null, cadence);
    const request = requestOf(world, { period, maxAge: 1e9 });
    assert.equal((await finalOf(venueRpc(world), request)).value, 218_000n);
  }
});

test('venue: a request that cannot be is refused before anything is asked', needsSvm, async () => {
  const world = await worldOf();
  const asked: Asked[] = [];
  const at = async (change: Partial<VenueRequest>): Promise<string> =>
    (await refusal(finalOf(venueRpc(world, asked), requestOf(world, change))))[0];
  assert.equal(await at({ program: 'AssayFeed' }), 'malformed');
  assert.equal(await at({ publisher: 'z'.repeat(64) }), 'bad_hex');
  assert.equal(await at({ ticker: 'layoffs' }), 'malformed');
  assert.equal(await at({ period: '2026-7-25' }), 'malformed');
  assert.equal(await at({ ruleHash: hashOf('rule 1').toUpperCase() }), 'bad_hex');
  assert.equal(await at({ cosigners: [`${world.publisher.key}00`] }), 'bad_length');
  assert.equal(await at({ log: '' }), 'bad_length');
  assert.deepEqual(asked, []);
});

test('venue: an RPC that fails is unreachable, with its error', needsSvm, async () => {
  const world = await worldOf();
  const down = new Error('connect ECONNREFUSED');
  const rpc = createSolanaRpcFromTransport(() => Promise.reject(down));
  await assert.rejects(
    finalOf(rpc, requestOf(world)),
    (error: unknown) =>
      error instanceof Fault && error.code === 'unreachable' && error.cause === down,
  );
  const stopped = AbortSignal.abort();
  const aborted = printOfPeriod(venueRpc(world), requestOf(world), { signal: stopped });
  assert.equal((await refusal(aborted))[0], 'unreachable');
  const answers = createSolanaRpcFromTransport(
    async <Response>() =>
      ({ jsonrpc: '2.0', id: '1', error: { code: -32005, message: 'behind' } }) as Response,
  );
  assert.equal((await refusal(finalOf(answers, requestOf(world))))[0], 'unreachable');
});

test('venue: an RPC that never answers is unreachable in time', async () => {
  const party = await partyOf('a publisher');
  const request = {
    program: PROGRAM,
    publisher: party.key,
    ticker: 'LAYOFFS',
    period: '2026-07-25',
    ruleHash: hashOf('rule 1'),
    cosigners: [party.key],
    required: 1,
    maxAge: 1,
    now: Number(NOW),
  };
  // Neither one that hears the signal nor one that does not.
  const silent = createSolanaRpcFromTransport(() => new Promise<never>(() => {}));
  for (const call of [finalOf, printOfPeriod]) {
    await assert.rejects(
      call(silent, request, { timeoutMs: 1 }),
      (error: unknown) =>
        error instanceof Fault &&
        error.code === 'unreachable' &&
        error.cause instanceof Error &&
        error.cause.message === 'no answer within 1 ms',
    );
    const stop = new AbortController();
    const stopped = call(silent, request, { signal: stop.signal });
    stop.abort();
    assert.equal((await refusal(stopped))[0], 'unreachable');
    for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31]) {
      await assert.rejects(call(silent, request, { timeoutMs }), TypeError);
    }
  }
});

test('venue: what was stopped is not asked', async () => {
  let asked = 0;
  const fetch = (): Promise<never> => {
    asked += 1;
    return new Promise<never>(() => {});
  };
  const period = {
    program: PROGRAM,
    publisher: '11'.repeat(32),
    ticker: 'T',
    period: '2026-07-25',
  };
  const ended = periodThrough(fetch, period, { signal: AbortSignal.abort() });
  assert.equal((await refusal(ended))[0], 'unreachable');
  assert.equal(asked, 0);
});

test('venue: the example of the page reads what the program wrote', needsSvm, async () => {
  const world = await worldOf();
  assert.equal((await world.publish(world.print())).error, null);
  const listing = {
    program: PROGRAM,
    publisher: world.publisher.key,
    ruleHash: world.parameters.rule,
    cosigners: world.cosigners.map(({ key }) => key),
  };
  const { value, counted } = await finalOfWeek(venueRpc(world), listing, '2026-07-25', Number(NOW));
  assert.deepEqual([value, counted.length], [218_000n, 3]);
});
