import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecutedTransaction } from '@assay/chain/development/execution';
import { boundedHistory } from '@assay/chain/development/history';

function executed(signature: string, ...addresses: string[]): ExecutedTransaction {
  return { wire: { signature }, addresses } as unknown as ExecutedTransaction;
}

test('history: the oldest are forgotten everywhere', () => {
  const history = boundedHistory(2);
  history.add(executed('1', 'a', 'b'));
  history.add(executed('2', 'b'));
  history.add(executed('3', 'b', 'c'));
  assert.equal(history.get('1'), undefined);
  assert.equal(history.get('2')?.wire.signature, '2');
  assert.deepEqual(history.of('a' as never), []);
  const signatures = (list: readonly ExecutedTransaction[]): readonly string[] =>
    list.map(({ wire }) => wire.signature);
  assert.deepEqual(signatures(history.of('b' as never)), ['2', '3']);
  assert.deepEqual(signatures(history.newest(1)), ['3']);
  assert.equal(history.size, 2);
  assert.equal(history.total, 3);
});
