import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SortedKeys } from '@assay/node/ledger/store/sorted-keys';
import fc from 'fast-check';

/** Keys that share their beginnings, as those of rows do, and some that sort otherwise as bytes than as texts. */
const KEY = fc.oneof(
  fc.nat(3000).map((n) => `periods/T${n % 3}\0${String(n).padStart(6, '0')}`),
  fc.string({ maxLength: 4 }),
  fc.constantFrom('\u{1f600}', '\uffff', '\ue000a', 'é', ''),
);

function byBytes(keys: Iterable<string>): readonly Uint8Array[] {
  return [...keys].map((key) => Buffer.from(key, 'utf8')).sort((a, b) => Buffer.compare(a, b));
}

test('sorted keys: added in any order or loaded, they are a sorted set, in ranges up and down', () => {
  const texts = fc.array(KEY, { maxLength: 900 });
  fc.assert(
    fc.property(texts, texts, KEY, KEY, (loaded, added, from, to) => {
      const loader = SortedKeys.load();
      for (const key of byBytes(new Set(loaded.map((each) => wellFormed(each))))) loader.add(key);
      const keys = loader.done();
      const model = new Set(loaded.map((each) => wellFormed(each)));
      for (const key of added.map((each) => wellFormed(each))) {
        assert.equal(keys.add(key), !model.has(key));
        model.add(key);
      }
      const sorted = [...model].sort();
      assert.equal(keys.size, sorted.length);
      const range = sorted.filter((key) => key >= from && key < to);
      assert.deepEqual([...keys.range(from, to)], range);
      assert.deepEqual([...keys.rangeBack(from, to)], range.toReversed());
      for (const key of [from, to, ...added.slice(0, 5)]) {
        assert.equal(keys.has(key), model.has(key));
      }
    }),
    { numRuns: 60 },
  );
});

/** A text that is the same after UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

test('sorted keys: what is added while they are read does not repeat a key, nor pass the end', () => {
  const keys = new SortedKeys();
  const name = (n: number): string => String(n).padStart(6, '0');
  const model = new Set<string>();
  const add = (n: number): void => {
    keys.add(name(n));
    model.add(name(n));
  };
  for (let n = 0; n < 2000; n += 2) add(n);
  const seen: string[] = [];
  for (const key of keys.range('', 'x')) {
    seen.push(key);
    add(Number(key) + 1);
    add(5000 + Number(key));
  }
  assert.deepEqual([...new Set(seen)].sort(), seen);
  assert.equal(seen.at(-1), name(1998));
  assert.deepEqual([...keys.rangeBack('', 'x')], [...model].sort().reverse());
});

test('sorted keys: keys of rows take few bytes, however many there are', () => {
  const keys = new SortedKeys();
  const most = 20_000;
  for (let n = 0; n < most; n += 1) {
    keys.add(`reports/LAYOFFS/${2000 + Math.floor(n / 40)}-01-01\0${String(n).padStart(6, '0')}`);
  }
  assert.equal(keys.size, most);
  assert.ok(keys.packedBytes < 16 * most, `${keys.packedBytes / most} bytes a key`);
});
