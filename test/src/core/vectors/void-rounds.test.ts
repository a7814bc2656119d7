import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftGrades } from '@assay/core/arena/grade-draft';
import { wire } from '@assay/core/wire/wire';
import { SHUT_ROUND, VOID_CASES, VOID_ROUND, voidRounds } from './void-rounds.ts';

test('vectors of void rounds: the code grades them as the case says', () => {
  const log = voidRounds();
  const entries = VOID_CASES[0]?.entries ?? [];
  for (const id of [SHUT_ROUND, VOID_ROUND]) {
    const written = entries.filter(({ kind, body }) => kind === 'grade/1' && body['round'] === id);
    const drafts = draftGrades(log.views, log.round(id), log.values(id)) ?? [];
    assert.deepEqual(
      written.map(({ body }) => body),
      drafts.map((each) => wire(each)),
      id,
    );
  }
});

test('vectors of void rounds: a signed forecast that is not sealed is among them', () => {
  const entries = VOID_CASES[0]?.entries ?? [];
  const isSigned = ({ kind, body }: (typeof entries)[number]): boolean =>
    kind === 'forecast/1' && body['commitment'] !== null && body['signature'] !== null;
  assert.equal(entries.filter(isSigned).length, 2);
});
