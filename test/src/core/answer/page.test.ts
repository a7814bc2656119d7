import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CURSOR_TEXT,
  formatCursor,
  type PagedList,
  parseCursor,
  takePage,
} from '@assay/core/answer/page';
import fc from 'fast-check';

const PLACES: Readonly<Record<PagedList, string>> = {
  receipts: '41',
  dataset: '0',
  questions: '2026-03-01T00:15:00Z SOL 01234567-89ab-8def-8123-456789abcdef',
  rounds: '2026-08-06T07:30:00Z layoffs-2026-08-05',
  periods: '2026-07-25',
};
const LISTS = Object.keys(PLACES) as PagedList[];

test('page: a cursor has the place of its list, and is one of no other', () => {
  for (const list of LISTS) {
    const cursor = formatCursor(list, PLACES[list]);
    assert.match(cursor, CURSOR_TEXT);
    assert.equal(parseCursor(list, cursor), PLACES[list]);
    for (const other of LISTS) {
      if (other === list) continue;
      assert.throws(() => parseCursor(other, cursor), { code: 'malformed' }, `${list} ${other}`);
    }
  }
  assert.equal(parseCursor('receipts', ''), undefined, 'the beginning');
});

test('page: what was not made as a cursor is none', () => {
  const made = (text: string): string => Buffer.from(text).toString('base64url');
  assert.equal(parseCursor('receipts', made('receipts 41')), '41');
  for (const text of [
    'receipts',
    'receipts ',
    'receipts 041',
    'receipts -1',
    'receipts 1e9',
    'receipts 41 ',
    ' 41',
  ]) {
    assert.throws(() => parseCursor('receipts', made(text)), { code: 'malformed' }, text);
  }
  assert.throws(() => parseCursor('periods', made('periods 2026-7-1')), { code: 'malformed' });
  // A place that no row can have: read as a text, it would stand before or after all others.
  for (const [list, place] of [
    ['periods', '2026-99-99'],
    ['periods', '0000-00-00'],
    ['periods', '2026-02-30'],
    ['rounds', '2026-08-06T24:30:00Z layoffs-2026-08-05'],
    ['rounds', '9999-99-99T99:99:99Z layoffs-2026-08-05'],
    ['questions', '2026-02-29T00:15:00Z SOL 01234567-89ab-8def-8123-456789abcdef'],
  ] as const) {
    assert.throws(() => parseCursor(list, made(`${list} ${place}`)), { code: 'malformed' }, place);
  }
  assert.throws(() => parseCursor('receipts', `${made('receipts 41')}=`), { code: 'malformed' });
  fc.assert(
    fc.property(fc.constantFrom(...LISTS), fc.stringMatching(CURSOR_TEXT), (list, text) => {
      try {
        const place = parseCursor(list, text);
        assert.equal(place === undefined ? '' : formatCursor(list, place), text);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'malformed');
      }
    }),
  );
});

test('page: another page follows exactly where another row does', () => {
  let taken = 0;
  function* rows(): Generator<readonly [string, number]> {
    for (let i = 0; i < 5; i += 1) {
      taken += 1;
      yield [String(i), i];
    }
  }
  assert.deepEqual(takePage('receipts', rows(), 3), {
    rows: [0, 1, 2],
    next: formatCursor('receipts', '2'),
  });
  assert.equal(taken, 4, 'one more is looked at');
  assert.deepEqual(takePage('receipts', rows(), 5), { rows: [0, 1, 2, 3, 4], next: null });
  assert.deepEqual(takePage('receipts', [], 5), { rows: [], next: null });
});
