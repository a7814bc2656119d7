import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALENDAR_STATES, MAX_ANCHOR_LAG, parseAnchor } from '@assay/core/kind/anchor';
import { bodyParser, isListedKind } from '@assay/core/kind/kinds';
import { type WireObject, wire } from '@assay/core/wire/wire';
import { ANCHORS } from '../fixture/anchor-fixture.ts';
import { sha256, vectors } from '../fixture/fixture.ts';

test('anchor entry: each vector is taken as it is', () => {
  assert.equal(isListedKind('anchor/1'), true);
  for (const { name, body } of ANCHORS) {
    const given = wire(body);
    assert.deepEqual(parseAnchor(given, 'body'), body, name);
    assert.deepEqual(bodyParser(sha256)('anchor/1', given), { kind: 'anchor/1', body }, name);
  }
  assert.deepEqual(CALENDAR_STATES, ['pending', 'attested', 'expired']);
  assert.equal(MAX_ANCHOR_LAG, 2 ** 16);
});

test('anchor entry: what is refused, and where', () => {
  interface Refused {
    readonly name: string;
    readonly at: string;
    readonly body: WireObject;
  }
  for (const { name, at, body } of vectors<readonly Refused[]>('anchor/refused')) {
    const place = at === '' ? 'body' : `body.${at}`;
    assert.throws(() => parseAnchor(body, 'body'), { code: 'malformed', at: place }, name);
  }
});
