import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChainFile, type ChainEvent } from '@assay/node/dev/bitcoin/chain-file';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';

const EVENTS: readonly ChainEvent[] = [
  { add: 'alice', commitment: '00ff' },
  { block: 'ab' },
  { drop: 2 },
];

test('chain file: gives back what was written, in order', async (t) => {
  const path = join(await temporaryFolder(t), 'chain.jsonl');
  const file = new ChainFile(path);
  assert.deepEqual(file.events, []);
  file.append(EVENTS.slice(0, 2));
  file.append(EVENTS.slice(2));
  file.append([]);
  file.close();
  file.close();
  assert.throws(() => file.append(EVENTS), TypeError);
  const again = new ChainFile(path);
  t.after(() => again.close());
  assert.deepEqual(again.events, EVENTS);
});

test('chain file: a torn last line is cut off, wherever it was torn', async (t) => {
  const path = join(await temporaryFolder(t), 'chain.jsonl');
  const file = new ChainFile(path);
  file.append(EVENTS);
  file.close();
  const whole = await readFile(path, 'utf8');
  for (const torn of ['{', '{"drop":1', '{"drop":1}', '\0', 'ä']) {
    await appendFile(path, torn);
    const again = new ChainFile(path);
    assert.deepEqual(again.events, EVENTS, torn);
    again.append([{ drop: 1 }]);
    again.close();
    assert.equal(await readFile(path, 'utf8'), `${whole}{"drop":1}\n`);
    await writeFile(path, whole);
  }
});

test('chain file: a whole line that is no event is no chain', async (t) => {
  const path = join(await temporaryFolder(t), 'chain.jsonl');
  for (const line of ['', '{', '[]', 'null', '7', '{}', '{"drop":"1"}', '{"add":"alice"}']) {
    await writeFile(path, `{"drop":1}\n${line}\n`);
    assert.throws(() => new ChainFile(path), { code: 'malformed', at: 'line 2' }, line);
  }
});
