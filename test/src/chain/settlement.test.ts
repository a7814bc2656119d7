import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@solana/kit';
import { formatFeed } from '@assay/core/feed/feed-account';
import { formatPage } from '@assay/core/feed/page-account';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOfKey } from '@assay/chain/addresses';
import { lamports } from '@solana/kit';
import { ROOT } from '../core/fixture/fixture.ts';
import { hashOf, type Party, partyOf } from './fixture/party.ts';
import {
  balanceOf,
  call,
  createMarket,
  open,
  OPEN,
  refund,
  type Scene,
  sceneOf,
  settle,
  signs,
  STAKE,
  stateOf,
  type Terms,
  termsBytes,
} from './fixture/settlement.ts';
import { needsSvm, type Outcome, PERIOD, PROGRAM } from './fixture/world.ts';

/** The program's refusals, by number from 1 on. */
const ERRORS = [
  'instruction',
  'accounts',
  'not_signer',
  'wrong_market',
  'wrong_state',
  'bad_terms',
  'wrong_feed',
  'no_final',
  'wrong_party',
  'too_early',
  'overflow',
] as const;

type Refusal = (typeof ERRORS)[number];

function refused({ error }: Outcome, by: Refusal): void {
  const number = /^custom (\d+)$/.exec(error ?? '')?.[1];
  const name = number === undefined ? undefined : ERRORS[Number(number) - 1];
  assert.equal(name ?? error, by);
}

function done({ error }: Outcome): void {
  assert.equal(error, null);
}

/** An open market. */
async function opened(change: Partial<Terms> = {}): Promise<Scene> {
  const scene = await sceneOf(change);
  done(await open(scene));
  assert.equal(stateOf(scene), OPEN);
  return scene;
}

test('settlement: the committed sha256 is that of the committed program', () => {
  const folder = join(ROOT, 'samples/settlement-program');
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, 'settlement.so')))
    .digest('hex');
  assert.equal(readFileSync(join(folder, 'settlement.sha256'), 'utf8'), `${hash}  settlement.so\n`);
});

test('settlement: a final under quorum pays who was right', needsSvm, async (t) => {
  for (const [strike, value, right] of [
    [218_000n, 218_000n, 'over'],
    [218_001n, 218_000n, 'under'],
    [-5n, -6n, 'under'],
    [-(2n ** 63n), -(2n ** 63n), 'over'],
  ] as const) {
    const scene = await opened({ strike });
    const { world, over, under } = scene;
    const [first, second] = world.cosigners as [Party, Party];
    done(await world.publish(world.print({ value }), [world.publisher, first, second]));
    // What comes later does not settle.
    done(await world.publish(world.print({ status: 'corrected', value: 1n })));
    const [winner, loser] = right === 'over' ? [over, under] : [under, over];
    refused(await settle(scene, loser), 'wrong_party');
    const before = balanceOf(scene, winner);
    const outcome = await settle(scene, winner);
    done(outcome);
    assert.equal(balanceOf(scene, winner) - before, STAKE);
    assert.equal(stateOf(scene), undefined, 'the market is gone');
    refused(await settle(scene, winner), 'wrong_market');
    assert.ok(outcome.units < 3000, `${outcome.units} compute units`);
    t.diagnostic(`settle: ${outcome.units} compute units, ${outcome.bytes} bytes`);
  }
});

test('settlement: what is not such a final pays nobody', needsSvm, async () => {
  const cases: readonly [string, Partial<Terms>, (scene: Scene) => Promise<unknown>][] = [
    ['nothing', {}, async () => {}],
    [
      'a provisional',
      {},
      ({ world }) => world.publish(world.print({ status: 'provisional' }), [world.publisher]),
    ],
    ['a void', {}, ({ world }) => world.publish(world.print({ status: 'void' }))],
    ['not settleable', {}, ({ world }) => world.publish(world.print({ settleable: false }))],
    ['withheld', {}, ({ world }) => world.publish(world.print({ withheld: true }))],
    ['another rule', { rule: hashOf('rule 2') }, ({ world }) => world.publish(world.print())],
    ['another week', { period: PERIOD - 7 }, ({ world }) => world.publish(world.print())],
    [
      'co-signers of others',
      { own: ['a', 'b', 'c'].map((name) => hashOf(name)) },
      ({ world }) => world.publish(world.print()),
    ],
    [
      'too few of the own',
      { required: 3 },
      ({ world }) => {
        const [first, second] = world.cosigners as [Party, Party];
        return world.publish(world.print(), [world.publisher, first, second]);
      },
    ],
  ];
  for (const [name, terms, publish] of cases) {
    const scene = await opened(terms);
    const outcome = await publish(scene);
    if (outcome !== undefined) done(outcome as Outcome);
    for (const party of [scene.over, scene.under]) {
      refused(await settle(scene, party), 'no_final');
    }
    assert.equal(stateOf(scene), OPEN, name);
    assert.equal(balanceOf(scene, scene.market), STAKE);
  }
});

test('settlement: accounts that are not the feed’s', needsSvm, async () => {
  const scene = await opened();
  const { world, over } = scene;
  done(await world.publish(world.print()));
  const elsewhere: Address = addressOfKey(hashOf('elsewhere'));
  const other: Address = addressOfKey(hashOf('other program'));
  const page = await world.pageOf(PERIOD);
  const [feedBytes, pageBytes] = [world.bytesOf(world.feed), world.bytesOf(page)];
  world.overwrite(elsewhere, feedBytes, other);
  refused(await settle(scene, over, { feed: elsewhere }), 'wrong_feed');
  world.overwrite(elsewhere, feedBytes);
  refused(await settle(scene, over, { feed: elsewhere }), 'wrong_feed');
  world.overwrite(elsewhere, pageBytes, other);
  refused(await settle(scene, over, { page: elsewhere }), 'wrong_feed');
  // A page of the program's, of another feed.
  const stranger = { ...(await world.page()), feed: hashOf('another feed') };
  world.overwrite(elsewhere, formatPage(stranger));
  refused(await settle(scene, over, { page: elsewhere }), 'no_final');
  refused(await settle(scene, over, { feed: page, page: world.feed }), 'wrong_feed');
  refused(await settle(scene, over, { page: elsewhere, feed: elsewhere }), 'accounts');
  world.overwrite(world.feed, feedBytes, other);
  refused(await settle(scene, over), 'wrong_feed');
  world.overwrite(world.feed, formatFeed(world.feedAccount()));
  done(await settle(scene, over));
});

test('settlement: a market is what both signed, once', needsSvm, async () => {
  const scene = await sceneOf();
  const { world, market, over, under, terms } = scene;
  const bytes = termsBytes(terms);
  const parties = [market, over, under].map(signs);
  const attempt = (change: Partial<Terms>): Promise<Outcome> =>
    world.send(createMarket(scene), call(parties, 0, termsBytes({ ...terms, ...change })));
  for (const i of [0, 1, 2]) {
    const unsigned = [market, over, under].map((each, n) => (n === i ? each : signs(each)));
    const sent = world.send(...(i === 0 ? [] : [createMarket(scene)]), call(unsigned, 0, bytes));
    refused(await sent, 'not_signer');
  }
  const stranger = await partyOf('stranger');
  refused(await attempt({ over: stranger }), 'wrong_party');
  refused(await attempt({ under: stranger }), 'wrong_party');
  refused(await attempt({ required: 0 }), 'bad_terms');
  refused(await attempt({ required: 4 }), 'bad_terms');
  refused(await attempt({ own: [] }), 'bad_terms');
  refused(await attempt({ own: Array.from({ length: 9 }, (_, i) => hashOf(`${i}`)) }), 'bad_terms');
  refused(await attempt({ under: over }), 'bad_terms');
  const cut = call(parties, 0, bytes.subarray(1));
  refused(await world.send(createMarket(scene), cut), 'instruction');
  refused(await world.send(createMarket(scene, 449), call(parties, 0, bytes)), 'wrong_market');
  refused(await world.send(call(parties, 0, bytes)), 'wrong_market');
  done(await open(scene));
  refused(await world.send(call(parties, 0, bytes)), 'wrong_state');
});

test('settlement: an account that is no open market', needsSvm, async () => {
  const scene = await sceneOf();
  const { world, over, market } = scene;
  done(await world.publish(world.print()));
  const at = market.signer.address;
  const page = await world.pageOf(PERIOD);
  done(await world.send(createMarket(scene)));
  refused(await settle(scene, over), 'wrong_state');
  refused(await refund(scene), 'wrong_state');
  const real = await opened();
  const bytes = real.world.bytesOf(at);
  world.overwrite(at, bytes, PROGRAM);
  refused(await settle(scene, over), 'wrong_market');
  refused(await world.send(call([market, scene.terms.feed, page], 1)), 'accounts');
  refused(await world.send(call([market, scene.terms.feed, page, over, PROGRAM], 1)), 'accounts');
  refused(await world.send(call([market], 3)), 'instruction');
  refused(await world.send(call([market], 1, Uint8Array.of(0))), 'instruction');
});

test(
  'settlement: each gets half back from the day on, where nothing settled',
  needsSvm,
  async () => {
    const scene = await opened();
    const { world, over, under, market, terms } = scene;
    done(await world.publish(world.print({ status: 'void' })));
    refused(await refund(scene), 'too_early');
    world.now = terms.refund - 1n;
    refused(await refund(scene), 'too_early');
    world.now = terms.refund;
    refused(await world.send(call([market, under, over], 2)), 'wrong_party');
    const stranger = await partyOf('stranger');
    refused(await world.send(call([market, over, stranger], 2)), 'wrong_party');
    const before = [over, under].map((each) => balanceOf(scene, each));
    done(await refund(scene));
    const after = [over, under].map((each) => balanceOf(scene, each));
    assert.deepEqual(
      after.map((each, i) => each - (before[i] as bigint)),
      [STAKE / 2n, STAKE - STAKE / 2n],
    );
    assert.equal(stateOf(scene), undefined);
  },
);

test(
  'settlement: a market that is sent money while it is paid is not open again',
  needsSvm,
  async () => {
    const scene = await opened();
    const { world, over, market, terms } = scene;
    done(await world.publish(world.print()));
    const page = await world.pageOf(PERIOD);
    const instruction = call([market, terms.feed, page, over], 1);
    refused(await world.send(instruction, instruction), 'wrong_state');
    const balance = world.svm.getAccount(over.signer.address);
    assert.ok(balance.exists);
    world.svm.setAccount({ ...balance, lamports: lamports(2n ** 64n - 1n) });
    refused(await settle(scene, over), 'overflow');
  },
);
