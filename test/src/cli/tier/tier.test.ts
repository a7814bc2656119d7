import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dataFolder } from '@assay/node/platform/data-folder';
import { whole } from '@assay/node/http/reply';
import type { WholeReply } from '@assay/node/http/request';
import { openTier, type Tier } from '@assay/node/payment/open-tier';
import type { PaidResource } from '@assay/node/payment/paid-resource';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { tierField } from '@assay/node/payment/tier-config';
import { SKIP } from '../../chain/development/world.ts';
import { openPaidChain, type PaidChain } from '../../node/payment/fixture/paid-chain.ts';
import { ed25519Key, requestOf } from '../../node/payment/fixture/payment-world.ts';
import { assay, scratch } from '../fixture/run.ts';

const RESOURCE: PaidResource = {
  path: '/board/at',
  operation: { summary: 'The board as it was' } as PaidResource['operation'],
  check: () => Promise.resolve(undefined),
  prepare: () =>
    Promise.resolve({
      kind: 'paid',
      body: Buffer.from('{}'),
      contentType: 'application/json',
      leafHash: null,
      seq: null,
    }),
  sample: () => whole('application/json', '{}'),
};

const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

interface Shop {
  readonly folder: string;
  readonly chain: PaidChain;
  readonly tier: Tier;
  /** The part of the configuration. */
  readonly section: object;
}

function writeConfig(folder: string, tier: object): Promise<void> {
  const config = { data: 'data', contact: 'a@example.org', tier };
  return writeFile(join(folder, 'assay.json'), JSON.stringify(config));
}

/** A folder with an open tier, which a running node would have open too. */
async function openShop(t: TestContext): Promise<Shop> {
  const folder = await scratch(t);
  const chain = await openPaidChain();
  t.after(() => chain.close());
  const section = {
    prices: { '/board/at': '10000' },
    network: chain.terms.network,
    asset: chain.terms.asset,
    pay_to: chain.terms.payTo,
    facilitator: chain.facilitatorUrl,
    origin: 'https://tier.example',
    rpc: chain.started.rpc,
  };
  await writeConfig(folder, section);
  await mkdir(join(folder, 'data'));
  const store = await PaymentStore.at(dataFolder(join(folder, 'data')).payments);
  t.after(() => store.close());
  const ignore = (): void => undefined;
  const tier = await openTier({
    config: tierField.parse(section),
    store,
    signer: ed25519Key('shop'),
    isDevelopment: true,
    log: { info: ignore, warn: ignore, error: ignore },
  });
  return { folder, chain, tier, section };
}

async function buy(chain: PaidChain, { engine }: Tier, identifier: string): Promise<void> {
  const get = async (header?: string): Promise<WholeReply> =>
    (await engine.answer(RESOURCE, requestOf('/board/at', header))) as WholeReply;
  const required: unknown = JSON.parse(Buffer.from((await get()).body).toString());
  assert.equal((await get(await chain.sign(required, identifier))).status, 200);
}

const CONFIG = ['--config', 'assay.json'];

test(
  'tier: status, payments and the books, while a node has the store',
  { skip: SKIP },
  async (t) => {
    const { folder, chain, tier } = await openShop(t);
    await buy(chain, tier, 'purchase-0000000001');
    await buy(chain, tier, 'purchase-0000000002');
    const status = await assay(folder, ['tier', 'status', ...CONFIG]);
    assert.equal(status.code, 0, status.err);
    assert.match(status.out, /^confirmed +2 +20000$/m);
    assert.match(status.out, /10000 units for \/board\/at/);
    const listed = await assay(folder, ['tier', 'payments', ...CONFIG, '--limit', '1']);
    assert.equal(listed.out.trimEnd().split('\n').length, 2, listed.out);
    assert.match(listed.out, /confirmed +10000 {2}\/board\/at/);
    for (const line of [...status.out.split('\n'), ...listed.out.split('\n')]) {
      assert.ok(line.length <= 80, line);
    }
    const json = await assay(folder, ['tier', 'payments', ...CONFIG, '--json']);
    const rows = JSON.parse(json.out) as readonly { readonly identifier: string }[];
    assert.deepEqual(rows.map(({ identifier }) => identifier).sort(), [
      'purchase-0000000001',
      'purchase-0000000002',
    ]);
    assert.doesNotMatch(json.out, /"transaction"/);
    const none = await assay(folder, ['tier', 'payments', ...CONFIG, '--state', 'lost']);
    assert.equal(none.out, 'No payment is lost.\n');
    const open = await assay(folder, ['tier', 'reconcile', ...CONFIG]);
    assert.equal(open.code, 1, 'two payments are not final yet');
    assert.match(open.out, /It does not add up: 0 differences, 2 open payments/);
    await tier.reconciliation.round();
    const closed = await assay(folder, ['tier', 'reconcile', ...CONFIG]);
    assert.equal(closed.code, 0, closed.out + closed.err);
    assert.match(closed.out, /^due +20000\nreceived +20000$/m);
  },
);

test(
  'tier reconcile: money without a payment, and a payment without money, are named',
  { skip: SKIP },
  async (t) => {
    const { folder, chain, tier } = await openShop(t);
    await buy(chain, tier, 'purchase-0000000001');
    // What pays the same account without a record: the same shop with another store.
    const { terms, key } = tier;
    assert.ok(key);
    const other = await openTier({
      config: tierField.parse({
        prices: { '/board/at': '10000' },
        network: terms.network,
        asset: terms.asset,
        pay_to: terms.payTo,
        facilitator: chain.facilitatorUrl,
        origin: 'https://tier.example',
        rpc: chain.started.rpc,
      }),
      store: await PaymentStore.inMemory(),
      signer: ed25519Key('other'),
      isDevelopment: true,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    await buy(chain, other, 'purchase-0000000009');
    await tier.reconciliation.round();
    const [first] = [await tier.store.byIdentifier('purchase-0000000001')];
    assert.equal(first?.state, 'final');
    const found = await assay(folder, ['tier', 'reconcile', ...CONFIG, '--json']);
    assert.equal(found.code, 1, 'somebody has paid for nothing that is known');
    const report = JSON.parse(found.out) as {
      readonly foreign: readonly { readonly received: string }[];
      readonly balanced: boolean;
    };
    assert.deepEqual(
      report.foreign.map(({ received }) => received),
      ['10000'],
    );
    assert.equal(report.balanced, false);
    // A record that says more than came.
    await tier.store.update(first, { terms: { ...first.terms, amount: '10001' } });
    const differs = await assay(folder, ['tier', 'reconcile', ...CONFIG]);
    assert.equal(differs.code, 1);
    assert.match(differs.out, /10001 expected,\s+10000 found/);
  },
);

test('tier reconcile: books that lost their payments do not add up', { skip: SKIP }, async (t) => {
  const { folder, chain, tier, section } = await openShop(t);
  await buy(chain, tier, 'purchase-0000000001');
  await tier.reconciliation.round();
  await tier.store.close();
  const place = dataFolder(join(folder, 'data')).payments;
  await rm(place, { recursive: true });
  await (await PaymentStore.at(place)).close();
  const lost = await assay(folder, ['tier', 'reconcile', ...CONFIG]);
  assert.equal(lost.code, 1, lost.out + lost.err);
  assert.match(lost.out, /^ {2}foreign +[1-9A-HJ-NP-Za-km-z]{64,88}:\s+10000$/m);
  assert.match(lost.out, /It does not add up: .*1 transfer without a payment\.$/m);
  const { covered } = JSON.parse(
    (await assay(folder, ['tier', 'reconcile', ...CONFIG, '--json'])).out,
  ) as { readonly covered: { readonly accounts: readonly string[]; readonly to_slot: number } };
  assert.equal(covered.accounts.length, 2, 'one for each token program');
  // What was before a slot is left out, if that is asked for.
  const since = String(covered.to_slot + 1);
  const rest = await assay(folder, ['tier', 'reconcile', ...CONFIG, '--since-slot', since]);
  assert.equal(rest.code, 0, rest.out + rest.err);
  assert.match(rest.out, /^ {2}slots +\d+ to \d+/m);
  // A node of another network shows nothing.
  const tierSection = { ...section, network: MAINNET };
  await writeConfig(folder, tierSection);
  const other = await assay(folder, ['tier', 'reconcile', ...CONFIG, '--since-slot', since]);
  assert.equal(other.code, 1);
  assert.match(other.out, /the node is of solana:\w+, the tier of\s+solana:5eykt4/);
});

test('tier: what cannot be looked at is said', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'assay.json'), '{"data":"data","contact":"a@example.org"}');
  const closed = await assay(folder, ['tier', 'status', ...CONFIG]);
  assert.deepEqual([closed.code, /its tier was never open/.test(closed.err)], [2, true]);
  assert.equal((await assay(folder, ['tier', 'payments'])).code, 2);
  const state = await assay(folder, ['tier', 'payments', ...CONFIG, '--state', 'unpaid']);
  assert.deepEqual([state.code, /--state is one of settling/.test(state.err)], [2, true]);
});
