import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode, messageOf } from '@assay/core/fault';
import type { ObjectStore } from '@assay/node/objects/object-store';
import { probeConditions } from '@assay/node/objects/probe';
import { ProbedStore } from '@assay/node/objects/probed-store';
import { MemoryObjects } from '../fixture/memory-objects.ts';
import { s3Server } from '../fixture/s3-server.ts';

test('probe: a store that keeps the conditions passes, and nothing is left in it', async (t) => {
  const server = await s3Server(t);
  await probeConditions(server.store());
  assert.ok(server.asked.length > 20);
  assert.equal(server.objects.size, 0);
});

test('probe: a store that takes the conditions and ignores them is refused, in words', async (t) => {
  const server = await s3Server(t);
  server.ignoresConditions = true;
  await assert.rejects(probeConditions(server.store()), (error) => {
    assert.match(messageOf(error), /it took the second create of one object/);
    assert.equal(faultCode(error), 'objects_unsafe');
    return true;
  });
  assert.equal(server.objects.size, 0);
});

test('probe: lost answers and busy moments fail nobody', async (t) => {
  const server = await s3Server(t);
  let count = 0;
  server.mishap = () => {
    count += 1;
    if (count % 3 === 0) return { kind: 'cut after' };
    if (count % 5 === 0) return { kind: 'status', status: 500, code: 'InternalError' };
    return undefined;
  };
  await probeConditions(server.store({ tries: 20 }));
});

/** Stores that keep most conditions: what each does, and how it is found. */
const LOOSE: readonly (readonly [
  name: string,
  says: RegExp,
  put: (
    store: MemoryObjects,
    ...given: Parameters<ObjectStore['put']>
  ) => ReturnType<ObjectStore['put']>,
])[] = [
  [
    'takes any tag',
    /a tag that no object has/,
    (store, path, object, condition) =>
      store.put(path, object, typeof condition === 'object' ? undefined : condition),
  ],
  [
    'swaps what is not there',
    /a swap of an object that was not there/,
    (store, path, object, condition) =>
      store.put(path, object, store.objects.has(path) ? condition : undefined),
  ],
  [
    'says that it refused, and writes',
    /other bytes, or none, after a create that it refused/,
    async (store, path, object, condition) => {
      const etag = await store.put(path, object, condition);
      if (etag === undefined && condition === 'absent') await store.put(path, object);
      return etag;
    },
  ],
  [
    'refuses every swap',
    /it refused a swap with that tag/,
    (store, path, object, condition) =>
      typeof condition === 'object'
        ? Promise.resolve(undefined)
        : store.put(path, object, condition),
  ],
  [
    'decides before it waits: two creates at once win',
    /it told \d writers that they had won/,
    async (store, path, object, condition) => {
      const may = condition !== 'absent' || !store.objects.has(path);
      await new Promise((resolve) => setImmediate(resolve));
      return may && condition === 'absent'
        ? store.put(path, object)
        : store.put(path, object, condition);
    },
  ],
  [
    'decides before it waits: two swaps at once win',
    /it told \d writers that they had won/,
    async (store, path, object, condition) => {
      const now = (await store.read(path, 1000))?.etag;
      const may = typeof condition === 'object' && condition.etag === now;
      await new Promise((resolve) => setImmediate(resolve));
      return may ? store.put(path, object) : store.put(path, object, condition);
    },
  ],
];

for (const [name, says, put] of LOOSE) {
  test(`probe: a store that ${name} is refused`, async () => {
    const memory = new MemoryObjects();
    const store: ObjectStore = {
      put: (...given) => put(memory, ...given),
      read: memory.read,
      remove: memory.remove,
    };
    await assert.rejects(probeConditions(store), (error) => {
      assert.match(messageOf(error), says);
      assert.equal(faultCode(error), 'objects_unsafe');
      return true;
    });
    assert.equal(memory.objects.size, 0);
  });
}

test('probed store: nothing is written before the probe was passed, and never after it failed', async (t) => {
  const server = await s3Server(t);
  const store = new ProbedStore(server.store({ tries: 1 }));
  const object = { bytes: new Uint8Array(1), contentType: 'text/plain', cacheControl: 'no-store' };
  server.mishap = () => ({ kind: 'status', status: 503, code: 'SlowDown' });
  await assert.rejects(store.put('a', object), { code: 'unreachable' });
  server.mishap = () => undefined;
  await store.put('a', object);
  assert.deepEqual([...server.objects.keys()], ['a']);
  const asked = server.asked.length;
  await store.put('b', object);
  assert.equal(server.asked.length, asked + 1, 'it is probed once');

  server.ignoresConditions = true;
  const refused = new ProbedStore(server.store());
  await assert.rejects(refused.put('c', object), { code: 'objects_unsafe' });
  server.ignoresConditions = false;
  await assert.rejects(refused.put('c', object), { code: 'objects_unsafe' });
  await assert.rejects(refused.remove('a'), { code: 'objects_unsafe' });
  assert.deepEqual([...server.objects.keys()], ['a', 'b']);
});
