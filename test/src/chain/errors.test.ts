import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import { ED25519_PROGRAM, formatEd25519 } from '@assay/chain/ed25519-instruction';
import { CHAIN_ERRORS, type ChainError, chainError, chainErrorCode } from '@assay/chain/errors';
import {
  addRule,
  addSet,
  cancel,
  close,
  type FeedParameters,
  initFeed,
  openPage,
  publish,
  rotate,
} from '@assay/chain/instructions';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatPrint, type Print } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import { AccountRole, type Address, type Instruction, type InstructionWithData } from '@solana/kit';
import { hashOf, type Party, partyOf } from './fixture/party.ts';
import {
  closeBytes,
  DAY,
  needsSvm,
  NOW,
  type Outcome,
  PERIOD,
  PROGRAM,
  proof,
  WEEK,
  type World,
  type WorldOptions,
  worldOf,
} from './fixture/world.ts';

/** A transaction that should be refused, and on what world. */
interface Case {
  readonly name: string;
  readonly world?: WorldOptions;
  readonly run: (world: World) => Promise<Outcome>;
}

const TODAY = Number(NOW / DAY);
const OTHER = 'SysvarC1ock11111111111111111111111111111111' as Address;

/** The bytes of the default print with some of them replaced, signed by everybody. */
function publishBytes(world: World, at: number, ...values: readonly number[]): Promise<Outcome> {
  const message = formatPrint(world.print());
  message.set(values, at);
  return world.publish(message);
}

const publishPrint =
  (change: Partial<Print>) =>
  (world: World): Promise<Outcome> =>
    world.publish(world.print(change));

/** A feed with other parameters. */
const init = (name: string, parameters: Partial<FeedParameters>): Case => ({
  name,
  world: { begun: false, parameters },
  run: (world) => world.init(),
});

/** An instruction with its accounts or data replaced. */
function changed(instruction: Instruction, change: Partial<Instruction>): Instruction {
  return { ...instruction, ...change };
}

async function publishing(world: World, index = 0): Promise<Instruction> {
  return publish(PROGRAM, world.feed, await world.pageOf(PERIOD), index);
}

function proving(world: World): Instruction & InstructionWithData<Uint8Array> {
  return proof(formatPrint(world.print()), [world.publisher, ...world.cosigners]);
}

/** A print whose signatures' instruction has other data. */
async function publishWith(
  world: World,
  change: (data: Uint8Array) => Uint8Array | undefined,
): Promise<Outcome> {
  const { data } = proving(world);
  const tampered = change(data) ?? data;
  return world.send({ programAddress: ED25519_PROGRAM, data: tampered }, await publishing(world));
}

/** A feed account whose bytes were changed behind the program's back. */
function spoilt(change: (bytes: Uint8Array) => Uint8Array | undefined, owner = PROGRAM) {
  return (world: World): Promise<Outcome> => {
    const bytes = world.bytesOf(world.feed);
    world.overwrite(world.feed, change(bytes) ?? bytes, owner);
    return world.publish(world.print());
  };
}

/** A Close whose bytes were changed likewise, and a version that follows. */
function spoiltClose(change: (bytes: Uint8Array) => Uint8Array) {
  return async (world: World): Promise<Outcome> => {
    await world.close(TODAY - 1, hashOf('x'));
    const [account] = await closeAddress(PROGRAM, world.feed, TODAY - 1);
    world.overwrite(account, change(world.bytesOf(account)));
    return world.close(TODAY - 1, hashOf('y'));
  };
}

function withByte(at: number, value: number): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => Uint8Array.from(bytes, (byte, i) => (i === at ? value : byte));
}

/** Points that no key may be, little endian. */
const BAD_KEYS: Readonly<Record<string, string>> = {
  identity: `01${'00'.repeat(31)}`,
  'identity, other sign': `01${'00'.repeat(30)}80`,
  'order 2, other sign': `ec${'ff'.repeat(31)}`,
  'order 2': `ec${'ff'.repeat(30)}7f`,
  'order 4': '00'.repeat(32),
  'order 4, other sign': `${'00'.repeat(31)}80`,
  'order 8': '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'order 8, other': 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'not canonical identity': `ee${'ff'.repeat(30)}7f`,
  'not canonical identity, signed': `ee${'ff'.repeat(31)}`,
  'not canonical zero': `ed${'ff'.repeat(30)}7f`,
  'not canonical, y = p + 3': `f0${'ff'.repeat(30)}7f`,
  'not on the curve': `02${'00'.repeat(31)}`,
  'with a part of order 2': torsioned(),
};

/**
 * The base point plus the point of order 2, (0, -1): both coordinates change their sign. y of the base
 * point is 4/5, which is 0x66...58.
 */
function torsioned(): string {
  const y = 2n ** 255n - 19n - BigInt(`0x${'66'.repeat(31)}58`);
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 0xffn));
  bytes[31] = (bytes[31] ?? 0) | 0x80;
  return formatHex(bytes);
}

const CASES: Readonly<Record<ChainError, readonly Case[]>> = {
  instruction: [
    { name: 'none', run: (world) => world.send({ programAddress: PROGRAM }) },
    {
      name: '9',
      run: (world) => world.send({ programAddress: PROGRAM, data: Uint8Array.of(9) }),
    },
    {
      name: '255',
      run: (world) => world.send({ programAddress: PROGRAM, data: Uint8Array.of(255, 0) }),
    },
  ],
  data: [
    {
      name: 'publish, a byte more',
      run: async (world) =>
        world.send(
          proving(world),
          changed(await publishing(world), { data: Uint8Array.of(2, 0, 0) }),
        ),
    },
    {
      name: 'publish, a byte less',
      run: async (world) =>
        world.send(proving(world), changed(await publishing(world), { data: Uint8Array.of(2) })),
    },
    ...[0, 100, 200, 247].map((length) => ({
      name: `init, ${length} bytes`,
      world: { begun: false },
      run: (world: World) => {
        const { payer, publisher, feed, parameters } = world;
        const whole = initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters);
        return world.send(changed(whole, { data: whole.data.slice(0, 1 + length) }));
      },
    })),
    {
      name: 'a set of 9',
      run: async (world) => {
        const keys = (await Promise.all(Array.from('123456789', partyOf))).map(({ key }) => key);
        return world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 5, keys));
      },
    },
    {
      name: 'a set of fewer keys than it says',
      run: (world) => {
        const set = addSet(PROGRAM, world.publisher.signer, world.feed, 1, [hashOf('x')]);
        return world.send(changed(set, { data: set.data.slice(0, -1) }));
      },
    },
    {
      name: 'a rule without its first period',
      run: (world) => {
        const rule = addRule(PROGRAM, world.publisher.signer, world.feed, hashOf('x'), 1);
        return world.send(changed(rule, { data: rule.data.slice(0, -4) }));
      },
    },
    {
      name: 'a rotation without its commitment',
      run: (world) => {
        const { publisher, next, feed } = world;
        const asked = rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'));
        return world.send(changed(asked, { data: asked.data.slice(0, 20) }));
      },
    },
    {
      name: 'a cancellation of nothing',
      run: (world) => world.send(cancel(PROGRAM, world.recovery.signer, world.feed, [])),
    },
    ...[[7], [7, 8], [7, 9], [7, 128], [7, 1, 0]].map((data) => ({
      name: `a cancellation, ${data.join(' ')}`,
      run: async (world: World) => {
        const { publisher, next, recovery, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        const asked = cancel(PROGRAM, recovery.signer, feed, ['rotation']);
        return world.send(changed(asked, { data: Uint8Array.from(data) }));
      },
    })),
    {
      name: 'a page without its index',
      run: async (world) => {
        const [page] = await pageAddress(PROGRAM, world.feed, 93);
        const asked = openPage(PROGRAM, world.payer.signer, world.feed, page, 93);
        return world.send(changed(asked, { data: asked.data.slice(0, 3) }));
      },
    },
  ],
  accounts: [
    {
      name: 'one less',
      run: async (world) => {
        const whole = await publishing(world);
        const accounts = (whole.accounts ?? []).slice(0, 2);
        return world.send(proving(world), changed(whole, { accounts }));
      },
    },
    {
      name: 'one more',
      run: async (world) => {
        const whole = await publishing(world);
        const accounts = [
          ...(whole.accounts ?? []),
          { address: OTHER, role: AccountRole.READONLY } as const,
        ];
        return world.send(proving(world), changed(whole, { accounts }));
      },
    },
    {
      name: 'six',
      run: async (world) => {
        const parties = await Promise.all(Array.from('abcdef', partyOf));
        const accounts = parties.map(({ signer }) => ({
          address: signer.address,
          role: AccountRole.READONLY as const,
        }));
        const data = Uint8Array.of(2, 0);
        return world.send({ programAddress: PROGRAM, accounts, data });
      },
    },
    {
      name: 'feed and page the same',
      run: async (world) => world.send(proving(world), publish(PROGRAM, world.feed, world.feed, 0)),
    },
  ],
  not_signer: [
    {
      name: 'the publisher',
      run: (world) => {
        const { publisher, feed } = world;
        const whole = addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD + 7);
        const [, written] = whole.accounts;
        const reader = { address: publisher.signer.address, role: AccountRole.READONLY } as const;
        return world.send(changed(whole, { accounts: [reader, written as never] }));
      },
    },
    {
      name: 'the genesis key',
      world: { begun: false },
      run: (world) => {
        const { payer, publisher, feed, parameters } = world;
        const whole = initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters);
        const accounts = [...whole.accounts];
        accounts[1] = { address: publisher.signer.address, role: AccountRole.READONLY };
        return world.send(changed(whole, { accounts }));
      },
    },
    {
      name: 'the next key',
      run: (world) => {
        const { publisher, next, feed } = world;
        const whole = rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'));
        const accounts = [...whole.accounts];
        accounts[1] = { address: next.signer.address, role: AccountRole.READONLY };
        return world.send(changed(whole, { accounts }));
      },
    },
    {
      name: 'the recovery key',
      run: (world) => {
        const whole = cancel(PROGRAM, world.recovery.signer, world.feed, ['rotation']);
        const accounts = [...whole.accounts];
        accounts[0] = { address: world.recovery.signer.address, role: AccountRole.READONLY };
        return world.send(changed(whole, { accounts }));
      },
    },
    {
      name: 'who pays for a page',
      run: async (world) => {
        const [page] = await pageAddress(PROGRAM, world.feed, 93);
        const other = await partyOf('somebody');
        const whole = openPage(PROGRAM, other.signer, world.feed, page, 93);
        const accounts = [...whole.accounts];
        accounts[0] = { address: other.signer.address, role: AccountRole.WRITABLE };
        return world.send(changed(whole, { accounts }));
      },
    },
  ],
  not_writable: [0, 1].map((number) => ({
    name: `publish, account ${number}`,
    run: async (world) => {
      const whole = await publishing(world);
      const accounts = [...(whole.accounts ?? [])] as { address: Address; role: AccountRole }[];
      const { address } = accounts[number] as { address: Address };
      accounts[number] = { address, role: AccountRole.READONLY };
      return world.send(proving(world), { ...whole, accounts } as Instruction);
    },
  })),
  wrong_owner: [
    { name: 'feed', run: spoilt(() => undefined, OTHER) },
    {
      name: 'page',
      run: async (world) => {
        const page = await world.pageOf(PERIOD);
        world.overwrite(page, world.bytesOf(page), OTHER);
        return world.publish(world.print());
      },
    },
    {
      name: 'a page that nobody opened',
      run: publishPrint({ period: PERIOD - 32 * 7 }),
    },
    {
      name: 'a feed that nobody made',
      run: async (world) => {
        const [feed] = await feedAddress(PROGRAM, world.publisher.key, 'JOBS' as Ticker);
        return world.send(addRule(PROGRAM, world.publisher.signer, feed, hashOf('x'), PERIOD + 7));
      },
    },
  ],
  wrong_size: [
    { name: 'feed, shorter', run: spoilt((bytes) => bytes.slice(0, -1)) },
    { name: 'feed, longer', run: spoilt((bytes) => Uint8Array.of(...bytes, 0)) },
    { name: 'feed, closed', run: spoilt(() => new Uint8Array()) },
    {
      name: 'page',
      run: async (world) => {
        const page = await world.pageOf(PERIOD);
        world.overwrite(page, world.bytesOf(page).slice(0, 280));
        return world.publish(world.print());
      },
    },
    { name: 'Close, shorter', run: spoiltClose((bytes) => bytes.slice(0, -32)) },
    { name: 'Close, longer', run: spoiltClose((bytes) => Uint8Array.of(...bytes, 0)) },
    { name: 'Close, closed', run: spoiltClose(() => new Uint8Array()) },
  ],
  wrong_magic: [
    { name: 'feed', run: spoilt(withByte(0, 0x41)) },
    { name: 'feed, zeroed', run: spoilt((bytes) => bytes.fill(0)) },
    {
      name: 'page',
      run: async (world) => {
        const page = await world.pageOf(PERIOD);
        world.overwrite(page, new Uint8Array(6480));
        return world.publish(world.print());
      },
    },
    { name: 'Close', run: spoiltClose(withByte(7, 0x32)) },
  ],
  wrong_address: [
    {
      name: 'feed',
      world: { begun: false },
      run: async (world) => {
        const { payer, publisher, parameters } = world;
        const [feed] = await feedAddress(PROGRAM, payer.key, parameters.ticker);
        return world.send(initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters));
      },
    },
    {
      name: 'page',
      run: async (world) => {
        const [page] = await pageAddress(PROGRAM, world.feed, 94);
        return world.send(openPage(PROGRAM, world.payer.signer, world.feed, page, 93));
      },
    },
    {
      name: 'Close',
      run: async (world) => {
        const { payer, publisher, feed, parameters } = world;
        const [account] = await closeAddress(PROGRAM, feed, TODAY - 1);
        const message = closeBytes(parameters.log as HashHex, TODAY - 2, hashOf('y'));
        return world.send(
          proof(message, [publisher]),
          close(PROGRAM, payer.signer, feed, account, 0),
        );
      },
    },
  ],
  exists: [
    { name: 'feed', run: (world) => world.init() },
    { name: 'page', run: (world) => world.openPage(92) },
  ],
  wrong_program: [
    {
      name: 'another in the place of the system program',
      run: async (world) => {
        const [page] = await pageAddress(PROGRAM, world.feed, 93);
        const whole = openPage(PROGRAM, world.payer.signer, world.feed, page, 93);
        const accounts = [...whole.accounts];
        accounts[3] = { address: ED25519_PROGRAM, role: AccountRole.READONLY };
        return world.send(changed(whole, { accounts }));
      },
    },
  ],
  wrong_sysvar: [
    {
      name: 'a forged one',
      run: async (world) => {
        const whole = await publishing(world);
        const accounts = [...(whole.accounts ?? [])];
        accounts[2] = { address: OTHER, role: AccountRole.READONLY };
        return world.send(proving(world), changed(whole, { accounts }));
      },
    },
  ],
  wrong_feed: [
    {
      name: "another feed's page",
      run: async (world) => {
        const parameters = { ...world.parameters, ticker: 'JOBS' as Ticker };
        const { payer, publisher } = world;
        const [feed] = await feedAddress(PROGRAM, publisher.key, parameters.ticker);
        const [page] = await pageAddress(PROGRAM, feed, 92);
        await world.send(
          initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters),
          openPage(PROGRAM, payer.signer, feed, page, 92),
        );
        return world.send(proving(world), publish(PROGRAM, world.feed, page, 0));
      },
    },
    {
      name: "another day's Close",
      run: async (world) => {
        const { payer, publisher, feed, parameters } = world;
        await world.close(TODAY - 1, hashOf('x'));
        const [account] = await closeAddress(PROGRAM, feed, TODAY - 1);
        const message = closeBytes(parameters.log as HashHex, TODAY - 2, hashOf('y'));
        return world.send(
          proof(message, [publisher]),
          close(PROGRAM, payer.signer, feed, account, 0),
        );
      },
    },
    {
      name: "another feed's Close",
      run: async (world) => {
        const parameters = { ...world.parameters, ticker: 'JOBS' as Ticker };
        const { payer, publisher } = world;
        const [feed] = await feedAddress(PROGRAM, publisher.key, parameters.ticker);
        await world.send(initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters));
        await world.close(TODAY - 1, hashOf('x'));
        const [account] = await closeAddress(PROGRAM, world.feed, TODAY - 1);
        const message = closeBytes(parameters.log as HashHex, TODAY - 1, hashOf('y'));
        return world.send(
          proof(message, [publisher]),
          close(PROGRAM, payer.signer, feed, account, 0),
        );
      },
    },
  ],
  wrong_page: [
    {
      name: 'the next page',
      run: async (world) => {
        await world.openPage(93);
        const [page] = await pageAddress(PROGRAM, world.feed, 93);
        return world.send(proving(world), publish(PROGRAM, world.feed, page, 0));
      },
    },
  ],
  ed_instruction: [
    {
      name: 'itself',
      run: async (world) => world.send(proving(world), await publishing(world, 1)),
    },
    {
      name: 'one that is not there',
      run: async (world) => world.send(proving(world), await publishing(world, 2)),
    },
    {
      name: 'another program with the same data',
      run: async (world) => {
        const { data } = proving(world);
        const memo = { programAddress: PROGRAM, data };
        return world.send(await publishing(world, 1), memo);
      },
    },
  ],
  ed_offsets: [0, 1, 2].flatMap((field) =>
    [0, 1].map((index) => ({
      name: `offset ${field} into instruction ${index}`,
      run: async (world) => {
        // The other instruction holds the same bytes, so that the precompile agrees.
        const { data } = proving(world);
        const tampered = data.slice();
        const at = 2 + [2, 6, 12].at(field)!;
        new DataView(tampered.buffer).setUint16(at, index, true);
        const ed = { programAddress: ED25519_PROGRAM };
        return world.send({ ...ed, data: tampered }, { ...ed, data }, await publishing(world));
      },
    })),
  ),
  ed_message: [
    {
      name: 'two messages',
      run: async (world) => {
        const { publisher, cosigners } = world;
        const [first, second] = [world.print(), world.print({ value: 1n })].map(formatPrint) as [
          Uint8Array,
          Uint8Array,
        ];
        const all = [publisher, ...cosigners];
        const data = formatEd25519(
          first,
          all.map(({ key, sign }, i) => ({
            key: parseHex(key, 32),
            signature: sign(i === 2 ? second : first),
          })),
        );
        const whole = Uint8Array.of(...data, ...second);
        new DataView(whole.buffer).setUint16(2 + 14 * 2 + 8, data.length, true);
        return world.send(
          { programAddress: ED25519_PROGRAM, data: whole },
          await publishing(world),
        );
      },
    },
    ...[0, 76, 127, 129].map((length) => ({
      name: `${length} bytes`,
      run: async (world: World) => {
        const message = new Uint8Array(length);
        message.set(formatPrint(world.print()).subarray(0, length));
        return world.send(proof(message, [world.publisher]), await publishing(world));
      },
    })),
    {
      name: 'the first 128 bytes of what was signed',
      run: async (world) => {
        const message = Uint8Array.of(...formatPrint(world.print()), 0);
        return world.send(
          proof(message, [world.publisher, ...world.cosigners]),
          await publishing(world),
        );
      },
    },
  ],
  ed_count: [
    {
      name: 'no signature',
      run: (world) => publishWith(world, () => Uint8Array.of(0, 0)),
    },
    {
      name: 'a Close with two',
      run: (world) =>
        world.close(TODAY - 1, hashOf('x'), [world.publisher, world.cosigners[0] as Party]),
    },
  ],
  repeated_signer: [
    {
      name: 'a co-signer',
      run: (world) => {
        const [first] = world.cosigners as [Party];
        return world.publish(world.print(), [world.publisher, first, first]);
      },
    },
    {
      name: 'the publisher',
      run: (world) => world.publish(world.print(), [world.publisher, world.publisher]),
    },
  ],
  unknown_signer: [
    {
      name: 'a stranger beside a quorum',
      run: async (world) =>
        world.publish(world.print(), [
          world.publisher,
          ...world.cosigners,
          await partyOf('stranger'),
        ]),
    },
    {
      name: 'the recovery key',
      run: (world) =>
        world.publish(world.print({ status: 'provisional' }), [world.publisher, world.recovery]),
    },
    {
      name: 'a dissent of the publisher',
      run: async (world) => {
        await world.publish(world.print());
        return world.dissent(world.print(), [world.publisher]);
      },
    },
  ],
  no_publisher: [
    { name: 'co-signers alone', run: (world) => world.publish(world.print(), world.cosigners) },
    {
      name: 'a provisional',
      run: (world) => world.publish(world.print({ status: 'provisional' }), world.cosigners),
    },
    {
      name: 'a Close',
      run: (world) => world.close(TODAY - 1, hashOf('x'), [world.cosigners[0] as Party]),
    },
  ],
  no_quorum: [
    { name: 'alone', run: (world) => world.publish(world.print(), [world.publisher]) },
    {
      name: 'one of two',
      run: (world) => world.publish(world.print(), [world.publisher, world.cosigners[1] as Party]),
    },
    {
      name: 'a void',
      run: (world) => world.publish(world.print({ status: 'void' }), [world.publisher]),
    },
    {
      name: 'a correction',
      run: async (world) => {
        await world.publish(world.print());
        return world.publish(world.print({ status: 'corrected' }), [world.publisher]);
      },
    },
  ],
  message_magic: [
    { name: 'a dissent', run: (world) => publishBytes(world, 5, 0x44, 0x53) },
    {
      name: 'a print as a dissent',
      run: (world) => world.dissent(formatPrint(world.print()), [world.cosigners[0] as Party]),
    },
  ],
  wrong_series: [
    { name: 'print', run: publishPrint({ series: hashOf('another') }) },
    {
      name: 'dissent',
      run: async (world) => {
        await world.publish(world.print());
        const print = world.print({ series: hashOf('another') });
        return world.dissent(print, [world.cosigners[0] as Party]);
      },
    },
  ],
  wrong_rule: [{ name: 'another', run: publishPrint({ rule: hashOf('another') }) }],
  no_rule: [
    {
      name: 'a period before the first rule',
      world: { parameters: { first: PERIOD + 7 } },
      run: publishPrint({}),
    },
  ],
  rule_waits: [
    {
      name: 'two minutes before its first period',
      run: async (world) => {
        const rule = hashOf('rule 2');
        const period = PERIOD + 14;
        await world.send(addRule(PROGRAM, world.publisher.signer, world.feed, rule, period));
        world.now = NOW + WEEK - 1n;
        return world.publish(world.print({ rule, period, publishedAt: NOW + WEEK }));
      },
    },
    {
      name: 'a second rule within a week',
      run: async (world) => {
        const { publisher, feed } = world;
        await world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD + 14));
        world.now = NOW + WEEK - 1n;
        return world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('y'), PERIOD + 28));
      },
    },
  ],
  set_waits: [
    {
      name: 'a second set within a week',
      run: async (world) => {
        const { publisher, feed } = world;
        const [a, b] = [await partyOf('a'), await partyOf('b')];
        await world.send(addSet(PROGRAM, publisher.signer, feed, 1, [a.key]));
        world.now = NOW + WEEK - 1n;
        return world.send(addSet(PROGRAM, publisher.signer, feed, 1, [b.key]));
      },
    },
  ],
  bad_status: [
    ...[0, 5, 255].map((status) => ({
      name: `${status}`,
      run: (world: World) => publishBytes(world, 124, status),
    })),
    {
      name: 'a dissent from none',
      run: async (world) => {
        const message = formatPrint(world.print());
        message.set([0x44, 0x53], 5);
        message[124] = 5;
        return world.dissent(message, [world.cosigners[0] as Party]);
      },
    },
  ],
  bad_decimals: [
    { name: 'print', run: (world) => publishBytes(world, 125, 1) },
    init('19', { decimals: 19 }),
  ],
  bad_flags: [
    { name: 'a bit without a meaning', run: (world) => publishBytes(world, 126, 5) },
    { name: 'settleable and withheld', run: (world) => publishBytes(world, 126, 3) },
    {
      name: 'a settleable provisional',
      run: (world) => publishBytes(world, 124, 1),
    },
    {
      name: 'a settleable correction',
      run: async (world) => {
        await world.publish(world.print());
        return publishBytes(world, 124, 3, 0, 1, 1);
      },
    },
    { name: 'a settleable void', run: (world) => publishBytes(world, 124, 4, 0, 1) },
  ],
  bad_value: [
    { name: 'void', run: (world) => publishBytes(world, 124, 4, 0, 0) },
    { name: 'withheld', run: (world) => publishBytes(world, 126, 2) },
  ],
  bad_issue: [
    { name: 'a final with one', run: (world) => publishBytes(world, 127, 1) },
    { name: 'a void with one', run: publishPrint({ status: 'void', issue: 1 }) },
    {
      name: 'a provisional again',
      run: async (world) => {
        await world.publish(world.print({ status: 'provisional', issue: 3 }));
        return world.publish(world.print({ status: 'provisional', issue: 3, value: 1n }));
      },
    },
    {
      name: 'an older provisional',
      run: async (world) => {
        await world.publish(world.print({ status: 'provisional', issue: 3 }));
        return world.publish(world.print({ status: 'provisional', issue: 2 }));
      },
    },
    ...[0, 2, 255].map((issue) => ({
      name: `a first correction with ${issue}`,
      run: async (world: World) => {
        await world.publish(world.print());
        return world.publish(world.print({ status: 'corrected', issue }));
      },
    })),
    {
      name: 'a correction again',
      run: async (world) => {
        await world.publish(world.print());
        await world.publish(world.print({ status: 'corrected' }));
        return world.publish(world.print({ status: 'corrected', value: 9n }));
      },
    },
  ],
  bad_period: [
    { name: 'a Sunday', run: publishPrint({ period: PERIOD + 1 }) },
    { name: 'before 1970', run: publishPrint({ period: -5 }) },
    { name: 'the first day of 1970', run: publishPrint({ period: 0 }) },
    {
      name: 'the second of a month',
      world: { parameters: { cadence: 'month', first: 0 } },
      run: publishPrint({ period: 20_637 }),
    },
    init('a first rule of no week', { first: 3 }),
    {
      name: 'a rule of no week',
      run: (world) =>
        world.send(addRule(PROGRAM, world.publisher.signer, world.feed, hashOf('x'), PERIOD + 1)),
    },
  ],
  bad_time: [
    { name: 'before the period', run: publishPrint({ publishedAt: BigInt(PERIOD) * DAY - 1n }) },
    { name: '121 seconds ahead', run: publishPrint({ publishedAt: NOW + 121n }) },
    ...[NOW, NOW + 60n * WEEK].map((publishedAt) => ({
      name: `a far-future period at ${publishedAt}`,
      run: async (world: World) => {
        const period = PERIOD + 52 * 7;
        await world.openPage(pagePlace(ordinalOf('week_ending_saturday', period)).index);
        return world.publish(world.print({ period, publishedAt }));
      },
    })),
  ],
  settled: (['final', 'void', 'provisional'] as const).flatMap((status) =>
    (['final', 'void'] as const).map((before) => ({
      name: `${status} after ${before}`,
      run: async (world) => {
        await world.publish(world.print({ status: before }));
        return world.publish(world.print({ status, publishedAt: NOW, issue: 0 }));
      },
    })),
  ),
  no_final: [
    { name: 'nothing', run: publishPrint({ status: 'corrected' }) },
    {
      name: 'a void',
      run: async (world) => {
        await world.publish(world.print({ status: 'void' }));
        return world.publish(world.print({ status: 'corrected' }));
      },
    },
  ],
  bad_ticker: ['', 'jobs', '1A', 'A B', 'CLOSE', 'A_B'].map((ticker) => {
    const parameters = { ticker: ticker as Ticker };
    return init(JSON.stringify(ticker), parameters);
  }),
  bad_cadence: [
    {
      name: '4',
      world: { begun: false },
      run: (world) => {
        const { payer, publisher, feed, parameters } = world;
        const whole = initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters);
        const data = whole.data.slice();
        data[1] = 4;
        return world.send(changed(whole, { data }));
      },
    },
  ],
  bad_threshold: [
    init('0', { threshold: 0 }),
    init('1 of 3', { threshold: 1 }),
    init('4 of 3', { threshold: 4 }),
    init('nobody', { threshold: 0, cosigners: [] }),
    init('1 of nobody', { threshold: 1, cosigners: [] }),
    ...[6, 7, 8].map((threshold): Case => ({
      name: `${threshold} of 8`,
      world: { begun: false, cosigners: 8, parameters: { threshold } },
      run: (world) => world.init(),
    })),
    {
      name: 'a later set of 6 of 6',
      run: async (world) => {
        const keys = (await Promise.all(Array.from('abcdef', partyOf))).map(({ key }) => key);
        return world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 6, keys));
      },
    },
    init('half', { threshold: 1, cosigners: [hashOf('x'), hashOf('y')] }),
    {
      name: 'a later set',
      run: async (world) => {
        const keys = (await Promise.all(Array.from('abcd', partyOf))).map(({ key }) => key);
        return world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 2, keys));
      },
    },
  ],
  bad_key: Object.entries(BAD_KEYS).flatMap(([name, key]) => [
    init(name, { threshold: 1, cosigners: [key] }),
    {
      name: `${name}, in a later set`,
      run: (world: World) =>
        world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 1, [key])),
    },
  ]),
  repeated_key: [
    {
      name: 'a co-signer twice',
      run: (world) => {
        const [first, second] = world.cosigners as [Party, Party];
        const keys = [first.key, second.key, first.key];
        return world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 2, keys));
      },
    },
    {
      name: 'the publisher',
      run: (world) =>
        world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 1, [world.publisher.key])),
    },
    {
      name: 'the key that may follow',
      run: (world) =>
        world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 1, [world.next.key])),
    },
    {
      name: 'the key that may follow, in a first set',
      world: { begun: false },
      run: async (world) => {
        const { payer, publisher, next, cosigners, feed, parameters } = world;
        const [first, second] = cosigners as [Party, Party];
        const keys = [first.key, second.key, next.key];
        const other = { ...parameters, cosigners: keys };
        return world.send(initFeed(PROGRAM, payer.signer, publisher.signer, feed, other));
      },
    },
    {
      name: 'the key after the one that comes',
      run: async (world) => {
        const { publisher, next, feed } = world;
        const after = await partyOf('after');
        const hash = hashOf(parseHex(after.key));
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hash));
        return world.send(addSet(PROGRAM, publisher.signer, feed, 1, [after.key]));
      },
    },
    {
      name: 'the publisher that comes',
      run: async (world) => {
        const { publisher, next, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        return world.send(addSet(PROGRAM, publisher.signer, feed, 1, [next.key]));
      },
    },
  ],
  rules_full: [
    {
      name: 'the 17th',
      run: async (world) => {
        let last: Outcome | undefined;
        for (let i = 1; i <= 16; i += 1) {
          const rule = hashOf(`rule ${i}`);
          const { publisher, feed } = world;
          world.now += WEEK;
          last = await world.send(
            addRule(PROGRAM, publisher.signer, feed, rule, PERIOD + 7 * (i + 2)),
          );
          if (i < 16) assert.equal(last.error, null);
        }
        return last as Outcome;
      },
    },
  ],
  sets_full: [
    {
      name: 'the 17th',
      run: async (world) => {
        let last: Outcome | undefined;
        for (let i = 1; i <= 16; i += 1) {
          const { key } = await partyOf(`of set ${i}`);
          world.now += WEEK;
          last = await world.send(addSet(PROGRAM, world.publisher.signer, world.feed, 1, [key]));
          if (i < 16) assert.equal(last.error, null);
        }
        return last as Outcome;
      },
    },
  ],
  rule_order: [
    {
      name: 'at the last final',
      run: async (world) => {
        await world.publish(world.print());
        const { publisher, feed } = world;
        return world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD));
      },
    },
    {
      name: 'at the rule before',
      run: async (world) => {
        const { publisher, feed } = world;
        await world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD + 28));
        world.now = NOW + WEEK;
        return world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('y'), PERIOD + 28));
      },
    },
  ],
  rule_time: [
    ...[PERIOD + 7, PERIOD + 413, 2_147_483_641].map((first) => ({
      name: `a rule from ${first}`,
      run: (world: World) =>
        world.send(addRule(PROGRAM, world.publisher.signer, world.feed, hashOf('x'), first)),
    })),
    {
      name: 'a second late',
      run: (world) => {
        world.now = NOW + 1n;
        const { publisher, feed } = world;
        return world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD + 14));
      },
    },
    init('a first rule beyond 400 days', { first: PERIOD + 413 }),
  ],
  no_waiting_rule: [
    {
      name: 'the first',
      run: (world) => world.send(cancel(PROGRAM, world.recovery.signer, world.feed, ['rule'])),
    },
    ...[120n, 1n, 0n].map((left) => ({
      name: `${left} seconds before it holds`,
      run: async (world: World) => {
        const { publisher, recovery, feed } = world;
        await world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD + 14));
        world.now = NOW + WEEK - left;
        return world.send(cancel(PROGRAM, recovery.signer, feed, ['rule']));
      },
    })),
    {
      name: 'beside a set that does',
      run: async (world) => {
        const { publisher, recovery, feed } = world;
        const { key } = await partyOf('a');
        await world.send(addSet(PROGRAM, publisher.signer, feed, 1, [key]));
        return world.send(cancel(PROGRAM, recovery.signer, feed, ['rule', 'set']));
      },
    },
  ],
  no_waiting_set: [
    {
      name: 'the first',
      run: (world) => world.send(cancel(PROGRAM, world.recovery.signer, world.feed, ['set'])),
    },
    ...[120n, 1n, 0n].map((left) => ({
      name: `${left} seconds before it holds`,
      run: async (world: World) => {
        const { publisher, recovery, feed } = world;
        const { key } = await partyOf('a');
        await world.send(addSet(PROGRAM, publisher.signer, feed, 1, [key]));
        world.now = NOW + WEEK - left;
        return world.send(cancel(PROGRAM, recovery.signer, feed, ['set']));
      },
    })),
  ],
  not_publisher: [
    {
      name: 'a rule of a stranger',
      run: async (world) => {
        const { signer } = await partyOf('stranger');
        return world.send(addRule(PROGRAM, signer, world.feed, hashOf('x'), PERIOD + 7));
      },
    },
    {
      name: 'a set of the next key before its time',
      run: async (world) => {
        const { publisher, next, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        world.now = NOW + WEEK - 1n;
        return world.send(addSet(PROGRAM, next.signer, feed, 1, [hashOf('x')]));
      },
    },
    {
      name: 'a rule of the key before',
      run: async (world) => {
        const { publisher, next, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        world.now = NOW + WEEK;
        return world.send(addRule(PROGRAM, publisher.signer, feed, hashOf('x'), PERIOD + 7));
      },
    },
    {
      name: 'a rotation by the next key alone',
      run: async (world) => {
        const { next, feed } = world;
        const other = await partyOf('stranger');
        return world.send(rotate(PROGRAM, next.signer, other.signer, feed, hashOf('x')));
      },
    },
  ],
  wrong_next_key: [
    {
      name: 'a key that was not committed to',
      run: async (world) => {
        const { publisher, feed } = world;
        const other = await partyOf('stranger');
        return world.send(rotate(PROGRAM, publisher.signer, other.signer, feed, hashOf('x')));
      },
    },
  ],
  wrong_recovery_key: [
    {
      name: 'the publisher',
      run: async (world) => {
        const { publisher, next, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        return world.send(cancel(PROGRAM, publisher.signer, feed, ['rotation']));
      },
    },
  ],
  rotation_waits: [
    {
      name: 'a second one',
      run: async (world) => {
        const { publisher, next, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        return world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('y')));
      },
    },
  ],
  no_rotation: [
    {
      name: 'none',
      run: (world) => world.send(cancel(PROGRAM, world.recovery.signer, world.feed, ['rotation'])),
    },
    {
      name: 'one that has taken effect',
      run: async (world) => {
        const { publisher, next, recovery, feed } = world;
        await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
        world.now = NOW + WEEK;
        return world.send(cancel(PROGRAM, recovery.signer, feed, ['rotation']));
      },
    },
  ],
  day_not_over: [
    { name: 'today', run: (world) => world.close(TODAY, hashOf('x')) },
    { name: 'a far day', run: (world) => world.close(2 ** 31 - 1, hashOf('x')) },
    { name: 'before 1970', run: (world) => world.close(-1, hashOf('x')) },
  ],
  repeated_close: [
    {
      name: 'the newest',
      run: async (world) => {
        await world.close(TODAY - 1, hashOf('x'));
        return world.close(TODAY - 1, hashOf('x'));
      },
    },
    {
      name: 'one that was superseded',
      run: async (world) => {
        await world.close(TODAY - 1, hashOf('x'));
        await world.close(TODAY - 1, hashOf('y'));
        return world.close(TODAY - 1, hashOf('x'));
      },
    },
  ],
  close_full: [
    {
      name: 'the 17th',
      run: async (world) => {
        for (let i = 0; i < 16; i += 1) {
          assert.equal((await world.close(TODAY - 1, hashOf(`${i}`))).error, null);
        }
        return world.close(TODAY - 1, hashOf('17'));
      },
    },
  ],
  wrong_log: [
    {
      name: 'another',
      run: (world) => world.close(TODAY - 1, hashOf('x'), [world.publisher], hashOf('y')),
    },
  ],
  no_such_print: [
    {
      name: 'nothing',
      run: (world) => world.dissent(world.print(), [world.cosigners[0] as Party]),
    },
    ...(
      [
        { value: 1n },
        { publishedAt: NOW },
        { report: hashOf('z') },
        { rule: hashOf('z') },
        { settleable: false },
        { status: 'provisional' },
        { status: 'corrected' },
        { status: 'void' },
      ] as readonly Partial<Print>[]
    ).map((change) => ({
      name: `another ${Object.keys(change)[0]}`,
      run: async (world: World) => {
        await world.publish(world.print());
        return world.dissent(world.print(change), [world.cosigners[0] as Party]);
      },
    })),
  ],
  dissented: [
    {
      name: 'again',
      run: async (world) => {
        const [first] = world.cosigners as [Party];
        await world.publish(world.print());
        await world.dissent(world.print(), [first]);
        return world.dissent(world.print(), [first]);
      },
    },
  ],
  overflow: [
    {
      name: 'a rule at the end of time',
      run: (world) => {
        world.now = 2n ** 63n - 1n;
        return world.send(
          addRule(PROGRAM, world.publisher.signer, world.feed, hashOf('x'), PERIOD + 7),
        );
      },
    },
    {
      name: 'a print at the end of time',
      run: (world) => {
        world.now = 2n ** 63n - 100n;
        return world.publish(world.print());
      },
    },
  ],
  corrupt: [
    { name: 'no rules', run: spoilt(withByte(11, 0)) },
    { name: '17 rules', run: spoilt(withByte(11, 17)) },
    { name: '255 sets', run: spoilt(withByte(12, 255)) },
    { name: '9 keys', run: spoilt(withByte(1072 + 8, 9)) },
    {
      name: 'a slot of another period',
      run: async (world) => {
        const page = await world.pageOf(PERIOD);
        const bytes = world.bytesOf(page);
        bytes.set([1, 0, 0, 0, 1], 80 + 7 * 200);
        world.overwrite(page, bytes);
        return world.publish(world.print());
      },
    },
    {
      name: 'a clock before the first set',
      run: (world) => {
        world.now = NOW - 1n;
        const bytes = world.bytesOf(world.feed);
        bytes.set(new Uint8Array(8), 304 + 40); // the rule holds since 1970
        world.overwrite(world.feed, bytes);
        return world.publish(world.print());
      },
    },
  ],
};

for (const error of CHAIN_ERRORS) {
  test(`chain: ${error} is refused`, needsSvm, async () => {
    assert.ok(CASES[error].length > 0, 'a case');
    for (const { name, world: options, run } of CASES[error]) {
      const world = await worldOf(options);
      const outcome = await run(world);
      assert.equal(outcome.error, error, name);
    }
  });
}

test('errors: names and numbers', () => {
  assert.equal(new Set(CHAIN_ERRORS).size, CHAIN_ERRORS.length);
  assert.equal(chainErrorCode('instruction'), 6000);
  assert.equal(chainErrorCode('set_waits'), 6057);
  assert.equal(chainError(6060), 'no_waiting_set');
  assert.equal(chainError(6061), undefined);
  assert.equal(chainError(0), undefined);
});
