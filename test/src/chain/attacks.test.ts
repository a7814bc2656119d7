import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedAddress, pageAddress } from '@assay/chain/addresses';
import { ED25519_PROGRAM, formatEd25519 } from '@assay/chain/ed25519-instruction';
import {
  addSet,
  initFeed,
  openPage,
  publish,
  rotate,
  SYSTEM_PROGRAM,
} from '@assay/chain/instructions';
import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { formatPrint } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import type { Address, Instruction } from '@solana/kit';
import fc from 'fast-check';
import { commitmentTo, hashOf, type Party, partyOf } from './fixture/party.ts';
import { torsionedParty } from './fixture/torsioned-party.ts';
import { budget, measure } from './fixture/units.ts';
import {
  DAY,
  needsSvm,
  NOW,
  type Outcome,
  PERIOD,
  PROGRAM,
  proof,
  WEEK,
  type World,
  worldOf,
} from './fixture/world.ts';

/** Asserts that `outcome` is this refusal and the program's accounts are as before. */
async function refuses(
  world: World,
  error: string,
  run: () => Promise<Outcome>,
  name?: string,
): Promise<void> {
  const before = stateOf(world);
  const outcome = await run();
  assert.equal(outcome.error, error, name);
  assert.deepEqual(stateOf(world), before, name);
}

function stateOf(world: World): readonly (readonly [Address, string])[] {
  return world.svm
    .getProgramAccounts(PROGRAM)
    .map(({ address, data }) => [address, Buffer.from(data).toString('hex')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

test('attack: a signature that does not verify stops the transaction', needsSvm, async () => {
  const world = await worldOf();
  const message = formatPrint(world.print());
  const { data } = proof(message, [world.publisher, ...world.cosigners]);
  // The message, a key, a signature: what the precompile says of each.
  for (const [at, error] of [
    [data.length - 1, 'custom 2'],
    [2 + 14 * 4, 'custom 0'],
    [2 + 14 * 4 + 40, 'custom 2'],
  ] as const) {
    const forged = data.slice();
    forged[at] = (forged[at] ?? 0) ^ 1;
    const page = await world.pageOf(PERIOD);
    await refuses(world, error, () =>
      world.send(
        { programAddress: ED25519_PROGRAM, data: forged },
        publish(PROGRAM, world.feed, page, 0),
      ),
    );
  }
});

test('attack: signatures of another message beside those of a print', needsSvm, async () => {
  const world = await worldOf();
  const [first, second] = world.cosigners as [Party, Party];
  // The co-signers signed another value; the publisher brings their signatures with his print.
  const own = formatPrint(world.print());
  const theirs = formatPrint(world.print({ value: 1n }));
  const data = formatEd25519(own, [
    { key: parseHex(world.publisher.key), signature: world.publisher.sign(own) },
    { key: parseHex(first.key), signature: first.sign(theirs) },
    { key: parseHex(second.key), signature: second.sign(theirs) },
  ]);
  const whole = concatBytes(data, theirs);
  const view = new DataView(whole.buffer);
  for (const i of [1, 2]) view.setUint16(2 + 14 * i + 8, data.length, true);
  const page = await world.pageOf(PERIOD);
  await refuses(world, 'ed_message', () =>
    world.send(
      { programAddress: ED25519_PROGRAM, data: whole },
      publish(PROGRAM, world.feed, page, 0),
    ),
  );
});

test('attack: a message signed once is replayed', needsSvm, async () => {
  const world = await worldOf();
  const provisional = world.print({ status: 'provisional', issue: 4 });
  const final = world.print();
  const corrected = world.print({ status: 'corrected', value: 5n });
  const void_ = world.print({ status: 'void' });
  await world.publish(provisional);
  await refuses(world, 'bad_issue', () => world.publish(provisional));
  await world.publish(final);
  await refuses(world, 'settled', () => world.publish(provisional));
  await refuses(world, 'settled', () => world.publish(final));
  await refuses(world, 'settled', () => world.publish(void_));
  await world.publish(corrected);
  await refuses(world, 'bad_issue', () => world.publish(corrected));
  await refuses(world, 'settled', () => world.publish(final));
});

test('attack: a Close or a dissent that was signed once is replayed', needsSvm, async () => {
  const world = await worldOf();
  const day = Number(NOW / DAY) - 1;
  const [first] = world.cosigners as [Party];
  await world.close(day, hashOf('first'));
  await world.close(day, hashOf('second'));
  await refuses(world, 'repeated_close', () => world.close(day, hashOf('first')));
  await world.publish(world.print({ status: 'provisional' }));
  await world.dissent(world.print({ status: 'provisional' }), [first]);
  const again = (): Promise<Outcome> =>
    world.dissent(world.print({ status: 'provisional' }), [first]);
  await refuses(world, 'dissented', again);
  // The next provisional begins without dissents, and the old one's is not brought against it.
  await world.publish(world.print({ status: 'provisional', issue: 1 }));
  await refuses(world, 'no_such_print', again);
  assert.equal((await world.slot())?.provisional?.dissents, 0);
});

test(
  'attack: a page or a Close that was closed is not made again under another feed',
  needsSvm,
  async () => {
    const world = await worldOf();
    const page = await world.pageOf(PERIOD);
    await world.publish(world.print());
    // As if the chain had taken the account away: its address is empty, and a print needs it opened first.
    world.overwrite(page, new Uint8Array(), SYSTEM_PROGRAM, 0n);
    await refuses(world, 'wrong_owner', () => world.publish(world.print()));
    const other = await partyOf('publisher 4');
    const [feed] = await feedAddress(PROGRAM, other.key, world.parameters.ticker);
    const begun = initFeed(PROGRAM, world.payer.signer, other.signer, feed, world.parameters);
    assert.equal((await world.send(begun)).error, null);
    await refuses(world, 'wrong_address', () =>
      world.send(openPage(PROGRAM, world.payer.signer, feed, page, 92)),
    );
  },
);

test('attack: a signed correction is brought before its turn', needsSvm, async () => {
  const world = await worldOf();
  const second = world.print({ status: 'corrected', issue: 2, value: 7n });
  await refuses(world, 'no_final', () => world.publish(second));
  await world.publish(world.print());
  await refuses(world, 'bad_issue', () => world.publish(second));
  await world.publish(world.print({ status: 'corrected', issue: 1, value: 6n }));
  assert.equal((await world.publish(second)).error, null);
});

test('attack: a message of another log, ticker, rule or status', needsSvm, async () => {
  const world = await worldOf();
  const { payer, publisher } = world;
  const parameters = { ...world.parameters, ticker: 'JOBS' as Ticker };
  const [feed] = await feedAddress(PROGRAM, publisher.key, parameters.ticker);
  const [page] = await pageAddress(PROGRAM, feed, 92);
  const made = await world.send(
    initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters),
    openPage(PROGRAM, payer.signer, feed, page, 92),
  );
  assert.equal(made.error, null);
  const signers = [publisher, ...world.cosigners];
  // The same keys sign for both tickers: a print of one is not one of the other.
  await refuses(world, 'wrong_series', () =>
    world.send(proof(formatPrint(world.print()), signers), publish(PROGRAM, feed, page, 0)),
  );
  // A log of another network has another genesis, and so another series.
  const otherLog = await worldOf({ parameters: { log: hashOf('a log of another network') } });
  await refuses(world, 'wrong_series', () => world.publish(otherLog.print()));
  await refuses(world, 'wrong_rule', () => world.publish(world.print({ rule: hashOf('rule 0') })));
  // The signed provisional with its status byte changed is another message.
  const provisional = formatPrint(world.print({ status: 'provisional', settleable: false }));
  const { data } = proof(provisional, signers);
  const changed = data.slice();
  changed[data.length - 4] = 2;
  await refuses(world, 'custom 2', async () =>
    world.send(
      { programAddress: ED25519_PROGRAM, data: changed },
      publish(PROGRAM, world.feed, await world.pageOf(PERIOD), 0),
    ),
  );
});

test('attack: the final of a later period does not bar an earlier one', needsSvm, async () => {
  const world = await worldOf();
  world.now = NOW + WEEK;
  const later = world.print({ period: PERIOD + 7, publishedAt: NOW + 2n * DAY });
  assert.equal((await world.publish(later)).error, null);
  assert.equal((await world.publish(world.print())).error, null);
  // Nor does it let a rule slip under a period that is final.
  assert.equal(world.feedAccount().latest, PERIOD + 7);
});

test('attack: co-signers of a set that was replaced', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, cosigners, feed } = world;
  const others = await Promise.all(['x', 'y', 'z'].map(partyOf));
  const keys = others.map(({ key }) => key);
  await world.send(addSet(PROGRAM, publisher.signer, feed, 2, keys));
  world.now = NOW + WEEK;
  const [first] = others as [Party];
  const [old] = cosigners as [Party];
  await refuses(world, 'unknown_signer', () =>
    world.publish(world.print(), [publisher, first, old]),
  );
  await refuses(world, 'no_quorum', () => world.publish(world.print(), [publisher, first]));
  await refuses(world, 'repeated_signer', () =>
    world.publish(world.print(), [publisher, first, first]),
  );
});

test('attack: a publisher whose key has a part of small order', needsSvm, async () => {
  const bad = torsionedParty('torsioned');
  const begun = await worldOf({ begun: false });
  const { payer, parameters } = begun;
  const [feed] = await feedAddress(PROGRAM, bad.key, parameters.ticker);
  await refuses(begun, 'bad_key', () =>
    begun.send(initFeed(PROGRAM, payer.signer, bad.signer, feed, parameters)),
  );
  // Nor as the key that follows, which nobody sees before it is shown.
  const world = await worldOf({ parameters: { nextHash: commitmentTo(bad) } });
  await refuses(world, 'bad_key', () =>
    world.send(rotate(PROGRAM, world.publisher.signer, bad.signer, world.feed, hashOf('x'))),
  );
});

test('attack: a proof of another transaction is none', needsSvm, async () => {
  const world = await worldOf();
  const page = await world.pageOf(PERIOD);
  await world.send(proof(formatPrint(world.print()), [world.publisher, ...world.cosigners]));
  await refuses(world, 'ed_instruction', () => world.send(publish(PROGRAM, world.feed, page, 0)));
});

test('attack: the bytes of a proof in an instruction that verifies nothing', needsSvm, async () => {
  const world = await worldOf({ cosigners: 1 });
  const message = formatPrint(world.print());
  const nobody = new Uint8Array(64);
  const keys = [world.publisher, ...world.cosigners].map(({ key }) => parseHex(key, 32));
  const data = formatEd25519(
    message,
    keys.map((key) => ({ key, signature: nobody })),
  );
  // Two signatures: to this program a limit of units, with bytes behind it that it does not read.
  const [{ programAddress }] = budget(1, 0n) as [Instruction];
  const page = await world.pageOf(PERIOD);
  await refuses(world, 'ed_instruction', () =>
    world.send({ programAddress, data }, publish(PROGRAM, world.feed, page, 0)),
  );
});

test('attack: two prints on one proof', needsSvm, async () => {
  const world = await worldOf();
  const page = await world.pageOf(PERIOD);
  const twice = publish(PROGRAM, world.feed, page, 0);
  await refuses(world, 'settled', () =>
    world.send(
      proof(formatPrint(world.print()), [world.publisher, ...world.cosigners]),
      twice,
      twice,
    ),
  );
});

test(
  'attack: five co-signers, a page and a priority fee fit one transaction',
  needsSvm,
  async () => {
    const world = await worldOf({ cosigners: 5 });
    world.now = NOW + 30n * WEEK;
    const period = PERIOD + 25 * 7;
    const page = await world.pageOf(period);
    const print = world.print({ period, publishedAt: world.now });
    const signers = [world.publisher, ...world.cosigners];
    const outcome = await world.send(
      ...budget(20_000, 1000n),
      openPage(PROGRAM, world.payer.signer, world.feed, page, 93),
      proof(formatPrint(print), signers),
      publish(PROGRAM, world.feed, page, 3),
    );
    assert.equal(outcome.error, null);
    assert.ok(outcome.bytes <= 1232, `${outcome.bytes} bytes`);
    assert.equal((await world.slot(period))?.settled?.cosigners, 0b11111);
  },
);

test(
  'attack: bytes of the proof changed at random never write another print',
  needsSvm,
  async () => {
    const world = await worldOf();
    const before = stateOf(world);
    const page = await world.pageOf(PERIOD);
    const message = formatPrint(world.print());
    const { data } = proof(message, [world.publisher, ...world.cosigners]);
    const changes = fc.array(fc.tuple(fc.nat(data.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    const heads = fc.array(
      fc.tuple(fc.nat(2 + 14 * 4 - 1), fc.constantFrom(0, 1, 2, 3, 0x3a, 255)),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(changes, heads), fc.nat(3), async (some, index) => {
        const tampered = data.slice();
        for (const [at, value] of some) tampered[at] = value;
        const outcome = await world.send(
          { programAddress: ED25519_PROGRAM, data: tampered },
          publish(PROGRAM, world.feed, page, index),
        );
        if (outcome.error === null) {
          // Fewer signatures of the same message are one too, where they are enough.
          const settled = (await world.slot())?.settled;
          restore(world, before);
          assert.equal(settled?.value, world.print().value);
          assert.equal(settled?.report, world.print().report);
          assert.ok([0b011, 0b111].includes(settled?.cosigners ?? 0), String(settled?.cosigners));
        }
        assert.deepEqual(stateOf(world), before);
      }),
      { numRuns: 300 },
    );
  },
);

test('attack: instruction data at random is refused or is an instruction', needsSvm, async () => {
  const world = await worldOf();
  const before = stateOf(world);
  const message = formatPrint(world.print());
  const signers = [world.publisher, ...world.cosigners];
  const instruction = publish(PROGRAM, world.feed, await world.pageOf(PERIOD), 0);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(10), async (bytes, kind) => {
      const data = bytes.slice();
      if (data.length > 0) data[0] = kind;
      const outcome = await world.send(proof(message, signers), { ...instruction, data });
      const isPublish = kind === 2 && data.length === 2 && data[1] === 0;
      assert.equal(outcome.error === null, isPublish, outcome.error ?? 'done');
      if (isPublish) restore(world, before);
      assert.deepEqual(stateOf(world), before);
    }),
    { numRuns: 200 },
  );
});

function restore(world: World, state: ReturnType<typeof stateOf>): void {
  for (const [address, hex] of state) world.overwrite(address, parseHex(hex));
}

test('attack: the units and bytes of each instruction', needsSvm, async () => {
  const rows = await measure();
  for (const { name, units, bytes } of rows) {
    assert.ok(units > 0 && units < 60_000, `${name}: ${units} units`);
    assert.ok(bytes <= 1232, `${name}: ${bytes} bytes`);
  }
});
