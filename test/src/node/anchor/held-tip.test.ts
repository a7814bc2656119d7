import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { TimeText } from '@assay/core/time/time';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import { heldTip, usable, withAnswer } from '@assay/node/anchor/held-tip';
import { openAnswer, type OpenBatch } from '@assay/node/anchor/open-batch';

const HASH = '11'.repeat(32) as HashHex;
const EMPTY: OpenBatch = {
  from: 0,
  to: 10,
  root: HASH,
  salt: HASH,
  tip: HASH,
  made_at: '2026-07-30T14:40:03Z' as TimeText,
  answers: [],
};

const pending = (uri: string): Item => ({ attestation: { kind: 'pending', uri } });

/** What a calendar answers: its promise, behind a step of its own. */
function answer(calendar: string, ...items: readonly Item[]) {
  const argument = Buffer.from(calendar);
  const tree: Timestamp = { items: [{ operation: { op: 'append', argument }, next: { items } }] };
  return openAnswer(calendar, formatTimestamp(tree));
}

test('held tip: calendars are counted by their URIs, not by addresses or slashes', () => {
  assert.equal(heldTip(EMPTY), undefined);
  let batch = withAnswer(EMPTY, answer('http://p1', pending('http://b')));
  batch = withAnswer(batch, answer('http://p2', pending('http://b')));
  batch = withAnswer(batch, answer('http://p3', pending('http://b/')));
  assert.deepEqual(
    [heldTip(batch)?.calendars, heldTip(batch)?.uris],
    [1, ['http://b', 'http://b/']],
  );
  batch = withAnswer(batch, answer('http://p4', pending('http://a')));
  assert.deepEqual(
    [heldTip(batch)?.calendars, heldTip(batch)?.uris],
    [2, ['http://a', 'http://b', 'http://b/']],
  );
});

test('held tip: an answer makes one promise', () => {
  const two = answer('http://p', pending('http://a'), pending('http://b'));
  assert.throws(() => withAnswer(EMPTY, two), { code: 'refused' });
  const none = answer('http://p', { attestation: { kind: 'bitcoin', height: 1 } });
  assert.throws(() => withAnswer(EMPTY, none), { code: 'refused' });
  assert.throws(() => withAnswer(EMPTY, openAnswer('http://p', Uint8Array.of(1))), {
    code: 'bad_proof',
  });
});

test('held tip: an anchor lists sixteen calendars at most', () => {
  let batch = EMPTY;
  for (let i = 0; i < 16; i += 1) {
    batch = withAnswer(batch, answer(`http://p${i}`, pending(`http://c${i}`)));
  }
  assert.throws(() => withAnswer(batch, answer('http://p', pending('http://more'))), {
    code: 'refused',
  });
  const again = withAnswer(batch, answer('http://p', pending('http://c3')));
  assert.equal(heldTip(again)?.calendars, 16);
});

test('held tip: an answer leaves room for the paths of its batch', () => {
  let next: Timestamp = { items: [pending('http://a')] };
  for (let i = 0; i < 240; i += 1) next = { items: [{ operation: { op: 'sha256' }, next }] };
  const deep = openAnswer('http://p', formatTimestamp(next));
  assert.equal(withAnswer(EMPTY, deep).answers.length, 1);
  const large = { ...EMPTY, to: 1000 };
  assert.throws(() => withAnswer(large, deep), { code: 'refused' });
});

test('held tip: of kept answers the spoilt ones go, with a reason each', () => {
  const good = answer('http://p1', pending('http://a'));
  const kept = { ...EMPTY, answers: [{ calendar: 'http://x', timestamp: 'ffff' }, good] };
  const { batch, dropped } = usable(kept);
  assert.deepEqual(batch.answers, [good]);
  assert.equal(dropped.length, 1);
});
