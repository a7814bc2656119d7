import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Level } from 'level';
import { Fault } from '@assay/core/fault';
import type { Payment } from '@assay/node/payment/record/payment';
import { mayBecome, PAYMENT_STATES, unansweredPayment } from '@assay/node/payment/record/payment';
import { PaymentStore } from '@assay/node/payment/record/payment-store';

function paymentOf(key: string, identifier: string, at_ms = 1): Payment {
  return {
    version: 1,
    key,
    identifier,
    fingerprint: 'f',
    resource: 'https://tier.example/board/at',
    path: '/board/at',
    terms: {
      scheme: 'exact',
      network: 'solana:1',
      amount: '10',
      asset: 'mint',
      payTo: 'seller',
      maxTimeoutSeconds: 60,
      extra: {},
    },
    payer: 'payer',
    transaction: 'AA==',
    at_ms,
    head: { slot: 7, height: 7 },
    answer: { content_type: 'a/b', bytes: 2, sha256: 's', leaf_hash: null, seq: null },
    state: 'settling',
    said: null,
    signature: null,
    response: null,
    paid_ms: null,
    received: null,
    kept: true,
  };
}

async function listed(payments: AsyncIterable<Payment>): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of payments) keys.push(key);
  return keys;
}

test('payment store: what was written is there in the next process, in its order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  await assert.rejects(PaymentStore.at(folder), (error) => {
    return error instanceof Fault && error.code === 'refused';
  });
  await store.add(paymentOf('bb', 'one', 20), Buffer.from('x1'));
  await store.add(paymentOf('aa', 'two', 3), Buffer.from('x2'));
  const first = await store.get('bb');
  assert.ok(first);
  await store.update(first, { state: 'confirmed', signature: 'sig', paid_ms: 30, response: 'r' });
  await store.close();
  const again = await PaymentStore.at(folder);
  t.after(() => again.close());
  assert.deepEqual(await listed(again.all()), ['aa', 'bb']);
  assert.deepEqual(await listed(again.all({ newest: true })), ['bb', 'aa']);
  assert.deepEqual(await listed(again.open()), ['aa', 'bb']);
  assert.equal((await again.byIdentifier('one'))?.signature, 'sig');
  assert.equal(await again.byIdentifier('on'), undefined);
  assert.equal(Buffer.from((await again.body('bb')) ?? []).toString(), 'x1');
});

test('payment store: a new payment takes over its identifier, and what is over is not open', async () => {
  const store = await PaymentStore.inMemory();
  await store.add(paymentOf('aa', 'one'), Buffer.from('x'));
  const first = await store.byIdentifier('one');
  assert.ok(first);
  await store.update(first, { state: 'failed', kept: false });
  assert.equal(await store.body('aa'), undefined);
  await store.add(paymentOf('bb', 'one'), Buffer.from('y'));
  assert.equal((await store.byIdentifier('one'))?.key, 'bb');
  assert.deepEqual(await listed(store.open()), ['bb']);
});

test('payment store: what was handed out is there until it has a record', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  for (const [key, identifier] of [
    ['aa', 'one'],
    ['bb', 'one'],
    ['cc', 'one-more'],
  ] as const) {
    await store.hand(paymentOf(key, identifier));
  }
  await store.close();
  const again = await PaymentStore.at(folder);
  t.after(() => again.close());
  const under = async (identifier: string): Promise<readonly string[]> =>
    (await again.handedUnder(identifier)).map(({ key }) => key);
  assert.deepEqual(await under('one'), ['aa', 'bb']);
  assert.deepEqual(await under('one-more'), ['cc']);
  assert.deepEqual(await under('on'), []);
  assert.equal((await again.handed('bb'))?.identifier, 'one');
  await again.add(paymentOf('aa', 'one'), Buffer.from('x'));
  assert.deepEqual(await under('one'), ['bb']);
  await again.unhand(paymentOf('bb', 'one'));
  assert.deepEqual(await under('one'), []);
  assert.equal(await again.handed('aa'), undefined);
  const left: string[] = [];
  for await (const { key } of again.allHanded()) left.push(key);
  assert.deepEqual(left, ['cc']);
});

test('payment store: a transfer of a version before, without the pattern of its path, is still read', async () => {
  const store = await PaymentStore.inMemory();
  const { path: _, ...before } = paymentOf('aa', 'one');
  await store.hand(before as Payment);
  assert.equal((await store.handed('aa'))?.path, '/board/at');
});

test('payment store: a payment that buys no answer has a record and no file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  t.after(() => store.close());
  await store.hand(paymentOf('aa', 'one'));
  await store.add(unansweredPayment(paymentOf('aa', 'one'), 'signature', 30), null);
  assert.equal(await store.handed('aa'), undefined);
  assert.deepEqual(await answersIn(folder), []);
  assert.deepEqual(await listed(store.open()), ['aa']);
  const { state, kept, signature, answer } = (await store.byIdentifier('one')) ?? {};
  assert.deepEqual([state, kept, signature], ['confirmed', false, 'signature']);
  assert.equal(answer?.sha256, createHash('sha256').digest('hex'));
});

test('payment store: what is handed out is counted, also by the next process, until it has a record', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  for (let i = 0; i < 16; i += 1) await store.hand(paymentOf(`k${i}`, `id ${i}`));
  assert.equal(store.tally.mayHand('payer'), false);
  assert.equal(store.tally.mayHand('another'), true);
  await store.close();
  const again = await PaymentStore.at(folder);
  t.after(() => again.close());
  assert.equal(again.tally.mayHand('payer'), false);
  await again.add(paymentOf('k3', 'id 3'), Buffer.from('x'));
  assert.equal(again.tally.mayHand('payer'), true);
  await again.hand(paymentOf('k3', 'id 3'));
  assert.equal(again.tally.mayHand('payer'), false);
  await again.unhand(paymentOf('k4', 'id 4'));
  assert.equal(again.tally.mayHand('payer'), true);
  const keys = async (after?: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { key } of again.allHanded(after)) found.push(key);
    return found;
  };
  const all = await keys();
  assert.equal(all.length, 15);
  assert.deepEqual(await keys(all[4]), [...all.slice(5), ...all.slice(0, 5)]);
  assert.deepEqual(await keys(all.at(-1)), all);
});

test('payment store: states only go on', async () => {
  const store = await PaymentStore.inMemory();
  await store.add(paymentOf('aa', 'one'), Buffer.from('x'));
  const payment = await store.get('aa');
  assert.ok(payment);
  await assert.rejects(store.update(payment, { state: 'lost' }), TypeError);
  await assert.rejects(store.update(payment, { key: 'bb' }), TypeError);
  for (const state of PAYMENT_STATES) {
    assert.equal(mayBecome('final', state), false);
    assert.equal(mayBecome('failed', state), false, 'what failed cannot run any more');
    assert.equal(mayBecome(state, 'settling'), false);
  }
});

test('payment store: an answer is listed from the time at which it could be given', async () => {
  const store = await PaymentStore.inMemory();
  await store.add(paymentOf('aa', 'one'), Buffer.from('x'));
  const kept = async (before: number): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const key of store.keptBefore(before)) keys.push(key);
    return keys;
  };
  assert.deepEqual(await kept(9999), []);
  const payment = await store.get('aa');
  assert.ok(payment);
  const paid = await store.update(payment, { state: 'confirmed', paid_ms: 1000 });
  assert.deepEqual(await kept(1000), []);
  assert.deepEqual(await kept(1001), ['aa']);
  await store.update(paid, { kept: false });
  assert.deepEqual(await kept(9999), []);
});

/** The names of the answers in the folder of a store. */
async function answersIn(folder: string): Promise<readonly string[]> {
  return (await readdir(join(folder, 'answers'))).sort();
}

test('payment store: answers are files, which are gone when nobody is to be given them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  await store.add(paymentOf('aa', 'one'), Buffer.from('first'));
  await store.add(paymentOf('bb', 'two'), Buffer.from('second'));
  assert.deepEqual(await answersIn(folder), ['aa', 'bb']);
  await store.update(paymentOf('bb', 'two'), { state: 'failed', kept: false });
  assert.deepEqual(await answersIn(folder), ['aa']);
  assert.equal(await store.body('bb'), undefined);
  await store.close();
  // What a process leaves that ends before the record is written, or after the record says that the answer goes.
  for (const name of ['bb', 'cc', '.aa.0123.tmp']) {
    await writeFile(join(folder, 'answers', name), 'left over');
  }
  const again = await PaymentStore.at(folder);
  assert.deepEqual(await answersIn(folder), ['aa']);
  assert.equal(String(await again.body('aa')), 'first');
  await again.close();
});

test('payment store: a copy has the records and none of the answers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  t.after(() => store.close());
  const body = randomBytes(1_000_000);
  for (const key of ['aa', 'bb']) await store.add(paymentOf(key, key), body);
  const copy = await PaymentStore.copyOf(folder);
  assert.equal((await copy.get('bb'))?.identifier, 'bb');
  assert.equal(await copy.body('bb'), undefined);
  const names = await readdir(folder, { withFileTypes: true });
  const records = names.filter((each) => each.isFile());
  const sizes = await Promise.all(records.map(({ name }) => stat(join(folder, name))));
  assert.ok(sizes.reduce((sum, { size }) => sum + size, 0) < 100_000, 'what is copied is small');
  await copy.close();
  assert.deepEqual(await answersIn(folder), ['aa', 'bb'], 'nothing of the store is touched');
});

test('payment store: an answer that was stored as a row of the database is still given', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const payment = paymentOf('aa', 'one');
  const before = new Level<string, Uint8Array>(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'view',
  });
  await before.put('payment/aa', Buffer.from(JSON.stringify(payment)));
  await before.put('body/aa', Buffer.from('as a row'));
  await before.put('open/aa', new Uint8Array());
  await before.close();
  const store = await PaymentStore.at(folder);
  assert.equal(String(await store.body('aa')), 'as a row');
  await store.update(payment, { state: 'failed', kept: false });
  assert.equal(await store.body('aa'), undefined);
  await store.close();
});

test('payment store: a record is written only where its answer could be', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const store = await PaymentStore.at(folder);
  t.after(() => store.close());
  await rm(join(folder, 'answers'), { recursive: true });
  await writeFile(join(folder, 'answers'), 'no folder');
  await assert.rejects(store.add(paymentOf('aa', 'one'), Buffer.from('x')), Fault);
  assert.equal(await store.get('aa'), undefined);
  assert.equal(await store.byIdentifier('one'), undefined);
});

/** Writes payments where no file may grow beyond a limit, and ends without closing the store. Prints what was acknowledged. */
const LIMITED = `
const [place, folder, first] = process.argv.slice(1);
const { PaymentStore } = await import(place);
const store = await PaymentStore.at(folder);
const payment = (key, bytes) => ({ ...JSON.parse(first), key, identifier: key, transaction: 'A'.repeat(bytes) });
const written = [];
for (const [key, bytes] of [['aa', 9], ['bb', 300_000], ['cc', 9], ['dd', 300_000], ['ee', 9], ['ff', 9]]) {
  const answer = await store.add(payment(key, bytes), Buffer.from('answer')).then(() => key, (error) => error.code);
  if (answer === key) await store.update(await store.get(key), { state: 'confirmed', paid_ms: 1 });
  written.push(answer);
}
process.stdout.write(JSON.stringify(written), () => process.kill(process.pid, 'SIGKILL'));
`;

test('payment store: what is acknowledged after a write that failed midway is there after a kill', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-'));
  t.after(() => rm(folder, { recursive: true }));
  const place = import.meta.resolve('@assay/node/payment/record/payment-store');
  const args = [place, folder, JSON.stringify(paymentOf('aa', 'aa'))];
  const command = 'ulimit -f 400; exec "$0" --input-type=module -e "$@"';
  const ended = promisify(execFile)('sh', ['-c', command, process.execPath, LIMITED, ...args]);
  const { stdout } = await ended.then(
    (each) => each,
    (error: { readonly stdout: string }) => error,
  );
  assert.deepEqual(JSON.parse(stdout), [
    'aa',
    'storage_failed',
    'cc',
    'storage_failed',
    'ee',
    'ff',
  ]);
  assert.deepEqual(await answersIn(folder), ['aa', 'cc', 'ee', 'ff'], 'no answer without a record');
  const again = await PaymentStore.at(folder);
  t.after(() => again.close());
  assert.deepEqual(await listed(again.all()), ['aa', 'cc', 'ee', 'ff']);
  assert.equal(String(await again.body('ff')), 'answer');
});
