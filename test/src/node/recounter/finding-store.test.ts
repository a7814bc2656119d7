import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { formatTime } from '@assay/core/time/time';
import { FindingStore } from '@assay/node/recounter/finding-store';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

const at = (seconds: number) => formatTime(NOON + seconds);
const SILENT = { code: 'publisher_silent', about: 'LAYOFFS 2026-07-25', says: 'Nothing.' } as const;

test('finding store: a finding holds once, ends, and may come again', async (t) => {
  const path = join(await temporaryFolder(t), 'findings.jsonl');
  const store = await FindingStore.open(path);
  assert.equal(await store.hold(SILENT, at(0)), true);
  assert.equal(await store.hold({ ...SILENT, says: 'Still nothing.' }, at(1)), false);
  assert.ok(store.has(SILENT.code, SILENT.about));
  assert.equal(await store.end(SILENT.code, SILENT.about, at(2)), true);
  assert.equal(await store.end(SILENT.code, SILENT.about, at(3)), false);
  assert.deepEqual(store.open(), []);
  assert.equal(await store.hold(SILENT, at(4)), true);
  const again = await FindingStore.open(path, { sync: false });
  assert.deepEqual(again.list(), [{ ...SILENT, since: at(4), ended: null, evidence: null }]);
});

test('finding store: of what is over the newest thousand stay, and what has evidence', async () => {
  const store = FindingStore.memory();
  const evidence = 'ab'.repeat(32) as never;
  await store.hold({ ...SILENT, about: 'proven', evidence }, at(0));
  await store.end(SILENT.code, 'proven', at(0));
  for (let i = 0; i < 1003; i += 1) {
    await store.hold({ ...SILENT, about: `${i}` }, at(i));
    await store.end(SILENT.code, `${i}`, at(i));
  }
  assert.equal(store.list().length, 1001);
  assert.deepEqual(
    store
      .list()
      .slice(0, 2)
      .map(({ about }) => about),
    ['proven', '3'],
  );
});

test('finding store: a file that is none is refused', async (t) => {
  const path = join(await temporaryFolder(t), 'findings.jsonl');
  await writeFile(path, '{}\n');
  await assert.rejects(FindingStore.open(path), { code: 'ledger_corrupt' });
});

test('finding store: a change is a line, a cut one at the end is let go, the start compacts', async (t) => {
  const path = join(await temporaryFolder(t), 'findings.jsonl');
  const store = await FindingStore.open(path, { sync: false });
  await store.hold(SILENT, at(0));
  await store.hold({ ...SILENT, about: 'other' }, at(1));
  await store.end(SILENT.code, 'other', at(2));
  const lines = async () => (await readFile(path, 'utf8')).split('\n').length - 1;
  assert.equal(await lines(), 3);
  await appendFile(path, '{"about":"cut');
  const again = await FindingStore.open(path, { sync: false });
  assert.deepEqual(again.list(), store.list());
  assert.equal(await lines(), 2);
});

test('finding store: whatever it is about, it can be read again, and what follows is kept', async (t) => {
  const path = join(await temporaryFolder(t), 'findings.jsonl');
  const store = await FindingStore.open(path, { sync: false });
  const about = `https://peer.example/${'a'.repeat(2000)}`;
  const says = `${'a'.repeat(1999)}\u{1F600}`;
  assert.equal(await store.hold({ code: 'fork', about, says }, at(0)), true);
  assert.ok(store.has('fork', about));
  assert.equal(await store.hold({ code: 'log_refused', about: '', says: '' }, at(1)), true);
  const again = await FindingStore.open(path, { sync: false });
  assert.deepEqual(again.list(), store.list());
  assert.equal(again.list()[0]?.says, 'a'.repeat(1999));
  assert.equal(await again.end('fork', about, at(2)), true);
});

test('finding store: of one code so many are kept, and the others are counted', async () => {
  const store = FindingStore.memory();
  for (let i = 0; i < 1005; i += 1) await store.hold({ ...SILENT, about: `${i}` }, at(i));
  await store.hold({ ...SILENT, about: '1004' }, at(2000));
  assert.deepEqual([store.open().length, store.more()], [1000, 5]);
  assert.equal(await store.hold({ ...SILENT, code: 'fork' }, at(0)), true);
  await store.end(SILENT.code, '0', at(2001));
  assert.equal(await store.hold({ ...SILENT, about: '1004' }, at(2002)), true);
  assert.equal(store.more(), 4);
});

test('finding store: what can be proven is kept, whatever else of its code is', async () => {
  const store = FindingStore.memory();
  const evidence = 'ab'.repeat(32) as HashHex;
  const found = { code: 'two_prints', says: 'x' } as const;
  for (let i = 0; i < 1000; i += 1) await store.hold({ ...found, about: `${i}` }, at(i));
  assert.equal(await store.hold({ ...found, about: 'bare' }, at(1000)), false);
  for (let i = 0; i < 1001; i += 1) {
    assert.equal(await store.hold({ ...found, about: `proven ${i}`, evidence }, at(i)), true);
  }
  assert.equal(store.list().filter((each) => each.evidence !== null).length, 1001);
  assert.equal(store.more(), 1);
});
