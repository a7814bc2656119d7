import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatStudyBlob,
  parseStudyBlob,
  type StudyBlob,
} from '@assay/core/terminal/study/study-blob';
import { syntheticStudy } from '../synthetic-study.ts';

const { study } = syntheticStudy();

test('study blob: bytes and back', () => {
  assert.deepEqual(parseStudyBlob(formatStudyBlob(study)), study);
});

test('study blob: groups that are missing, moved, or incomplete are refused', () => {
  const [first, second, third, ...others] = study.groups;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const refused: readonly (readonly [string, Partial<StudyBlob>])[] = [
    ['a group less', { groups: study.groups.slice(1) }],
    ['two the other way round', { groups: [second, first, third, ...others] }],
    ['an edge without p', { groups: [first, second, { ...third, p_draws: null }, ...others] }],
    [
      'nothing said, nothing withheld',
      { groups: [{ ...first, withheld: [] }, second, third, ...others] },
    ],
    [
      'an interval upside down',
      { groups: [first, second, { ...third, edge_7d_ci: [2, 1] }, ...others] },
    ],
    [
      'a sum with a zero before it',
      {
        ordinary: { ...study.ordinary, excess_7d: { n: 1, sum: '01' } },
      },
    ],
  ];
  for (const [name, change] of refused) {
    const bytes = formatStudyBlob({ ...study, ...change });
    assert.throws(() => parseStudyBlob(bytes), { code: 'malformed' }, name);
  }
});
