import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventId, parseEventId } from '@assay/core/kind/event-id';
import { sha256, vectors } from '../fixture/fixture.ts';

interface IdVector {
  readonly symbol: string;
  /** Unix seconds. */
  readonly opened_at: number;
  readonly id: string;
}

const IDS = vectors<readonly IdVector[]>('event/ids');

test('event id: that of asset and opening', () => {
  for (const { symbol, opened_at, id } of IDS) {
    assert.equal(eventId(sha256, symbol, opened_at), id);
    assert.equal(parseEventId(id, 'id'), id);
  }
});

test('event id: a UUID of version 8 and the variant of RFC 9562, in lower case, or malformed', () => {
  const { id } = IDS[0] as IdVector;
  const others = [
    id.toUpperCase(),
    `${id.slice(0, 14)}4${id.slice(15)}`,
    `${id.slice(0, 19)}c${id.slice(20)}`,
    id.replaceAll('-', ''),
    `${id}0`,
    id.slice(1),
    '',
  ];
  for (const text of others) {
    assert.throws(() => parseEventId(text, 'id'), { code: 'malformed', at: 'id' }, text);
  }
});
