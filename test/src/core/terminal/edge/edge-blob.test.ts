import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type EdgeStudy,
  formatEdgeStudy,
  parseEdgeStudy,
} from '@assay/core/terminal/edge/edge-blob';
import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { SOME_HASH, sha256 } from '../../fixture/fixture.ts';
import { momentOf } from './edge-fixture.ts';

const moments = Array.from({ length: 30 }, (_, i) =>
  momentOf(`A${i % 7}`, 1_735_690_500 + 300_600 * i, 13 * i - 100),
);
const STUDY: EdgeStudy = {
  type: 'assay-study/2',
  class: 'crypto',
  rule: SOME_HASH,
  from: 0,
  to: 100,
  number: 3,
  left_out: { few_controls: 1, no_entry: 2, no_exit: 4, not_over: 3 },
  moments,
  ...edgeGroups(sha256, 'crypto', 3, moments),
};

test('study blob: its bytes are read as they were written', () => {
  assert.deepEqual(parseEdgeStudy(formatEdgeStudy(STUDY)), STUDY);
});

test('study blob: what is none', () => {
  const first = moments[0];
  assert.ok(first !== undefined);
  const { groups } = STUDY;
  const cases: readonly (readonly [string, object])[] = [
    ['type', { ...STUDY, type: 'assay-study/1' }],
    ['groups', { ...STUDY, groups: groups.slice(1) }],
    ['order of groups', { ...STUDY, groups: groups.toReversed() }],
    ['order of moments', { ...STUDY, moments: moments.toReversed() }],
    ['a moment twice', { ...STUDY, moments: [first, ...moments] }],
    ['number', { ...STUDY, number: 0 }],
    ['number', { ...STUDY, number: 1024 }],
    ['later_from', { ...STUDY, later_from: -1 }],
    ['a member more', { ...STUDY, symbols: [] }],
    ['no return', { ...STUDY, moments: [{ ...first, returns: { ...first.returns, '7d': null } }] }],
    ['id', { ...STUDY, moments: [{ ...first, id: 'A0' }] }],
    ['reason', { ...STUDY, groups: groups.map((each) => ({ ...each, withheld: ['interval'] })) }],
    [
      'falling interval',
      {
        ...STUDY,
        groups: groups.map((each) => ({
          ...each,
          whole: { ...each.whole, low: { mean: 1, ci: [2, 1], t: 1 } },
        })),
      },
    ],
  ];
  for (const [name, study] of cases) {
    const bytes = formatEdgeStudy(study as EdgeStudy);
    assert.throws(() => parseEdgeStudy(bytes), { code: 'malformed' }, name);
  }
  assert.throws(() => parseEdgeStudy(formatUtf8('{}')), { code: 'malformed' });
});
