import assert from 'node:assert/strict';
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseHex } from '@assay/core/bytes/hex';
import { hashHex, toHash } from '@assay/core/hash/hash';
import { rootOf } from '@assay/core/log/tree';
import { dataFolder } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { openData } from '@assay/node/data/open-data';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { LONG, run } from './told.ts';

const WORKER = fileURLToPath(new URL('./webhook-worker.js', import.meta.url));
const KILLS = LONG ? 200 : 15;

interface Got {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** Whether it was answered as delivered. */
  taken: boolean;
}

/** Answers after its own fashion, and says whether it took the message. */
type Manner = (response: ServerResponse) => Promise<boolean>;

const MANNERS: readonly Manner[] = [
  // The fast one.
  (response) => {
    response.writeHead(204).end();
    return Promise.resolve(true);
  },
  // The slow one.
  async (response) => {
    await sleep(20 + Math.random() * 60);
    response.end('ok');
    return true;
  },
  // The failing one: an error, a connection that ends, or half an answer, and now and then a good one.
  async (response) => {
    const dice = Math.random();
    if (dice < 0.3) response.writeHead(500).end();
    else if (dice < 0.5) response.socket?.destroy();
    else if (dice < 0.6) response.writeHead(302, { location: 'https://r0.venue.com/' }).end();
    else {
      await sleep(Math.random() * 10);
      response.end();
      return true;
    }
    return false;
  },
];

async function receiver(t: TestContext, manner: Manner): Promise<{ port: number; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const header = (name: string): string => String(incoming.headers[name]);
      const each: Got = {
        taken: false,
        id: header('webhook-id'),
        timestamp: header('webhook-timestamp'),
        signature: header('webhook-signature'),
        body: Buffer.concat(chunks).toString(),
      };
      got.push(each);
      void manner(response).then((taken) => {
        each.taken = taken;
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, got };
}

/** What a receiver checks of a message: both signatures, without any code of the publisher. */
function requireSigned({ id, timestamp, signature, body }: Got, secret: string, key: string): void {
  const text = Buffer.from(`${id}.${timestamp}.${body}`);
  const [v1 = '', v1a = ''] = signature.split(' ');
  const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest();
  assert.ok(timingSafeEqual(Buffer.from(v1.slice(3), 'base64'), mac), 'v1');
  const x = Buffer.from(key, 'hex').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert.ok(verify(null, text, publicKey, Buffer.from(v1a.slice(4), 'base64')), 'v1a');
}

test(`webhooks: ${KILLS} kills in the middle of deliveries lose nothing and keep the order`, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'assay-webhook-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'data');
  await initData(dataFolder(folder), nodeSha256, () => 1_785_000_000, {
    origin: 'development/webhook-kill',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const receivers = await Promise.all(MANNERS.map((manner) => receiver(t, manner)));
  const ports = receivers.map(({ port }) => port).join(',');
  const command = (mode: string): readonly string[] => [
    process.execPath,
    WORKER,
    mode,
    folder,
    ports,
  ];

  for (let i = 0; i < KILLS; i += 1) {
    let timer: NodeJS.Timeout | undefined;
    const { signal, errors } = await run(command('endless'), {}, (child, text) => {
      if (timer !== undefined || !text.includes('ready\n')) return;
      timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * 200);
    });
    assert.equal(signal, 'SIGKILL', errors);
  }
  const { told, errors } = await run(command('rest'));
  assert.ok(told.done, errors);

  const lines = told.lines.map((line) => line.split(' '));
  const key = lines.find(([word]) => word === 'key')?.[1] ?? '';
  const entries = lines.filter(([word]) => word === 'entry');
  const reports = entries.filter(([, , , kind]) => kind === 'report');
  const expected = reports.map(([, seq, leaf]) => `${seq} ${leaf}`);
  // A checkpoint of the receiver's own: the entries that the messages name are those under its root.
  const data = await openData(dataFolder(folder), nodeSha256, { passphrase: undefined });
  const note = Buffer.from(lines.find(([word]) => word === 'note')?.[1] ?? '', 'base64');
  const checkpoint = data.checkpoints.open(note);
  await data.store.close();
  await data.guard.close();
  const leaves = entries.map(([, , leaf = '']) => toHash(parseHex(leaf, 32)));
  assert.equal(checkpoint.size, leaves.length);
  assert.equal(hashHex(rootOf(nodeSha256, leaves)), hashHex(checkpoint.root));

  const counts: string[] = [];
  for (const [i, { got }] of receivers.entries()) {
    const secret = lines.find(
      ([word, host]) => word === 'secret' && host === `r${i}.venue.com`,
    )?.[2];
    let last = -1;
    const ids = new Map<string, string>();
    const taken = new Set<number>();
    for (const each of got) {
      requireSigned(each, secret ?? '', key);
      const { data: told_ } = JSON.parse(each.body) as {
        readonly data: { readonly log: { readonly seq: number; readonly leaf_hash: string } };
      };
      const at = expected.indexOf(`${told_.log.seq} ${told_.log.leaf_hash}`);
      assert.ok(at >= 0, `receiver ${i} was told of an entry that is not in the log`);
      assert.ok(at === last || at === last + 1, `receiver ${i}: ${at} after ${last}`);
      // It goes on only after the message before was taken.
      assert.ok(at === last || at === 0 || taken.has(last), `receiver ${i}: ${at} too early`);
      last = at;
      if (each.taken) taken.add(at);
      // Under one id there is one message.
      assert.equal(ids.get(each.id) ?? each.body, each.body);
      ids.set(each.id, each.body);
    }
    assert.equal(last, expected.length - 1, `receiver ${i} has all`);
    assert.equal(taken.size, expected.length, `receiver ${i} has taken all`);
    assert.equal(ids.size, expected.length);
    counts.push(`${got.length}`);
  }
  t.diagnostic(
    `${KILLS} kills, ${expected.length} messages: the fast receiver was called ${counts.join(', the slow one ').replace(/, the slow one (\d+)$/, ', the failing one $1')} times`,
  );
});
