import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSourceJson, type SourceRecord } from '@assay/core/source/source-json';
import {
  countOf,
  flagOf,
  optionalFlag,
  optionalText,
  recordOf,
  requireOnce,
  rowsOf,
  someRows,
  textOf,
} from '@assay/node/terminal/venue/product-row';
import { NO_LIMIT } from '@assay/core/work-budget';

const ROW = parseSourceJson('{"t":"a","f":true,"n":12,"x":null}', NO_LIMIT) as SourceRecord;

test('product row: members of the right type', () => {
  assert.equal(recordOf(ROW, 'row'), ROW);
  assert.equal(textOf(ROW, 't'), 'a');
  assert.equal(optionalText(ROW, 'none'), undefined);
  assert.equal(flagOf(ROW, 'f'), true);
  assert.equal(optionalFlag(ROW, 'none'), false);
  assert.equal(countOf(ROW.get('n'), 'n'), 12);
  assert.deepEqual(rowsOf([], 'list'), []);
  assert.deepEqual(someRows([ROW], 'list'), [ROW]);
  requireOnce(['a', 'b']);
});

test('product row: anything else is malformed, and nothing of it is quoted', () => {
  const cases: readonly (() => unknown)[] = [
    () => recordOf(['hostile'], 'row'),
    () => recordOf(undefined, 'row'),
    () => textOf(ROW, 'n'),
    () => textOf(ROW, 'none'),
    () => optionalText(ROW, 'x'),
    () => flagOf(ROW, 't'),
    () => optionalFlag(ROW, 'x'),
    () => countOf('12', 'n'),
    () => countOf({ number: '1e3' }, 'n'),
    () => countOf({ number: '-1' }, 'n'),
    () => countOf({ number: '1234567890123456' }, 'n'),
    () => countOf(null, 'n'),
    () => rowsOf('hostile', 'list'),
    () => rowsOf([ROW, 'hostile'], 'list'),
    () =>
      rowsOf(
        Array.from({ length: 50_001 }, () => ROW),
        'list',
      ),
    () => someRows([], 'list'),
    () => requireOnce(['hostile', 'b', 'hostile']),
  ];
  for (const run of cases) {
    assert.throws(run, (error: Error & { code?: string }) => {
      assert.equal(error.code, 'malformed');
      assert.doesNotMatch(error.message, /hostile/);
      return true;
    });
  }
});
