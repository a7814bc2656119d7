import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIndexEntry } from '@assay/core/kind/index-entry';
import { bodyParser, isListedKind } from '@assay/core/kind/kinds';
import type { WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

const [BODY = {}] = vectors<{ readonly entries: readonly { readonly body: WireObject }[] }>(
  'index/index',
).entries.map(({ body }) => body);

test('index entry: a day, a size, and four lists', () => {
  assert.equal(isListedKind('index/1'), true);
  assert.deepEqual(parseIndexEntry(BODY, 'body'), BODY);
  assert.deepEqual(bodyParser(sha256)('index/1', BODY), { kind: 'index/1', body: BODY });
});

test('index entry: what is refused, and where', () => {
  const root = { count: 1, root: '00'.repeat(32) };
  for (const [at, change] of [
    ['body.day', { day: '2026-13-01' }],
    ['body.size', { size: 0 }],
    ['body.size', { size: 1.5 }],
    ['body.prints.count', { prints: { ...root, count: -1 } }],
    ['body.prints.root', { prints: { ...root, root: '00' } }],
    ['body.keys', { keys: null }],
    ['body.rules', { rules: { count: 0 } }],
    ['body.events', { events: { ...root, more: 1 } }],
    ['body', { more: root }],
  ] as const) {
    const body = { ...BODY, ...change } as WireObject;
    assert.throws(() => parseIndexEntry(body, 'body'), { code: 'malformed', at });
  }
  const { events: _, ...short } = BODY;
  assert.throws(() => parseIndexEntry(short, 'body'), { code: 'malformed', at: 'body' });
});
