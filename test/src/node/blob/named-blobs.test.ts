import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyParser } from '@assay/core/kind/kinds';
import { blobsOf } from '@assay/node/blob/named-blobs';
import { sha256, SOME_HASH, vectors } from '../../core/fixture/fixture.ts';
import type { ArenaVector } from '../../core/arena/example-arena.ts';

test('named blobs: the openings of forecasts and answers, where there are any', () => {
  const { entries } = vectors<ArenaVector>('arena/example');
  const freeze = entries.find(({ kind }) => kind === 'freeze/1');
  const closed = {
    type: 'closed',
    question: 'bf9dc03e-b9a2-8161-bff0-a42826f82d01',
    count: 1,
    yes: 1,
    no: 0,
    root: SOME_HASH,
    openings: SOME_HASH,
  };
  const taken = { type: 'taken', question: closed.question, first: 0, leaves: [SOME_HASH] };
  const named = (kind: string, body: object): readonly unknown[] => {
    const known = bodyParser(sha256)(kind, body as never);
    assert.ok(known !== undefined, kind);
    return blobsOf(known);
  };
  const frozen = freeze?.body ?? {};
  assert.deepEqual(named('freeze/1', frozen), [{ hash: frozen['openings'], role: 'openings' }]);
  assert.deepEqual(named('freeze/1', { ...frozen, openings: null }), []);
  assert.deepEqual(named('answers/1', closed), [{ hash: SOME_HASH, role: 'openings' }]);
  assert.deepEqual(named('answers/1', taken), []);
  const none = { ...closed, count: 0, yes: 0, openings: null };
  assert.deepEqual(named('answers/1', none), []);
});
