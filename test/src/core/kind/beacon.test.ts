import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_HEIGHT, parseBeacon } from '@assay/core/kind/beacon';
import { bodyParser, isListedKind } from '@assay/core/kind/kinds';
import { HEADER } from '../fixture/anchor-fixture.ts';
import { sha256 } from '../fixture/fixture.ts';

test('beacon entry: a height and the 80 bytes of a header', () => {
  assert.equal(isListedKind('beacon/1'), true);
  for (const height of [0, 832_608, MAX_HEIGHT]) {
    const body = { height, header: HEADER };
    assert.deepEqual(parseBeacon(body, 'body'), body);
    assert.deepEqual(bodyParser(sha256)('beacon/1', body), { kind: 'beacon/1', body });
  }
});

test('beacon entry: what is refused, and where', () => {
  for (const [at, change] of [
    ['body.height', { height: -1 }],
    ['body.height', { height: 0.5 }],
    ['body.height', { height: MAX_HEIGHT + 1 }],
    ['body.header', { header: HEADER.slice(2) }],
    ['body.header', { header: `${HEADER}00` }],
    ['body.header', { header: HEADER.toUpperCase() }],
    ['body', { hash: '00'.repeat(32) }],
  ] as const) {
    const body = { height: 1, header: HEADER, ...change };
    assert.throws(() => parseBeacon(body, 'body'), { code: 'malformed', at });
  }
  assert.throws(() => parseBeacon({ height: 1 }, 'body'), { code: 'malformed', at: 'body' });
});
