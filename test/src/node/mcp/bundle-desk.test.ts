import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { BundleDesk, type Gathered } from '@assay/node/mcp/bundle-desk';
import type { MadeBundle } from '@assay/verifier/client/bundle-maker';

const bundle = (bytes: number): MadeBundle => ({ bytes: new Uint8Array(bytes) }) as MadeBundle;

test('bundle desk: two at once, eight who wait, and the rest is told so before anything is counted', async () => {
  const desk = new BundleDesk();
  let atOnce = 0;
  let most = 0;
  let charged = 0;
  const ends: (() => void)[] = [];
  const gather = async (): Promise<MadeBundle> => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise<void>((resolve) => void ends.push(resolve));
    atOnce -= 1;
    return bundle(1);
  };
  const charge = (): undefined => void (charged += 1);
  const all: Promise<Gathered>[] = [];
  for (let i = 0; i < 12; i += 1) all.push(desk.bundle(`b${i}`, gather, { charge }));
  await setImmediate();
  assert.deepEqual([(await all[10])?.kind, (await all[11])?.kind, charged], ['busy', 'busy', 10]);
  for (let i = 0; i < 10; i += 1) {
    ends.shift()?.();
    await setImmediate();
  }
  const kinds = (await Promise.all(all)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === 'made').length, 10);
  assert.equal(most, 2);
  assert.equal((await desk.bundle('b10', () => Promise.resolve(bundle(1)))).kind, 'made');
});

test('bundle desk: at the deadline, and when the client leaves, the work is told to end', async () => {
  const desk = new BundleDesk(20);
  const ended: unknown[] = [];
  const stuck = (signal: AbortSignal): Promise<MadeBundle> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended.push(signal.reason);
        reject(signal.reason as Error);
      });
    });
  await assert.rejects(desk.bundle('a', stuck), /expected an answer within 20 ms/);
  const leave = new AbortController();
  const left = desk.bundle('b', stuck, { signal: leave.signal });
  leave.abort();
  await assert.rejects(left, /given up/);
  assert.equal(ended.length, 2);
  // Who left while waiting is not gathered for, and leaves no place taken.
  const slow = new BundleDesk();
  const ends: (() => void)[] = [];
  const wait = (): Promise<MadeBundle> =>
    new Promise((resolve) => void ends.push(() => resolve(bundle(1))));
  const first = [slow.bundle('a', wait), slow.bundle('b', wait)];
  const gone = new AbortController();
  let forNobody = 0;
  const count = (): Promise<MadeBundle> => {
    forNobody += 1;
    return Promise.resolve(bundle(1));
  };
  const third = slow.bundle('c', count, { signal: gone.signal });
  gone.abort();
  await assert.rejects(third, /given up/);
  for (const end of ends) end();
  await Promise.all(first);
  await setImmediate();
  assert.equal(forNobody, 0);
  for (let i = 0; i < 10; i += 1) {
    const made = slow.bundle(`d${i}`, () => Promise.resolve(bundle(1)));
    assert.equal((await made).kind, 'made');
  }
});

test('bundle desk: a bundle is kept for a minute, while there is room, and until it is cleared', async () => {
  let now = 0;
  const desk = new BundleDesk(1000, () => now);
  let made = 0;
  const ask = async (name: string, bytes = 10): Promise<number> => {
    const before = made;
    await desk.bundle(name, () => {
      made += 1;
      return Promise.resolve(bundle(bytes));
    });
    return made - before;
  };
  assert.deepEqual([await ask('a'), await ask('a')], [1, 0]);
  now = 59_999;
  assert.equal(await ask('a'), 0);
  now = 60_000;
  assert.equal(await ask('a'), 1);
  assert.equal(await ask('big', 10 * 1024 * 1024), 1);
  assert.equal(await ask('bigger', 10 * 1024 * 1024), 1);
  assert.deepEqual([await ask('bigger'), await ask('big', 1)], [0, 1]);
  desk.clear();
  assert.equal(await ask('bigger'), 1);
  await assert.rejects(
    desk.bundle('no', () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await ask('no'), 1);
});
