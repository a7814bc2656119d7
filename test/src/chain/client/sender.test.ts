import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Outgoing, Sender, type SenderLimits, type Sent } from '@assay/chain/client/sender';
import { kitRpc } from '@assay/chain/development/kit-transport';
import type { RpcMethod } from '@assay/chain/development/json-rpc';
import { Fault } from '@assay/core/fault';
import type { Address, Instruction } from '@solana/kit';
import { transferOf } from '../development/world.ts';
import { needsSvm } from '../fixture/world.ts';
import { flakyRpc, type Troubles } from './flaky.ts';
import { type ClientWorld, LIMITS, openClientWorld } from './world.ts';

const ANYONE = 'So11111111111111111111111111111111111111112' as Address;
const SOL = 1_000_000_000n;

async function open(t: TestContext): Promise<ClientWorld> {
  const world = await openClientWorld({ begun: false });
  t.after(() => world.chain.close());
  return world;
}

function transfer(world: ClientWorld, lamports: bigint = SOL): Instruction {
  return transferOf(world.payer, ANYONE, lamports);
}

function through(
  world: ClientWorld,
  troubles: Troubles,
  limits: Partial<SenderLimits> = {},
): Sender {
  const rpc = flakyRpc(world.chain, world.time, troubles);
  return world.sender({ rpc, limits: { ...LIMITS, ...limits } });
}

/** Another answer of one method. */
function answering(world: ClientWorld, name: string, method: RpcMethod): Sender {
  const methods = new Map([...world.chain.methods, [name, method]]);
  return world.sender({ rpc: kitRpc({ ...world.chain, methods }) });
}

/** What ran since the world was opened, the airdrop aside. */
function ran(world: ClientWorld): ReturnType<ClientWorld['chain']['ledger']['history']['newest']> {
  const { history } = world.chain.ledger;
  return history.newest(history.total).slice(1);
}

/** The price of a unit, from the last instruction. */
function priceOf({ wire }: ReturnType<typeof ran>[number]): bigint {
  const data = wire.message.instructions.at(-1)?.data ?? new Uint8Array();
  return new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
}

test(
  'sender: a transaction goes out once, is final, and costs what is said',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const outs: Outgoing[] = [];
    const sent: Sent = await world.sender().send([transfer(world)], {
      onOut: async (out) => {
        assert.equal(ran(world).length, 0);
        outs.push(out);
        await Promise.resolve();
      },
    });
    const [only, ...more] = ran(world);
    assert.deepEqual(more, []);
    assert.equal(only?.wire.signature, sent.transaction);
    assert.equal(sent.fee, only?.fee);
    assert.equal(sent.slot, BigInt(only?.slot ?? 0));
    assert.equal(sent.attempts, 1);
    assert.equal(outs[0]?.signature, sent.transaction);
    const { transaction, slot, fee } = sent;
    assert.deepEqual(world.paid, [{ transaction, slot, fee, error: null }]);
    assert.deepEqual(await world.sender().outcome(outs[0] as Outgoing), {
      kind: 'finalized',
      slot,
      fee,
    });
  },
);

test('sender: the fee is worked out where the node has no transaction', needsSvm, async (t) => {
  const world = await open(t);
  const sent = await answering(world, 'getTransaction', () => null).send([transfer(world)]);
  assert.equal(sent.fee, ran(world)[0]?.fee);
});

test('sender: nothing leaves before it is kept', needsSvm, async (t) => {
  const world = await open(t);
  const broken = new Error('disk full');
  const out = world.sender().send([transfer(world)], { onOut: () => Promise.reject(broken) });
  await assert.rejects(out, broken);
  assert.equal(ran(world).length, 0);
});

test('sender: the same bytes go again until they arrive', needsSvm, async (t) => {
  const world = await open(t);
  const sendTransaction = ['lost', 'busy', 'garbage', 'dropped'] as const;
  const sent = await through(world, { sendTransaction: [...sendTransaction] }).send([
    transfer(world),
  ]);
  assert.equal(sent.attempts, 1);
  assert.equal(ran(world).length, 1);
});

test(
  'sender: once its blockhash is over, another one is signed for twice the price',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const troubles: Troubles = { sendTransaction: ['expire', 'lost'] };
    // The first answer comes after the blockhash: it arrived too late to run.
    const sender = through(world, troubles, { floor: 1000n, cap: 1500n });
    const outs: Outgoing[] = [];
    const sent = await sender.send([transfer(world)], {
      onOut: async (out) => {
        outs.push(out);
        await Promise.resolve();
      },
    });
    assert.equal(sent.attempts, 2);
    assert.deepEqual(await sender.outcome(outs[0] as Outgoing), { kind: 'expired' });
    assert.equal(ran(world).length, 1);
    assert.equal(priceOf(ran(world)[0] as ReturnType<typeof ran>[number]), 1500n);
  },
);

test(
  'sender: what a node does not know may land while its blocks can still come',
  needsSvm,
  async (t) => {
    const world = await open(t);
    const sent = await through(world, { sendTransaction: ['held', 'lost', 'lost'] }).send([
      transfer(world),
    ]);
    assert.equal(sent.attempts, 1);
    assert.equal(ran(world).length, 1);
  },
);

test('sender: a node that is behind does not know that nothing landed', needsSvm, async (t) => {
  const world = await open(t);
  const sent = await through(world, {
    sendTransaction: ['lost', 'none'],
    getSignatureStatuses: ['none', 'none', 'none', 'old', 'old'],
    getEpochInfo: ['none', 'none', 'none', 'expire'],
  }).send([transfer(world)]);
  assert.equal(sent.attempts, 1);
  assert.equal(ran(world).length, 1);
});

test('sender: confirmed is not final', needsSvm, async (t) => {
  const world = await open(t);
  const truth = world.chain.methods.get('getSignatureStatuses') as RpcMethod;
  let looks = 0;
  const sender = answering(world, 'getSignatureStatuses', (params) => {
    const answer = truth(params) as { value: Record<string, unknown>[] };
    looks += 1;
    for (const each of answer.value) {
      if (looks <= 4) each['confirmationStatus'] = looks <= 2 ? 'processed' : 'confirmed';
    }
    return answer as ReturnType<RpcMethod>;
  });
  await sender.send([transfer(world)]);
  assert.equal(looks, 5);
});

test('sender: what its simulation refuses is not sent', needsSvm, async (t) => {
  const world = await open(t);
  const tooMuch = transfer(world, 10n ** 15n);
  await assert.rejects(world.sender().send([tooMuch]), {
    code: 'refused',
    at: 'Custom 1',
    found: 'instruction 0',
  });
  const poor = world.sender({ payer: world.publisher.signer });
  await assert.rejects(poor.send([transferOf(world.publisher.signer, ANYONE, 1n)]), {
    code: 'refused',
    at: 'AccountNotFound',
  });
  assert.equal(ran(world).length, 0);
  assert.deepEqual(world.paid, []);
});

test('sender: what fails on chain is refused, and was paid for', needsSvm, async (t) => {
  const world = await open(t);
  const troubles: Troubles = { simulateTransaction: ['none', 'old'] };
  const sender = through(world, troubles);
  await sender.send([transfer(world)]);
  const outs: Outgoing[] = [];
  const failing = sender.send([transfer(world, 10n ** 15n)], {
    onOut: async (out) => {
      outs.push(out);
      await Promise.resolve();
    },
  });
  await assert.rejects(failing, { code: 'refused', at: 'Custom 1' });
  const [, failed] = ran(world);
  const { transaction, fee, error } = world.paid[1] as (typeof world.paid)[number];
  assert.deepEqual([transaction, fee, error], [failed?.wire.signature, failed?.fee, 'Custom 1']);
  const outcome = await sender.outcome(outs[0] as Outgoing);
  assert.equal(outcome.kind, 'failed');
  assert.ok(outcome.kind === 'failed' && outcome.error === 'Custom 1' && outcome.fee === fee);
});

test('sender: it gives up after its attempts, or its patience', needsSvm, async (t) => {
  const world = await open(t);
  const lost = Array.from({ length: 200 }, () => 'lost' as const);
  await assert.rejects(through(world, { sendTransaction: [...lost] }).send([transfer(world)]), {
    code: 'timeout',
    at: 'blockhash',
  });
  const begun = world.time.seconds;
  const busy = Array.from({ length: 1000 }, () => 'busy' as const);
  await assert.rejects(through(world, { getSignatureStatuses: busy }).send([transfer(world)]), {
    code: 'unreachable',
    at: 'getSignatureStatuses',
    found: 'status 429',
  });
  assert.ok(world.time.seconds - begun <= LIMITS.patienceSeconds + 2);
  // It landed all the same, and whoever asks for its outcome hears so.
  assert.equal(ran(world).length, 1);
});

test('sender: a node that stands still ends patience', needsSvm, async (t) => {
  const world = await open(t);
  const stuck = world.chain.methods.get('getEpochInfo')?.([]) ?? null;
  const methods = new Map([
    ...world.chain.methods,
    ['getEpochInfo', () => stuck] as const,
    ['getSignatureStatuses', () => ({ context: { slot: 1 }, value: [null] })] as const,
  ]);
  const sender = world.sender({ rpc: kitRpc({ ...world.chain, methods }) });
  await assert.rejects(sender.send([transfer(world)]), { code: 'timeout', at: 'confirmation' });
});

test('sender: questions are asked again before anything is out', needsSvm, async (t) => {
  const world = await open(t);
  await through(world, { simulateTransaction: ['busy'], others: ['busy', 'lost'] }).send([
    transfer(world),
  ]);
  const down = through(world, { simulateTransaction: ['busy', 'garbage'] });
  await assert.rejects(down.send([transfer(world)]), { code: 'malformed' });
  assert.equal(ran(world).length, 1);
});

test('sender: an abort ends it, with its own fault where it brings one', needsSvm, async (t) => {
  const world = await open(t);
  const crash = new AbortController();
  const rpc = flakyRpc(world.chain, world.time, { sendTransaction: ['crash'] }, () =>
    crash.abort(new Fault('stopped', 'node')),
  );
  const { signal } = crash;
  await assert.rejects(world.sender({ rpc }).send([transfer(world)], { signal }), {
    code: 'stopped',
  });
  assert.equal(ran(world).length, 1);
  const gone = AbortSignal.abort();
  await assert.rejects(world.sender().send([transfer(world)], { signal: gone }), {
    code: 'timeout',
    at: 'abort',
  });
  assert.equal(ran(world).length, 1);
});

test('sender: what is longer than a transaction is not signed', needsSvm, async (t) => {
  const world = await open(t);
  const many = [{ ...transfer(world), data: new Uint8Array(1300) }];
  const sender = world.sender();
  assert.equal(sender.fits(many), false);
  assert.equal(sender.fits([transfer(world)]), true);
  await assert.rejects(sender.send(many), { code: 'too_large' });
  await sender.send([transfer(world)]);
  assert.equal(ran(world)[0]?.wire.bytes.length, sender.bytesOf([transfer(world)]));
});
