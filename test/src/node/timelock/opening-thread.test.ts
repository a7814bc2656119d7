import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { sealTo } from '@assay/core/timelock/sealed';
import { openAllSealed } from '@assay/node/timelock/opening-thread';
import { OWN, SEALED, vectorSignature } from '../../core/timelock/timelock-vectors.ts';

const SIGNATURE = parseHex(vectorSignature('own', 1));
const VECTORS = SEALED.filter(({ chain, round }) => chain === 'own' && round === 1);

/** So many messages that each tell their number. */
function numbered(count: number): readonly Uint8Array[] {
  const sealer = sealTo(OWN, 1);
  return Array.from({ length: count }, (_, i) =>
    sealer.seal(new Uint8Array(32).fill(i), new Uint8Array(32).fill(255 - i)),
  );
}

test('opening thread: what opens and what does not, each in its place', async () => {
  const [first, second] = VECTORS.map(({ sealed }) => parseHex(sealed));
  assert.ok(first !== undefined && second !== undefined);
  const broken = first.slice();
  broken[159] = (broken[159] as number) ^ 1;
  const others = [new Uint8Array(0), new Uint8Array(159), new Uint8Array(1_000_000), broken];
  const opened = await openAllSealed(SIGNATURE, [broken, first, ...others, second, first]);
  const message = VECTORS[0]?.message;
  assert.deepEqual(
    opened.map((each) => each && formatHex(each)),
    [undefined, message, undefined, undefined, undefined, undefined, message, message],
  );
  assert.deepEqual(await openAllSealed(SIGNATURE, []), []);
  assert.deepEqual(await openAllSealed(new Uint8Array(48), [first]), [undefined]);
});

test('opening thread: several batches come in order, also of buffers that share their memory', async () => {
  const count = 60;
  const shared = Buffer.concat(numbered(count));
  const parts = Array.from({ length: count }, (_, i) => shared.subarray(160 * i, 160 * (i + 1)));
  const progress: number[] = [];
  const opened = await openAllSealed(SIGNATURE, parts, {
    onProgress: (done) => progress.push(done),
  });
  assert.deepEqual(
    opened.map((each) => each?.[0]),
    Array.from({ length: count }, (_, i) => i),
  );
  assert.deepEqual(progress, [25, 50, 60]);
});

test('opening thread: this thread has its turns meanwhile', async () => {
  const sealed = numbered(10);
  const state = { turns: 0, isDone: false };
  const work = openAllSealed(SIGNATURE, sealed).finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    await turn();
    state.turns += 1;
  }
  assert.equal((await work).length, 10);
  // Done here it would give no turn but the one that follows it.
  assert.ok(state.turns > 20, `${state.turns}`);
});

test('opening thread: a signal ends what is under way and what waits, and the next goes on', async () => {
  const [sealed] = numbered(1) as readonly [Uint8Array];
  const many = Array.from({ length: 1000 }, () => sealed);
  const stop = new AbortController();
  const begin = (): Promise<unknown> =>
    openAllSealed(SIGNATURE, many, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    });
  const ended = await Promise.allSettled([begin(), begin()]);
  for (const each of ended) {
    assert.equal(each.status, 'rejected');
    assert.match(String(each.reason), /enough/);
  }
  assert.equal((await openAllSealed(SIGNATURE, [sealed]))[0]?.[0], 0);
  await assert.rejects(openAllSealed(SIGNATURE, [sealed], { signal: stop.signal }), /enough/);
});
