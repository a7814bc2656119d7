import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainRpc } from '@assay/chain/client/rpc';
import type { DevelopmentChain } from '@assay/chain/development/development-chain';
import { answerRpc } from '@assay/chain/development/json-rpc';
import { createSolanaRpcFromTransport } from '@solana/kit';
import type { OutgoingStore } from '@assay/node/feed/outgoing';
import { MemoryOutgoing } from '@assay/node/feed/outgoing';
import type { Ledger } from '@assay/node/ledger/ledger';
import { SKIP } from '../../chain/development/world.ts';
import { HANDS } from '../../core/fixture/cosigner-fixture.ts';
import { FeedWorld, TICKER, WEEK } from './feed-world.ts';

/** Where a process ends: nothing of it works afterwards. */
class Life {
  /** Points that are still lived through. */
  #left: number;
  passed = 0;

  constructor(points: number) {
    this.#left = points;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  point(): void {
    if (this.over) throw new Error('the process has ended');
    this.#left -= 1;
    this.passed += 1;
    if (this.over) throw new Error('the process ends');
  }

  /** Before what it does, and after it: a process may end at both. */
  async around<T>(work: () => Promise<T>): Promise<T> {
    this.point();
    const done = await work();
    this.point();
    return done;
  }
}

function mortalRpc(chain: DevelopmentChain, life: () => Life): ChainRpc {
  return createSolanaRpcFromTransport(
    async <Response>({ payload }: { payload: unknown }): Promise<Response> =>
      life().around(() => Promise.resolve(answerRpc(payload, chain.methods) as Response)),
  );
}

function mortalStore(kept: OutgoingStore, life: () => Life): OutgoingStore {
  return {
    get: () => life().around(() => kept.get()),
    set: (outgoing) => life().around(() => kept.set(outgoing)),
  };
}

/** The parts of a ledger that posting uses. */
function mortalLedger(ledger: Ledger, life: () => Life): Ledger {
  const view = {
    get shown() {
      return ledger.shown;
    },
    get tip() {
      return ledger.tip;
    },
    get nextSeq() {
      return ledger.nextSeq;
    },
    get blocked() {
      return ledger.blocked;
    },
    write: (...given: Parameters<Ledger['write']>) => life().around(() => ledger.write(...given)),
  };
  return view as unknown as Ledger;
}

/** One life of so many points, and another after it; how many points the first one had. */
async function liveTwice(points: number): Promise<number> {
  let life = new Life(Number.POSITIVE_INFINITY);
  const kept = new MemoryOutgoing();
  const world = await FeedWorld.make({
    rpc: (chain) => mortalRpc(chain, () => life),
    outgoing: mortalStore(kept, () => life),
  });
  world.goTo('2026-07-30T14:30:00Z');
  const final = await world.final();
  await world.dissent(final, HANDS[2]);
  world.goTo('2026-08-01T00:00:10Z');
  await world.close('2026-07-30', '5'.repeat(64) as never);
  const { ledger } = world;
  life = new Life(points);
  world.ledger = mortalLedger(ledger, () => life);
  world.feeds = world.makeFeeds();
  await world.poll();
  const { passed, over } = life;
  await world.feeds.stop();
  life = new Life(Number.POSITIVE_INFINITY);
  world.feeds = world.makeFeeds();
  // What was out and never arrived must first be known not to arrive.
  for (let i = 0; i < 4; i += 1) {
    await world.poll();
    world.go(90);
  }
  const where = `ended at point ${points}`;
  // What is out is waited for, and what comes after it is not.
  const posted = [...world.posted()].sort((a, b) => (a.of < b.of ? 1 : -1));
  assert.deepEqual(
    posted.map(({ of, period }) => `${of} ${period}`),
    [`print ${WEEK}`, 'close 2026-07-30'],
    where,
  );
  const ran = world.chain.ledger.history
    .newest(1000)
    .filter(({ error, fee }) => error === null && fee > 5000n);
  // The feed, the print with its page, the Close, the dissent: each once.
  assert.equal(ran.length, 4, where);
  assert.deepEqual(
    posted.map(({ transaction }) => ran.some(({ wire }) => wire.signature === transaction)),
    [true, true],
    where,
  );
  const feed = await world.client().feed(TICKER);
  assert.equal(feed?.account.latest !== null, true, where);
  assert.deepEqual(world.reasons(), [], where);
  assert.deepEqual((await kept.get()).out, [], where);
  world.ledger = ledger;
  await world.end();
  return over ? passed : Number.POSITIVE_INFINITY;
}

test(
  'feeds: a process that ends at any point forgets nothing and does nothing twice',
  { skip: SKIP },
  async () => {
    const step = process.env['ASSAY_FAULT_LONG'] === undefined ? 5 : 1;
    for (let points = 1; ; points += step) {
      if ((await liveTwice(points)) === Number.POSITIVE_INFINITY) {
        assert.ok(points > 60, `${points} points`);
        return;
      }
    }
  },
);
