import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGraded, isOpen, pendingRounds, roundRow, roundsByClose } from '@assay/core/view/rounds';
import type { TimeText } from '@assay/core/time/time';
import { ArenaLog, secretForecaster } from '../arena/arena-log.ts';

const ADA = secretForecaster('ada');

function world(): { readonly log: ArenaLog; readonly id: string } {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  const [round] = log.open('2026-08-03T02:00:00Z');
  return { log, id: round?.id ?? '' };
}

test('rounds: what the log states about a round, in its order', () => {
  const { log, id } = world();
  assert.equal(id, 'layoffs-2026-08-02');
  assert.equal(log.round(id).freeze, null);
  log.take(id, ADA, 1000n, '2026-08-03T02:00:01Z');
  log.freeze(id, '2026-08-03T07:30:00Z');
  log.unseal(id);
  log.print('2026-08-02', '1100', '2026-08-03T08:40:00Z');
  assert.deepEqual(
    pendingRounds(log.views).map(({ body }) => body.id),
    [id],
  );
  assert.equal(isGraded(log.round(id)), false);
  log.grade(id, '2026-08-03T08:40:01Z');
  const row = log.round(id);
  assert.ok(row.freeze !== null && row.unseal !== null && row.grade !== null);
  assert.equal(isGraded(row), true);
  assert.deepEqual(pendingRounds(log.views), []);
  assert.ok(!('results' in row.grade), 'results are in the entries alone');
});

test('rounds: the first of two entries counts, and none out of its order', () => {
  const { log, id } = world();
  const before = JSON.stringify(log.round(id));
  const unseal = { round: id, signature: null, note: null, void_reason: 'no_beacon' };
  log.append('unseal/1', unseal, '2026-08-03T07:30:00Z');
  assert.equal(JSON.stringify(log.round(id)), before, 'nothing is opened that is not frozen');
  log.freeze(id, '2026-08-03T07:30:00Z');
  const frozen = log.round(id).freeze;
  log.freeze(id, '2026-08-03T07:30:05Z');
  assert.deepEqual(log.round(id).freeze, frozen);
  log.append('unseal/1', unseal, '2026-08-03T08:30:00Z');
  log.append('unseal/1', { ...unseal, void_reason: 'too_late' }, '2026-08-03T08:30:01Z');
  assert.equal(log.round(id).unseal?.body.void_reason, 'no_beacon');
  const { body } = log.round(id);
  log.append('round/1', { ...body, ref_value: '7' }, '2026-08-03T08:31:00Z');
  assert.equal(log.round(id).body.ref_value, '1000');
});

test('rounds: the parts of the grades count in their order, each once', () => {
  const { log, id } = world();
  log.freeze(id, '2026-08-03T07:30:00Z');
  log.unseal(id);
  log.print('2026-08-02', '1100', '2026-08-03T08:40:00Z');
  const grade = {
    round: id,
    part: 0,
    parts: 2,
    print: '1100',
    report: 'ab'.repeat(32),
    void_reason: null,
    arena: { value: null, n: 0 },
    count: 0,
    unopened: 0,
    results: [],
  };
  log.append('grade/1', { ...grade, part: 1 }, '2026-08-03T08:40:00Z');
  assert.equal(log.round(id).grade, null);
  log.append('grade/1', grade, '2026-08-03T08:40:00Z');
  log.append('grade/1', grade, '2026-08-03T08:40:00Z');
  log.append('grade/1', { ...grade, part: 1, parts: 3 }, '2026-08-03T08:40:00Z');
  assert.equal(log.round(id).grade?.seqs.length, 1);
  assert.equal(pendingRounds(log.views).length, 1);
  log.append('grade/1', { ...grade, part: 1 }, '2026-08-03T08:40:09Z');
  assert.equal(isGraded(log.round(id)), true);
  assert.equal(log.round(id).grade?.at, '2026-08-03T08:40:00Z');
});

test('rounds: open until the close or the freeze, and listed by their close', () => {
  const { log, id } = world();
  const row = log.round(id);
  assert.equal(isOpen(row, '2026-08-03T07:29:59Z' as TimeText), true);
  assert.equal(isOpen(row, '2026-08-03T07:30:00Z' as TimeText), false);
  log.freeze(id, '2026-08-03T07:30:00Z');
  assert.equal(isOpen(log.round(id), '2026-08-03T07:00:00Z' as TimeText), false);
  const [next] = log.open('2026-08-04T02:00:00Z');
  assert.deepEqual(
    [...roundsByClose(log.views)].map(({ body }) => body.id),
    [next?.id, id],
  );
  assert.equal(roundRow(log.views, 'layoffs-2026-08-09'), undefined);
});
