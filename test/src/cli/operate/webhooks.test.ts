import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { dataFolder } from '@assay/node/platform/data-folder';
import { DEFAULT_TYPES } from '@assay/node/webhook/subscription';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import {
  PROGRESS_FILE,
  RECEIVERS_FILE,
  SubscriptionStore,
} from '@assay/node/webhook/subscription-store';
import { assay, scratch } from '../fixture/run.ts';

const KEY = '07'.repeat(32);
const SECRETS: string[] = [];
const VARIABLES = { ASSAY_WEBHOOK_KEY: KEY };

/** A data folder with two subscriptions. */
async function data(t: TestContext): Promise<string> {
  const folder = await scratch(t);
  const root = join(folder, 'data');
  await mkdir(root);
  const place = dataFolder(root);
  await (await openLevelStore(place.ledger)).close();
  const cipher = new SubscriptionCipher(Buffer.from(KEY, 'hex'));
  const store = await SubscriptionStore.open(place.webhooks, { cipher });
  const filter = { types: DEFAULT_TYPES, tickers: null, symbols: null };
  for (const [i, name] of ['Ada', 'bob'].entries()) {
    const url = `https://${name.toLowerCase()}.example/hook`;
    const at = Date.parse('2026-08-04T02:00:00Z') + i * 1000;
    const cursor = { seq: 40 + i, ordinal: 0 };
    SECRETS.push((await store.add(`${name}@Example.com`, url, filter, cursor, at)) ?? '');
  }
  await store.close();
  return folder;
}

test('webhooks list: who is told, and how far each is, without secrets', async (t) => {
  const folder = await data(t);
  const { code, out } = await assay(folder, ['webhooks', 'list', 'data'], VARIABLES);
  assert.equal(code, 0);
  assert.equal(
    out,
    [
      'Ada@Example.com',
      '  to https://ada.example/hook',
      '  active, since 2026-08-04T02:00:00Z; next: entry 40',
      'bob@Example.com',
      '  to https://bob.example/hook',
      '  active, since 2026-08-04T02:00:01Z; next: entry 41',
      '2 subscriptions.',
      '',
    ].join('\n'),
  );
  const json = await assay(folder, ['webhooks', 'list', 'data', '--json'], VARIABLES);
  const rows = JSON.parse(json.out) as readonly { readonly email: string }[];
  assert.deepEqual(
    rows.map(({ email }) => email),
    ['Ada@Example.com', 'bob@Example.com'],
  );
  for (const secret of SECRETS) assert.ok(!json.out.includes(secret));
});

test('webhooks remove: a subscription goes with everything that is stored of it', async (t) => {
  const folder = await data(t);
  const { webhooks } = dataFolder(join(folder, 'data'));
  const lines = async (): Promise<readonly number[]> =>
    Promise.all(
      [RECEIVERS_FILE, PROGRESS_FILE].map(
        async (name) => (await readFile(join(webhooks, name), 'utf8')).trim().split('\n').length,
      ),
    );
  const asked = await assay(folder, ['webhooks', 'remove', 'data', 'ada@example.COM'], VARIABLES);
  assert.deepEqual([asked.code, /would be removed: --yes does it/.test(asked.out)], [0, true]);
  assert.deepEqual(await lines(), [2, 2]);
  const yes = ['webhooks', 'remove', 'data', 'ada@example.COM', '--yes'];
  const done = await assay(folder, yes, VARIABLES);
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.deepEqual(await lines(), [1, 1]);
  assert.match((await assay(folder, ['webhooks', 'list', 'data'], VARIABLES)).out, /^bob@.*One/s);
  const again = await assay(folder, yes, VARIABLES);
  assert.deepEqual(
    [again.code, again.err],
    [1, 'assay webhooks: ada@example.COM has no subscription\n'],
  );
});

test('webhooks: not without the key, with another, nor while a node has the folder', async (t) => {
  const folder = await data(t);
  const list = ['webhooks', 'list', 'data'];
  const without = await assay(folder, list);
  assert.match(without.err, /ASSAY_WEBHOOK_KEY/);
  assert.notEqual(without.code, 0);
  const other = await assay(folder, list, { ASSAY_WEBHOOK_KEY: '08'.repeat(32) });
  assert.notEqual(other.code, 0);
  assert.ok(!other.err.includes('08'.repeat(32)));
  assert.equal((await assay(folder, ['webhooks', 'list', 'nothing'], VARIABLES)).code, 2);
  const ledger = await openLevelStore(dataFolder(join(folder, 'data')).ledger);
  const busy = await assay(folder, list, VARIABLES);
  await ledger.close();
  assert.equal(busy.code, 3, busy.err);
});
