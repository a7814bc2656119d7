import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { WindowTable } from '@assay/node/http/window-table';
import fc from 'fast-check';

/** The same bytes in every run, so that a test fails always or never. */
function bytes(size: number): Uint8Array {
  return createHash('shake256', { outputLength: size }).update('window table').digest();
}

function address(i: number): string {
  return `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
}

/** Fills every set: eight times as many clients as there are windows. */
const CROWD = 1_000_000;

test('window table: the quota, then nothing until the window that the first request began has ended', () => {
  const table = new WindowTable(3, 60, bytes);
  assert.equal(table.take('a', 100), 2);
  assert.equal(table.resetS, 60);
  assert.equal(table.take('a', 110.5), 1);
  assert.equal(table.resetS, 50);
  assert.equal(table.take('b', 120), 2);
  assert.equal(table.take('a', 159.9), 0);
  assert.equal(table.resetS, 1);
  assert.equal(table.take('a', 159.999), -1);
  assert.equal(table.resetS, 1);
  assert.equal(table.take('a', 160), 2);
  assert.equal(table.resetS, 60);
  assert.equal(table.take('b', 160), 1);
});

test('window table: no window is longer than it is, wherever the clock stands', () => {
  const table = new WindowTable(3, 60, bytes);
  for (let i = 0; i < 20_000; i += 1) {
    const now = 0.1 + i * 61.7;
    table.take('a', now);
    assert.equal(table.resetS, 60, String(now));
  }
});

test('window table: exact for as many clients as there usually are', () => {
  const steps = fc.array(fc.tuple(fc.nat(200), fc.nat(20)), { maxLength: 400 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (asked, quota) => {
      const table = new WindowTable(quota, 60, bytes);
      const model = new Map<number, { start: number; count: number }>();
      let now = 0;
      for (const [who, pause] of asked) {
        now += pause / 8;
        let window = model.get(who);
        if (window === undefined || now - window.start >= 60) {
          window = { start: now, count: 0 };
          model.set(who, window);
        }
        const expected = window.count < quota ? quota - window.count - 1 : -1;
        window.count = Math.min(quota, window.count + 1);
        assert.equal(table.take(address(who), now), expected);
        assert.equal(table.resetS, Math.ceil(window.start + 60 - now));
      }
    }),
  );
});

test('window table: a crowd costs no memory, frees no spent window and leaves newcomers most of theirs', () => {
  const table = new WindowTable(120, 60, bytes);
  const size = table.byteLength;
  assert.equal(size, 2 * 1024 * 1024);
  const spent = ['192.0.2.1', '2001:0db8:0000:0001::/64'];
  for (const client of spent) for (let i = 0; i < 120; i += 1) table.take(client, 0);
  for (let i = 0; i < CROWD; i += 1) assert.ok(table.take(address(i), 1) >= 0);
  assert.equal(table.byteLength, size);
  for (const client of spent) {
    assert.equal(table.take(client, 59), -1, client);
    assert.equal(table.take(client, 60), 119, client);
  }
  // What an ordinary client finds then: as many requests fewer as the crowd filled each window.
  for (let i = 0; i < 1000; i += 1) {
    const left = table.take(`198.51.${i >> 8}.${i & 255}`, 2);
    assert.ok(left > 120 - 30 && left < 119, `${left} left`);
  }
  assert.equal(table.take('203.0.113.1', 61), 119);
});

test('window table: in a full table nobody gets more than the quota, whoever was forced out', () => {
  const quota = 40;
  const table = new WindowTable(quota, 60, bytes);
  const clients = Array.from({ length: 500 }, (_, i) => `198.51.${i >> 8}.${i & 255}`);
  const passed = new Map<string, number>();
  for (let round = 0; round < 10; round += 1) {
    for (let i = 0; i < 200_000; i += 1) table.take(address(round * 200_000 + i), 1);
    for (const client of clients) {
      for (let i = 0; i < 8; i += 1) {
        if (table.take(client, 1) >= 0) passed.set(client, (passed.get(client) ?? 0) + 1);
      }
    }
  }
  assert.ok(Math.max(...passed.values()) <= quota);
  assert.ok(Math.min(...passed.values()) > 0);
});

test('window table: where every window of a set is spent, a newcomer waits for the first to end', () => {
  const table = new WindowTable(1, 60, bytes);
  for (let i = 0; i < CROWD; i += 1) table.take(address(i), i < CROWD / 2 ? 0 : 10);
  assert.equal(table.take('203.0.113.1', 20), -1);
  assert.equal(table.resetS, 40);
  assert.equal(table.take('203.0.113.1', 60), 0);
});

test('window table: sets are not distinguished by anything that a client can know', () => {
  const other = (size: number): Uint8Array => bytes(size + 1).subarray(1);
  const fill = (random: (size: number) => Uint8Array): string => {
    const table = new WindowTable(1, 60, random);
    let taken = '';
    for (let i = 0; i < CROWD / 4; i += 1) taken += table.take(address(i), 0) < 0 ? '1' : '0';
    return createHash('sha256').update(taken).digest('hex');
  };
  assert.equal(fill(bytes), fill(bytes));
  assert.notEqual(fill(bytes), fill(other));
});
