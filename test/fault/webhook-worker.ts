// A publisher with three receivers of webhooks, which is killed: works on the data folder that its arguments name.
//
//     webhook-worker.js endless FOLDER PORT,PORT,PORT   publishes numbers and delivers them until it is killed
//     webhook-worker.js rest FOLDER PORT,PORT,PORT      delivers what is left, says how far it is, and ends
import { writeSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatHex } from '@assay/core/bytes/hex';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { ruleHash } from '@assay/core/rule/rule';
import { logRow } from '@assay/core/view/log';
import { newestPrinted } from '@assay/core/view/reports';
import { newestRule } from '@assay/core/view/rules';
import { openData } from '@assay/node/data/open-data';
import { Ledger } from '@assay/node/ledger/ledger';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { makeLogger } from '@assay/node/production/logger';
import { nodeWebhooks } from '@assay/node/webhook/node-webhooks';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import { SubscriptionStore } from '@assay/node/webhook/subscription-store';
import { layoffsRule, sampleReport } from '../src/core/fixture/fixture.ts';
import { SIGNATURE } from '../src/core/view/small-log.ts';

const [mode = '', root = '', portList = ''] = process.argv.slice(2);
const LAYOFFS = layoffsRule().ticker;
const ports = portList.split(',').map(Number);

const folder = dataFolder(root);
const data = await openData(folder, nodeSha256, { passphrase: undefined });
let delivered = (): void => {};
const ledger = await Ledger.open({
  sha256: nodeSha256,
  store: data.store,
  guard: data.guard,
  signed: data.signed,
  signer: data.checkpoints,
  now: () => Math.floor(Date.now() / 1000),
  askHeads: null,
  onPublish: () => delivered(),
});
const store = await SubscriptionStore.open(join(root, 'webhooks'), {
  cipher: new SubscriptionCipher(new Uint8Array(32).fill(3)),
});
const { deliveries } = nodeWebhooks(
  {
    store,
    // The receivers are three servers of the test, in the order of their names.
    net: {
      resolve: () => Promise.resolve(['8.8.8.8']),
      connect: (_address, _port, host) =>
        new Promise((resolve, reject) => {
          const socket = connect(ports[Number(host[1])] ?? 0, '127.0.0.1');
          socket.once('connect', () => resolve(socket));
          socket.once('error', reject);
        }),
    },
    retryMs: Array.from({ length: 1000 }, () => 5),
  },
  {
    ledger,
    signer: data.report,
    sha256: nodeSha256,
    log: makeLogger('silent'),
    onAttempt: () => {},
  },
);
delivered = () => deliveries.wake();
if (newestRule(ledger.tip, LAYOFFS) === undefined) {
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
}
if (store.size === 0) {
  for (const i of [0, 1, 2]) {
    const filter = { types: ['print'] as const, tickers: null, symbols: null };
    const cursor = { seq: 0, ordinal: 0 };
    await store.add(`r${i}@venue.com`, `https://r${i}.venue.com/`, filter, cursor, 0);
  }
}
deliveries.start();

/** Publishes the number of the next week, on the record of a log whose reports nobody verifies here. */
async function publish(): Promise<void> {
  const before = newestPrinted(ledger.tip, LAYOFFS) ?? '2000-01-01';
  const period = new Date(Date.parse(before) + 7 * 86_400_000).toISOString().slice(0, 10);
  const log = logRow(ledger.tip)?.log;
  const rule = { hash: ruleHash(nodeSha256, layoffsRule()), version: 1 };
  const report = sampleReport('final', { period, rule, ...(log === undefined ? {} : { log }) });
  await ledger.write(() => [{ kind: 'report/1', body: { report, signature: SIGNATURE } }]);
}

if (mode === 'endless') {
  await publish();
  writeSync(1, 'ready\n');
  for (;;) {
    await publish();
    await sleep(Math.random() * 20);
  }
}

const size = ledger.published?.size ?? 0;
while ([...store.all()].some(({ progress }) => progress.cursor.seq < size - 1)) await sleep(20);
// The last message of each is under way or settled; once more it is asked how far they are.
while (
  [...store.all()].some(
    ({ progress }) => progress.cursor.seq === size - 1 && progress.cursor.ordinal === 0,
  )
)
  await sleep(20);
for (const { url, secrets } of store.all()) {
  writeSync(1, `secret ${new URL(url).hostname} ${secrets[0]?.secret}\n`);
}
writeSync(1, `key ${formatHex(data.report.publicKey)}\n`);
let seq = 0;
for await (const bytes of ledger.entries(0, size)) {
  const kind = Buffer.from(bytes).includes('"kind":"report/1"') ? 'report' : 'other';
  writeSync(1, `entry ${seq} ${hashHex(leafHash(nodeSha256, bytes))} ${kind}\n`);
  seq += 1;
}
writeSync(1, `note ${Buffer.from(ledger.published?.note ?? []).toString('base64')}\n`);
writeSync(1, `vkey ${data.checkpoints.vkey}\n`);
await deliveries.stop();
await ledger.close();
writeSync(1, 'done\n');
