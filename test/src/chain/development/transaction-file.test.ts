import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openTransactionFile } from '@assay/chain/development/transaction-file';

function pathFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-chain-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'chain.jsonl');
}

const BEGIN = { startedAt: 4, slotSeconds: 0.4 };
const FIRST = { at: 5.4, bytes: Uint8Array.of(1, 2) };
const SECOND = { at: 6, bytes: Uint8Array.of(3) };

test('transaction file: what was appended is there again', (t) => {
  const path = pathFor(t);
  const file = openTransactionFile(path, BEGIN);
  assert.deepEqual(file.kept, []);
  file.append(FIRST);
  file.append(SECOND);
  file.close();
  const again = openTransactionFile(path, { startedAt: 99, slotSeconds: 7 });
  assert.equal(again.startedAt, 4);
  assert.equal(again.slotSeconds, 0.4);
  assert.deepEqual(again.kept, [FIRST, SECOND]);
  again.close();
});

test('transaction file: a line that was cut off goes, and the next one is whole', (t) => {
  const path = pathFor(t);
  const file = openTransactionFile(path, BEGIN);
  file.append(FIRST);
  file.close();
  appendFileSync(path, '{"at":7,"trans');
  const cut = openTransactionFile(path, BEGIN);
  assert.deepEqual(cut.kept, [FIRST]);
  cut.append(SECOND);
  cut.close();
  const again = openTransactionFile(path, BEGIN);
  assert.deepEqual(again.kept, [FIRST, SECOND]);
  again.close();
  assert.equal(readFileSync(path, 'utf8').split('\n').length, 4);
});

test('transaction file: one of another kind is refused', (t) => {
  const path = pathFor(t);
  const head = '{"format":"assay-development-chain/2","started_at":4,"slot_seconds":0.4}\n';
  const older = '{"format":"assay-development-chain/1","started_at":4}\n';
  const still = '{"format":"assay-development-chain/2","started_at":4,"slot_seconds":0}\n';
  for (const text of [
    'x\n',
    '{}\n',
    older,
    still,
    `${head}7\n`,
    `${head}{"at":"5","transaction":""}\n`,
  ]) {
    writeFileSync(path, text);
    assert.throws(() => openTransactionFile(path, BEGIN), { code: 'malformed' }, text);
    assert.equal(readFileSync(path, 'utf8'), text);
  }
});
