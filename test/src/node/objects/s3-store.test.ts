import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { messageOf } from '@assay/core/fault';
import { createObject, type NewObject, swapObject } from '@assay/node/objects/object-store';
import { objectUrl } from '@assay/node/objects/s3-store';
import { type Mishap, s3Server, S3_KEYS } from '../fixture/s3-server.ts';

const text = (words: string): NewObject => ({
  bytes: formatUtf8(words),
  contentType: 'text/plain; charset=utf-8',
  cacheControl: 'no-cache',
});

/** Lets each request of a method go wrong once. */
function once(method: string, mishap: Mishap): (asked: { method: string }) => Mishap | undefined {
  let left = 1;
  return (asked) => {
    if (asked.method !== method || left === 0) return undefined;
    left -= 1;
    return mishap;
  };
}

test('s3 store: objects come back with what they were written with, below the prefix', async (t) => {
  const server = await s3Server(t, 'logs/one/');
  const store = server.store();
  assert.equal(await store.read('a/b', 100), undefined);
  const etag = await store.put('a/b', text('words'));
  const found = await store.read('a/b', 100);
  assert.deepEqual(found, { bytes: formatUtf8('words'), etag });
  const [[key, stored] = []] = [...server.objects];
  assert.equal(key, 'logs/one/a/b');
  assert.equal(stored?.headers['cache-control'], 'no-cache');
  assert.equal(stored.headers['content-type'], 'text/plain; charset=utf-8');
  await store.remove('a/b');
  await store.remove('a/b');
  assert.equal(await store.read('a/b', 100), undefined);
});

test('s3 store: an object larger than what was asked for is cut off with a code', async (t) => {
  const store = (await s3Server(t)).store();
  await store.put('a', text('more than that'));
  await assert.rejects(store.read('a', 5), { code: 'too_large' });
});

test('s3 store: conditions are passed on, and a missing object meets no tag', async (t) => {
  const store = (await s3Server(t)).store();
  const etag = (await store.put('a', text('one'), 'absent')) as string;
  assert.equal(await store.put('a', text('two'), 'absent'), undefined);
  assert.equal(await store.put('b', text('two'), { etag }), undefined);
  assert.equal(await store.read('b', 100), undefined);
  assert.notEqual(await store.put('a', text('two'), { etag }), undefined);
  assert.equal(await store.put('a', text('three'), { etag }), undefined);
  assert.deepEqual((await store.read('a', 100))?.bytes, formatUtf8('two'));
});

for (const mishap of [
  { kind: 'status', status: 500, code: 'InternalError' },
  { kind: 'status', status: 503, code: 'SlowDown' },
  { kind: 'status', status: 429, code: 'TooManyRequests' },
  { kind: 'status', status: 409, code: 'ConditionalRequestConflict' },
  { kind: 'status', status: 400, code: 'RequestTimeout' },
  { kind: 'cut before' },
  { kind: 'cut after' },
] as const satisfies readonly Mishap[]) {
  const name = mishap.kind === 'status' ? `${mishap.status} ${mishap.code}` : mishap.kind;
  test(`s3 store: a create and a swap come through once after ${name}`, async (t) => {
    const server = await s3Server(t);
    const store = server.store();
    server.mishap = once('PUT', mishap);
    const made = await createObject(store, 'a', text('one'));
    assert.equal(made, mishap.kind === 'cut after' ? 'there' : 'created');
    const etag = (await store.read('a', 100))?.etag;
    server.mishap = once('PUT', mishap);
    assert.equal(await swapObject(store, 'a', text('two'), etag), true);
    assert.equal(await swapObject(store, 'a', text('three'), etag), false);
    assert.deepEqual((await store.read('a', 100))?.bytes, formatUtf8('two'));
    server.mishap = once('GET', mishap);
    assert.deepEqual((await store.read('a', 100))?.bytes, formatUtf8('two'));
  });
}

test('s3 store: other bytes in the place of an object are a fault, and stay', async (t) => {
  const store = (await s3Server(t)).store();
  await createObject(store, 'a', text('one'));
  assert.equal(await createObject(store, 'a', text('one')), 'there');
  await assert.rejects(createObject(store, 'a', text('other')), { code: 'objects_differ' });
  assert.deepEqual((await store.read('a', 100))?.bytes, formatUtf8('one'));
});

test('s3 store: it gives up after so many tries, and at once where it is refused', async (t) => {
  const server = await s3Server(t);
  const store = server.store({ tries: 3 });
  server.mishap = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
  await assert.rejects(store.put('a', text('one')), { code: 'unreachable' });
  assert.equal(server.asked.length, 3);
  server.mishap = () => ({ kind: 'status', status: 403, code: 'SignatureDoesNotMatch' });
  await assert.rejects(store.read('a', 100), (error) => {
    assert.match(messageOf(error), /status 403 SignatureDoesNotMatch to GET/);
    return true;
  });
  assert.equal(server.asked.length, 4);
  server.mishap = () => ({ kind: 'status', status: 307, code: 'TemporaryRedirect' });
  await assert.rejects(store.read('a', 100), { code: 'redirect_refused' });
});

test('s3 store: a try without an answer ends by its time, and a closed store asks nobody', async (t) => {
  const server = await s3Server(t);
  server.mishap = () => ({ kind: 'status', status: 200, code: 'none' });
  const slow = server.store({ tries: 1, tryMs: 1 });
  await assert.rejects(slow.put('a', text('x'.repeat(1_000_000))), { code: 'timeout' });
  const closed = server.store();
  closed.close();
  const before = server.asked.length;
  await assert.rejects(closed.read('a', 100), { code: 'unreachable' });
  assert.equal(server.asked.length, before);
});

test('s3 store: no error has an address or a credential in it', async (t) => {
  const server = await s3Server(t);
  const errors: string[] = [];
  for (const mishap of [
    { kind: 'cut before' },
    { kind: 'status', status: 403, code: 'AccessDenied' },
    { kind: 'status', status: 301, code: 'PermanentRedirect' },
    { kind: 'status', status: 500, code: 'InternalError' },
  ] as const satisfies readonly Mishap[]) {
    server.mishap = () => mishap;
    await server
      .store({ tries: 1 })
      .put('a', text('one'))
      .catch((error: unknown) => errors.push(`${messageOf(error)} ${(error as Error).stack}`));
  }
  assert.equal(errors.length, 4);
  for (const each of errors) {
    assert.doesNotMatch(each, new RegExp(`${S3_KEYS.keyId}|${S3_KEYS.secret}|http://127`));
  }
});

test('s3 store: the address of an object in both styles', () => {
  const place = { endpoint: 'https://s3.test', bucket: 'b', prefix: 'p/' };
  const inPath = { ...place, pathStyle: true };
  assert.equal(objectUrl(inPath, 'tile/0/000.p/5'), 'https://s3.test/b/p/tile/0/000.p/5');
  const inHost = { ...place, prefix: '', pathStyle: false };
  assert.equal(objectUrl(inHost, 'checkpoint'), 'https://b.s3.test/checkpoint');
  const below = { ...inPath, endpoint: 'http://127.0.0.1:9000/s3' };
  assert.equal(objectUrl(below, 'a b'), 'http://127.0.0.1:9000/s3/b/p/a%20b');
});
