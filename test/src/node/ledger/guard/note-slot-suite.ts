import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { NoteSlot } from '@assay/node/ledger/guard/note-slot';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What every head guard does. `make` gives one that has never held a head. */
export function noteSlotSuite(name: string, make: (t: TestContext) => Promise<NoteSlot>): void {
  const conflict = { name: 'Fault', code: 'guard_conflict' };

  test(`${name}: holds nothing at first, then what was swapped in last`, async (t) => {
    const guard = await make(t);
    assert.equal(await guard.read(), undefined);
    let held: Uint8Array | undefined;
    for (let i = 0; i < 9; i += 1) {
      const next = bytes(`head ${i}`);
      await guard.swap(held, next);
      assert.deepEqual(await guard.read(), next);
      held = next;
    }
  });

  test(`${name}: a swap from another head is a conflict and changes nothing`, async (t) => {
    const guard = await make(t);
    await assert.rejects(guard.swap(bytes('a'), bytes('b')), conflict);
    assert.equal(await guard.read(), undefined);
    await guard.swap(undefined, bytes('a'));
    for (const wrong of [undefined, bytes('b'), bytes(''), bytes('aa')]) {
      await assert.rejects(guard.swap(wrong, bytes('c')), conflict);
      assert.deepEqual(await guard.read(), bytes('a'));
    }
    await guard.swap(bytes('a'), bytes('b'));
    await assert.rejects(guard.swap(bytes('a'), bytes('b')), conflict);
  });

  test(`${name}: an empty head is not the absence of one`, async (t) => {
    const guard = await make(t);
    await guard.swap(undefined, bytes(''));
    assert.deepEqual(await guard.read(), bytes(''));
    await assert.rejects(guard.swap(undefined, bytes('a')), conflict);
    await guard.swap(bytes(''), bytes('a'));
  });

  test(`${name}: of many swaps from one head in flight, one happens`, async (t) => {
    const guard = await make(t);
    for (const from of [undefined, bytes('held')]) {
      if (from !== undefined) await guard.swap(await guard.read(), from);
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) => guard.swap(from, bytes(`${i}`)).then(() => `${i}`)),
      );
      const won = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      assert.equal(won.length, 1);
      assert.deepEqual(await guard.read(), bytes(won[0] as string));
    }
  });

  test(`${name}: opened anew it holds what it held`, async (t) => {
    const guard = await make(t);
    await guard.reopen();
    assert.equal(await guard.read(), undefined);
    await guard.swap(undefined, bytes('a'));
    await guard.reopen();
    assert.deepEqual(await guard.read(), bytes('a'));
    await guard.swap(bytes('a'), bytes('b'));
  });

  test(`${name}: bytes that a caller changes later are not the guard's`, async (t) => {
    const guard = await make(t);
    const given = bytes('head');
    const swapped = guard.swap(undefined, given);
    given[0] = 0;
    await swapped;
    const read = await guard.read();
    assert.deepEqual(read, bytes('head'));
    (read as Uint8Array)[0] = 0;
    assert.deepEqual(await guard.read(), bytes('head'));
  });

  test(`${name}: any bytes, up to a signed checkpoint with many lines`, async (t) => {
    const guard = await make(t);
    const head = Uint8Array.from({ length: 4000 }, (_, i) => i);
    await guard.swap(undefined, head);
    assert.deepEqual(await guard.read(), head);
  });
}
