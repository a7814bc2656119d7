import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerConcerns, type HeaderStatus } from '@assay/node/anchor/header-concern';
import type { FollowerConcern } from '@assay/node/bitcoin/header-follower';
import { NOON } from '../ledger/ledger-fixture.ts';
import { TIMING } from './anchor-fixture.ts';

function concern(kind: FollowerConcern['kind'], source: string): FollowerConcern {
  return { kind, source, code: undefined, detail: `${source} ${kind}` };
}

function reasons(change: Partial<HeaderStatus>): readonly string[] {
  const standing: HeaderStatus = {
    tip: undefined,
    found: [],
    sources: 2,
    silentS: 0,
    beacon: undefined,
    lost: [],
    now: NOON,
    ...change,
  };
  return headerConcerns(standing, TIMING).map(({ reason }) => reason);
}

test('header concern: no answer for over an hour', () => {
  assert.deepEqual(reasons({ silentS: 3600 }), []);
  assert.deepEqual(reasons({ silentS: 3601 }), [
    'Bitcoin headers: no source has answered for over an hour.',
  ]);
});

test('header concern: all sources behind, not one of two', () => {
  const all = [concern('behind', 'a'), concern('behind', 'b')];
  const words = 'Bitcoin headers: every source is behind what was known.';
  assert.ok(reasons({ found: all }).includes(words));
  assert.ok(!reasons({ found: all.slice(1) }).includes(words));
});

test('header concern: a beacon is old after six hours', () => {
  assert.deepEqual(reasons({ beacon: { time: NOON - 21_600 } }), []);
  assert.match(reasons({ beacon: { time: NOON - 21_601 } })[0] ?? '', /in the log is of/);
});
