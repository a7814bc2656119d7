// The table of faults: each row says what the buyer gets, and what was taken from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKeyPairSigner } from '@solana/kit';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { openJws } from '@assay/node/payment/jws';
import { MAX_REQUIRED_HEADER } from '@assay/node/payment/payment-required';
import {
  advanceNonce,
  type Answered,
  notListed,
  openWorld,
  type PayOptions,
  PRICE,
  type World,
  type WorldOptions,
} from './fixture/payment-world.ts';

const ID = 'purchase-0000000001';
const ETH = '/history/ETH?days=3';

/** Runs `work` and says what the buyer paid and the seller got meanwhile. They must be the same. */
async function charged(world: World, work: () => Promise<void>): Promise<bigint> {
  const before = await world.balances();
  await work();
  const after = await world.balances();
  assert.equal(before[0] - after[0], after[1] - before[1]);
  return before[0] - after[0];
}

function errorOf({ body }: Answered): string {
  return (JSON.parse(body) as { error: string }).error;
}

interface Row {
  readonly fault: string;
  readonly options?: WorldOptions;
  /** How many times the price is taken. */
  readonly times: 0n | 1n | 2n;
  readonly run: (world: World) => Promise<void>;
}

async function unpaidFor(world: World, target: string, pay: PayOptions): Promise<void> {
  const header = await world.pay(target, ID, pay);
  const answer = await world.get(target, header);
  assert.equal(answer.status, 402, answer.body);
  assert.equal(
    decodePaymentResponseHeader(answer.headers['payment-response'] ?? '').success,
    false,
  );
  assert.equal(await world.store.byIdentifier(ID), undefined);
}

const TABLE: readonly Row[] = [
  {
    fault: 'none: paid',
    times: 1n,
    async run(world) {
      const answer = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.headers['cache-control'], 'private, no-store');
      assert.deepEqual(JSON.parse(answer.body), { of: '/history/ETH?days=3', n: 1 });
    },
  },
  {
    fault: 'ten copies at once',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const { prepared } = world;
      const answers = await Promise.all(Array.from({ length: 10 }, () => world.get(ETH, header)));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal(answers[0]?.status, 200);
      assert.equal(world.prepared - prepared, 1, 'the work is done once');
      assert.equal(world.facilitator.settled.length, 1);
    },
  },
  {
    fault: 'ten copies at once, while the facilitator is down',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      const answers = await Promise.all(Array.from({ length: 10 }, () => world.get(ETH, header)));
      for (const answer of answers) assert.equal(errorOf(answer), 'settlement_unknown');
      assert.equal(world.facilitator.settled.length, 1, 'one attempt for all');
    },
  },
  {
    fault: 'the transfer runs with an error, and the facilitator calls it settled',
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'fails';
      const header = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      assert.equal((await world.get(ETH, header)).status, 402, 'the chain shows that it failed');
    },
  },
  {
    fault: 'ten signatures for one purchase at once',
    times: 1n,
    async run(world) {
      const headers = await Promise.all(Array.from({ length: 10 }, () => world.pay(ETH, ID)));
      const answers = await Promise.all(headers.map((header) => world.get(ETH, header)));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal(answers[0]?.status, 200);
      assert.equal(world.facilitator.settled.length, 1);
    },
  },
  {
    fault: 'the same payment again',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const first = await world.get(ETH, header);
      assert.equal(first.status, 200);
      assert.deepEqual(await world.get(ETH, header), first);
      assert.deepEqual(await world.get('/v1/history/ETH?days=3', header), first, 'with a version');
      await world.restart();
      assert.deepEqual(await world.get(ETH, header), first, 'after a restart');
    },
  },
  {
    fault: 'signed again for the same purchase, because the answer was lost',
    times: 1n,
    async run(world) {
      const first = await world.get(ETH, await world.pay(ETH, ID));
      const again = await world.get(ETH, await world.pay(ETH, ID));
      assert.deepEqual(again, first);
    },
  },
  {
    fault: 'asking without a payment, or with one that is refused, costs no answer',
    times: 0n,
    async run(world) {
      const payer = await generateKeyPairSigner();
      await unpaidFor(world, ETH, { payer });
      await unpaidFor(world, ETH, { amount: 1n });
      assert.equal(world.prepared, 0);
    },
  },
  {
    fault: 'a header that is no payment',
    times: 0n,
    async run(world) {
      const base64 = (value: unknown): string =>
        Buffer.from(JSON.stringify(value)).toString('base64');
      const good = await world.pay(ETH, ID);
      const payload = JSON.parse(Buffer.from(good, 'base64').toString()) as Record<string, object>;
      for (const header of [
        '%%%',
        '',
        base64(5),
        base64(null),
        base64([]),
        base64({ x402Version: 2 }),
        base64({ ...payload, x402Version: 1 }),
        base64({ ...payload, payload: {} }),
        base64({ ...payload, payload: { transaction: 'AAAA' } }),
        base64({ ...payload, payload: { transaction: 'A'.repeat(4000) } }),
        base64({ ...payload, extensions: {} }),
        base64({ ...payload, extensions: { 'payment-identifier': { info: { id: 'short' } } } }),
        good.slice(0, good.length / 2),
        'A'.repeat(20_000),
      ]) {
        const answer = await world.get(ETH, header);
        assert.equal(answer.status, 400, header.slice(0, 40));
        assert.equal(errorOf(answer), 'invalid_payment');
      }
      assert.equal(world.facilitator.verified, 0);
    },
  },
  {
    fault: 'a transfer whose signature is of another message',
    times: 0n,
    async run(world) {
      const bytes = Buffer.from(await world.transfer(), 'base64');
      // The payer's signature is the second: 1 byte with their number, then 64 bytes each.
      bytes.writeUInt8(bytes.readUInt8(70) ^ 1, 70);
      const header = await world.pay(ETH, ID, { transaction: bytes.toString('base64') });
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 400);
      assert.match(answer.body, /not signed by its payer/);
    },
  },
  {
    fault: 'a transfer that lives for ever',
    times: 0n,
    async run(world) {
      const before = [advanceNonce(world.buyer.address)];
      const answer = await world.get(ETH, await world.pay(ETH, ID, { before }));
      assert.equal(answer.status, 400);
      assert.match(answer.body, /the programs of the scheme/);
    },
  },
  {
    fault: 'facilitator down at verify',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'down';
      const down = await world.get(ETH, header);
      assert.equal(down.status, 503);
      assert.equal(errorOf(down), 'facilitator_unavailable');
      assert.match(down.headers['retry-after'] ?? '', /^\d+$/);
      world.facilitator.faults.verify = undefined;
      assert.equal((await world.get(ETH, header)).status, 200, 'the same payment afterwards');
    },
  },
  {
    fault: 'chain down before the settlement',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.chain.isUp = false;
      const answer = await world.get(ETH, header);
      assert.equal(errorOf(answer), 'facilitator_unavailable');
      assert.equal(world.facilitator.settled.length, 0);
    },
  },
  {
    fault: 'facilitator down at settle',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      const unknown = await world.get(ETH, header);
      assert.equal(unknown.status, 503);
      assert.equal(errorOf(unknown), 'settlement_unknown');
      assert.match(unknown.headers['retry-after'] ?? '', /^\d+$/);
      world.facilitator.faults.settle = undefined;
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'facilitator down at settle, for good',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      const other = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, other)), 'settlement_unknown', 'a new signature');
      assert.equal(world.facilitator.settled.length, 1, 'the second transfer is not sent');
      world.chain.expire();
      assert.equal((await world.get(ETH, header)).status, 402, 'it cannot be made any more');
      assert.equal((await world.store.byIdentifier(ID))?.state, 'failed');
    },
  },
  {
    fault: 'a payment that failed for good frees its identifier',
    times: 1n,
    async run(world) {
      world.facilitator.faults.settle = 'down';
      await world.get(ETH, await world.pay(ETH, ID));
      world.chain.expire();
      world.facilitator.faults.settle = undefined;
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'settled, and the answer of the facilitator is lost',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'lost';
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 200, 'the chain shows it at once');
      assert.deepEqual(await world.get(ETH, header), answer);
    },
  },
  {
    fault: 'settled, the answer is lost, and the chain cannot be read',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'lost';
      world.facilitator.faults.onSettle = () => {
        world.chain.isUp = false;
      };
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      await world.restart();
      world.chain.isUp = true;
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 200);
      assert.equal(world.facilitator.settled.length, 1);
    },
  },
  {
    fault: 'settled, and the facilitator says that it failed',
    times: 1n,
    async run(world) {
      world.facilitator.faults.settle = 'denies';
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'the facilitator says that it failed, which is true',
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'refuses';
      const header = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.chain.expire();
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'the buyer leaves while it is settled',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      let release = (): void => undefined;
      world.facilitator.faults.wait = new Promise((resolve) => {
        release = resolve;
      });
      const left = world.get(ETH, header);
      const again = world.get(ETH, header);
      release();
      assert.equal((await again).status, 200);
      assert.deepEqual(await again, await left);
    },
  },
  {
    fault: 'the node ends between the record and the settlement',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.wait = new Promise(() => undefined);
      void world.get(ETH, header);
      for (let i = 0; i < 1000 && world.facilitator.settled.length === 0; i += 1) {
        await new Promise(setImmediate);
      }
      world.facilitator.faults.wait = undefined;
      await world.restart();
      assert.equal((await world.store.byIdentifier(ID))?.state, 'settling');
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'the handler throws, or has nothing to sell',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.check = notListed;
      assert.equal((await world.get(ETH, header)).status, 404);
      assert.equal((await world.get(ETH)).status, 404, 'nobody is asked to pay for that');
      assert.equal(world.facilitator.verified, 0);
      world.check = undefined;
      world.prepare = notListed;
      assert.equal((await world.get(ETH, header)).status, 404);
      world.prepare = () => {
        throw new Error('broken');
      };
      await assert.rejects(world.get(ETH, header), /broken/);
      assert.equal(world.facilitator.settled.length, 0);
    },
  },
  {
    fault: 'signed for A, spent on B',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      assert.equal((await world.get(ETH, header)).status, 200);
      for (const other of ['/board/at', '/history/ETH?days=4', '/history/BTC?days=3']) {
        const answer = await world.get(other, header);
        assert.equal(answer.status, 409, other);
        assert.equal(errorOf(answer), 'payment_conflict');
      }
    },
  },
  {
    fault: 'signed for A, spent on B while A is being bought',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const answers = await Promise.all([world.get(ETH, header), world.get('/board/at', header)]);
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter(({ status }) => status === 409).length, 1);
    },
  },
  {
    fault: 'a transaction copied from the chain',
    times: 1n,
    async run(world) {
      const transaction = await world.transfer();
      assert.equal((await world.get(ETH, await world.pay(ETH, ID, { transaction }))).status, 200);
      const copied = await world.pay(ETH, 'somebody-elses-0001', { transaction });
      const answer = await world.get(ETH, copied);
      assert.equal(answer.status, 409);
      assert.doesNotMatch(answer.body, /"of"/);
    },
  },
  {
    fault: "somebody else's identifier",
    times: 1n,
    async run(world) {
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      const payer = await generateKeyPairSigner();
      const answer = await world.get(ETH, await world.pay(ETH, ID, { payer }));
      assert.equal(answer.status, 409);
    },
  },
  {
    fault: 'a payer without funds',
    times: 0n,
    async run(world) {
      const payer = await generateKeyPairSigner();
      await unpaidFor(world, ETH, { payer });
    },
  },
  {
    fault: 'a transfer of another amount, asset or receiver than accepted',
    times: 0n,
    async run(world) {
      const { address } = await generateKeyPairSigner();
      await unpaidFor(world, ETH, { amount: PRICE - 1n });
      await unpaidFor(world, ETH, { amount: PRICE + 1n });
      await unpaidFor(world, ETH, { mint: address });
      await unpaidFor(world, ETH, { to: address });
      assert.equal(world.facilitator.verified, 0, 'the facilitator is not needed for that');
    },
  },
  {
    fault: 'accepted terms that were lowered',
    times: 0n,
    async run(world) {
      await unpaidFor(world, ETH, {
        amount: 1n,
        change: (payload) => ({ ...payload, accepted: { ...payload.accepted, amount: '1' } }),
      });
    },
  },
  {
    fault: 'the price changes, and the payment brings back its offer',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      await world.restart({ terms: { prices: { '/history/:symbol': '20000' } } });
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'the price changes, and the offer is over, for something else, or not brought back',
    times: 0n,
    async run(world) {
      const late = await world.pay(ETH, ID);
      const other = await world.pay('/history/BTC', ID);
      const none = await world.pay(ETH, ID, {
        change: ({ extensions, ...payload }) => ({
          ...payload,
          extensions: { 'payment-identifier': extensions?.['payment-identifier'] },
        }),
      });
      await world.restart({ terms: { prices: { '/history/:symbol': '20000' } } });
      assert.equal((await world.get(ETH, other)).status, 402);
      assert.equal((await world.get(ETH, none)).status, 402);
      world.nowMs += 61_000;
      const answer = await world.get(ETH, late);
      assert.equal(answer.status, 402);
      assert.match(answer.body, /"amount":"20000"/);
      assert.equal(world.facilitator.verified, 0);
    },
  },
  {
    fault: 'the receiver changes',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const { address } = await generateKeyPairSigner();
      await world.restart({ terms: { payTo: address } });
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'a facilitator that lies: nothing is served',
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'lies';
      const header = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.chain.expire();
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'a facilitator that lies names the transfer of somebody else',
    times: 1n,
    async run(world) {
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      const [first] = world.chain.landed;
      world.facilitator.settle = () =>
        Promise.resolve({ kind: 'settled', signature: first?.signature ?? '' });
      const answer = await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
      assert.equal(errorOf(answer), 'settlement_unknown');
    },
  },
  {
    fault: 'a facilitator that lies gets no more than it is trusted with',
    options: { trusted: PRICE },
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'lies';
      const statuses: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const header = await world.pay(ETH, `purchase-000000000${i}`);
        statuses.push((await world.get(ETH, header)).status);
      }
      assert.deepEqual(statuses, [200, 503, 503, 503, 503]);
      await world.restart();
      const header = await world.pay(ETH, 'purchase-0000000009');
      assert.equal((await world.get(ETH, header)).status, 503, 'a restart does not forget');
      assert.equal(world.engine.concerns().length, 1);
    },
  },
  {
    fault: 'another payer, another purchase',
    times: 2n,
    async run(world) {
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      const other = await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
      assert.equal(other.status, 200);
    },
  },
];

for (const { fault, options = {}, times, run } of TABLE) {
  test(`payments, the table of faults: ${fault}`, async () => {
    const world = await openWorld(options);
    assert.equal(await charged(world, () => run(world)), times * PRICE);
  });
}

test('payments: what a 402 says', async () => {
  const world = await openWorld();
  const answer = await world.get(ETH);
  assert.equal(answer.status, 402);
  assert.equal(answer.headers['cache-control'], 'no-store');
  const header = answer.headers['payment-required'] ?? '';
  assert.deepEqual(decodePaymentRequiredHeader(header), JSON.parse(answer.body));
  const required = PaymentRequiredV2Schema.parse(JSON.parse(answer.body));
  assert.equal(required.resource.url, 'https://tier.example/history/ETH?days=3');
  assert.equal(required.accepts[0]?.amount, String(PRICE));
  assert.doesNotMatch(answer.body, /development/);
  const offers = required.extensions?.['offer-receipt'] as {
    info: { offers: readonly { signature: string }[] };
  };
  const offer = openJws(offers.info.offers[0]?.signature ?? '', world.jws);
  assert.equal(offer?.['validUntil'], world.nowMs / 1000 + 60);
  assert.equal((await world.get(ETH, await world.pay(ETH, ID), 'HEAD')).status, 402);
  assert.equal(world.facilitator.settled.length, 0, 'HEAD pays for nothing');
  const sample = await world.get(`${ETH}&sample=true`);
  assert.deepEqual([sample.status, sample.body], [200, '{"sample":true}']);
});

test('payments: a 402 of a development chain says so, and its header stays small', async () => {
  const world = await openWorld({
    terms: { isDevelopment: true, origin: `https://${'long.'.repeat(12)}example.org` },
  });
  const answer = await world.get(`/history/${encodeURIComponent('A'.repeat(12))}?days=365`);
  const required = PaymentRequiredV2Schema.parse(JSON.parse(answer.body));
  assert.match(required.resource.description ?? '', /^development: /);
  assert.deepEqual(required.resource.tags, ['development']);
  assert.equal(required.accepts[0]?.extra?.['environment'], 'development');
  const { length } = answer.headers['payment-required'] ?? '';
  assert.ok(length < MAX_REQUIRED_HEADER, `${length} characters`);
});

test('payments: the receipt names what was served, and only its key signs it', async () => {
  const world = await openWorld();
  const answer = await world.get(ETH, await world.pay(ETH, ID));
  const response = decodePaymentResponseHeader(answer.headers['payment-response'] ?? '');
  assert.equal(response.success, true);
  assert.equal(response.payer, world.buyer.address);
  assert.equal(response.transaction, world.chain.landed[0]?.signature);
  const extension = response.extensions?.['offer-receipt'] as {
    info: { receipt: { signature: string } };
  };
  const { signature } = extension.info.receipt;
  const receipt = openJws(signature, world.jws);
  assert.equal(receipt?.['resourceUrl'], 'https://tier.example/history/ETH?days=3');
  assert.equal(receipt['leafHash'], 'ab'.repeat(32));
  assert.equal(receipt['seq'], 41);
  const { createHash } = await import('node:crypto');
  assert.equal(receipt['contentSha256'], createHash('sha256').update(answer.body).digest('hex'));
  const other = (await openWorld()).jws;
  assert.equal(openJws(signature, other), undefined);
});
