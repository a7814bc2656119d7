import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCloseEntry } from '@assay/core/kind/close';
import { bodyParser, isListedKind } from '@assay/core/kind/kinds';
import type { WireObject } from '@assay/core/wire/wire';
import { CLOSES } from '../fixture/close-fixture.ts';
import { sha256, vectors } from '../fixture/fixture.ts';

test('close entry: each vector is taken as it is', () => {
  assert.equal(isListedKind('close/1'), true);
  for (const { name, entry } of CLOSES) {
    assert.deepEqual(parseCloseEntry(entry, 'body'), entry, name);
    assert.deepEqual(bodyParser(sha256)('close/1', entry), { kind: 'close/1', body: entry }, name);
  }
});

test('close entry: what is refused, and where', () => {
  interface Refused {
    readonly name: string;
    readonly at: string;
    readonly entry: WireObject;
  }
  for (const { name, at, entry } of vectors<readonly Refused[]>('close/refused')) {
    const place = at === '' ? 'body' : `body.${at}`;
    assert.throws(() => parseCloseEntry(entry, 'body'), { code: 'malformed', at: place }, name);
  }
});
