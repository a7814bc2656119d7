import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastSigned } from '@assay/node/ledger/guard/last-signed';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import type { NoteSlot } from '@assay/node/ledger/guard/note-slot';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A slot that counts its swaps, and fails while `fails` is set. */
function counting(): NoteSlot & { swaps: number; fails: boolean } {
  const slot = new MemoryNoteSlot();
  const counted = {
    swaps: 0,
    fails: false,
    read: () => slot.read(),
    reopen: () => slot.reopen(),
    close: () => slot.close(),
    async swap(expected: Uint8Array | undefined, next: Uint8Array) {
      await new Promise((resolve) => setImmediate(resolve));
      if (counted.fails) throw new Error('EIO');
      counted.swaps += 1;
      await slot.swap(expected, next);
    },
  };
  return counted;
}

test('LastSigned: of many notes that come at once the first and the last are stored', async () => {
  const slot = counting();
  const signed = new LastSigned(slot);
  assert.equal(await signed.read(), undefined);
  for (let i = 0; i < 9; i += 1) signed.put(bytes(`note ${i}`));
  assert.deepEqual(await signed.read(), bytes('note 8'));
  assert.ok(slot.swaps <= 2, `${slot.swaps}`);
  await signed.close();
});

test('LastSigned: a note that cannot be stored is no error, and the next one is tried', async () => {
  const slot = counting();
  const signed = new LastSigned(slot);
  signed.put(bytes('one'));
  assert.deepEqual(await signed.read(), bytes('one'));
  slot.fails = true;
  signed.put(bytes('two'));
  assert.deepEqual(await signed.read(), bytes('one'));
  slot.fails = false;
  signed.put(bytes('three'));
  assert.deepEqual(await signed.read(), bytes('three'));
});
