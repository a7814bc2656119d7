import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import { outcomeOf } from '@assay/core/referee/outcome-of';
import { questionOf } from '@assay/core/referee/question-maker';
import { formatTime, parseTime } from '@assay/core/time/time';
import { sha256 } from '../fixture/fixture.ts';
import { arenaRule, eventOf, REFEREE, Rows } from './referee-fixture.ts';

const NAMED = { rule: REFEREE, hash: arenaRuleHash(sha256, arenaRule()) };
const QUESTION = questionOf(sha256, eventOf('SOL'), NAMED, new Rows().views);
const RESOLVES = parseTime(QUESTION.resolves_at);

type Leaf = { readonly score: number | null; readonly good: boolean } | undefined;

function at(after: number, leaf: Leaf, listed = true): string {
  const outcome = outcomeOf(QUESTION, { ts: RESOLVES + after, leaf, listed });
  if (outcome === undefined) return 'nothing';
  assert.equal(outcome.question, QUESTION.id);
  const time = outcome.resolved_at;
  assert.equal(time, outcome.outcome === 'void' ? null : formatTime(RESOLVES + after));
  return `${outcome.outcome} ${outcome.score}`;
}

const leaf = (score: number | null, good = true): Leaf => ({ score, good });

test('outcome: 40 is yes and 39 is no, at the first good and scored tick from the time on', () => {
  assert.equal(at(0, leaf(40)), 'yes 40');
  assert.equal(at(0, leaf(39)), 'no 39');
  assert.equal(at(900, leaf(100)), 'yes 100');
  assert.equal(at(3600, leaf(0)), 'no 0');
});

test('outcome: a tick before the time, not good, without a score or without a leaf decides nothing', () => {
  assert.equal(at(-900, leaf(90)), 'nothing');
  assert.equal(at(-900, undefined, false), 'nothing');
  assert.equal(at(0, leaf(null, false)), 'nothing');
  assert.equal(at(0, leaf(null)), 'nothing');
  assert.equal(at(3600, undefined), 'nothing');
});

test('outcome: void at the first tick after the tolerance, or of an asset that is not listed', () => {
  assert.equal(at(3601, leaf(90)), 'void null');
  assert.equal(at(100_000, undefined), 'void null');
  assert.equal(at(0, undefined, false), 'void null');
  // A leaf of an asset that is not listed decides nothing, as for events.
  assert.equal(at(0, leaf(90), false), 'void null');
});
