import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import type { HashHex } from '@assay/core/hash/hash';
import { toHashHex } from '@assay/core/hash/hash';
import type { Question } from '@assay/core/kind/question';
import { batchRoot } from '@assay/core/referee/answer-leaf';
import { questionOf } from '@assay/core/referee/question-maker';
import {
  answersRoot,
  outcomeTally,
  pendingQuestions,
  type QuestionProgress,
  questionProgress,
  questionRow,
  questionsByOpening,
  refereeView,
} from '@assay/core/view/referee';
import { emptyRoot } from '@assay/core/log/tree';
import { hashHex } from '@assay/core/hash/hash';
import { sha256 } from '../fixture/fixture.ts';
import { arenaRule, eventOf, REFEREE, Rows } from '../referee/referee-fixture.ts';

const NAMED = { rule: REFEREE, hash: arenaRuleHash(sha256, arenaRule()) };

function ask(rows: Rows, symbol: string, after = 0): Question {
  const body = questionOf(sha256, eventOf(symbol, after), NAMED, rows.views);
  rows.add({ kind: 'question/1', body }, after);
  return body;
}

const leafAt = (i: number): HashHex => toHashHex(i.toString(16).padStart(64, '0'));

function progressOf(rows: Rows, { id }: Question): QuestionProgress {
  const progress = questionProgress(rows.views, id);
  assert.ok(progress !== undefined);
  return progress;
}

test('referee view: questions newest first, of all assets and of one', () => {
  const rows = new Rows();
  ask(rows, 'BBB');
  ask(rows, 'AAA');
  ask(rows, 'BBB', 900);
  const words = (symbol?: string): readonly string[] =>
    [...questionsByOpening(rows.views, symbol)].map(
      ({ body }) => `${body.symbol} ${body.opened_at.slice(11, 16)}`,
    );
  assert.deepEqual(words(), ['BBB 00:15', 'BBB 00:00', 'AAA 00:00']);
  assert.deepEqual(words('BBB'), ['BBB 00:15', 'BBB 00:00']);
  assert.deepEqual(words('CCC'), []);
  assert.equal(questionRow(rows.views, 'no such id'), undefined);
});

test('referee view: leaves at the next ordinal make the root, others have no effect', () => {
  const rows = new Rows();
  const question = ask(rows, 'AAA');
  const take = (first: number, leaves: readonly HashHex[]): void => {
    const body = { type: 'taken', question: question.id, first, leaves } as const;
    rows.add({ kind: 'answers/1', body }, 60);
  };
  assert.equal(answersRoot(sha256, progressOf(rows, question)), hashHex(emptyRoot(sha256)));
  const all = [0, 1, 2, 3, 4].map(leafAt);
  take(0, all.slice(0, 2));
  take(0, [leafAt(9)]);
  take(3, [leafAt(9)]);
  take(2, all.slice(2));
  const progress = progressOf(rows, question);
  assert.equal(progress.count, 5);
  assert.equal(answersRoot(sha256, progress), batchRoot(sha256, all));
});

test('referee view: the first close and the first outcome count', () => {
  const rows = new Rows();
  const question = ask(rows, 'AAA');
  const other = ask(rows, 'BBB');
  const root = hashHex(emptyRoot(sha256));
  const closed = { type: 'closed', question: question.id, count: 0, yes: 0, no: 0, root } as const;
  rows.add({ kind: 'answers/1', body: { ...closed, openings: null } }, 14_400);
  rows.add({ kind: 'answers/1', body: { ...closed, count: 1, yes: 1, openings: root } }, 14_401);
  assert.equal(progressOf(rows, question).closed?.body.count, 0);
  const outcome = { question: question.id, outcome: 'yes', score: 50 } as const;
  const resolved_at = question.resolves_at;
  rows.add({ kind: 'outcome/1', body: { ...outcome, resolved_at } }, 86_400);
  rows.add(
    { kind: 'outcome/1', body: { ...outcome, outcome: 'no', score: 1, resolved_at } },
    86_401,
  );
  assert.equal(progressOf(rows, question).outcome?.body.outcome, 'yes');
  assert.deepEqual(outcomeTally(rows.views), { yes: 1, of: 1 });
  assert.deepEqual(outcomeTally(rows.views, { bucket: 'up_5', breadth: 'alone' }), {
    yes: 1,
    of: 1,
  });
  assert.deepEqual(outcomeTally(rows.views, { bucket: 'up_15', breadth: 'alone' }), {
    yes: 0,
    of: 0,
  });
  assert.deepEqual(pendingQuestions(rows.views), [other.id]);
});

test('referee view: entries about a question that is not there have no effect', () => {
  const rows = new Rows();
  const question = 'bf9dc03e-b9a2-8161-bff0-a42826f82d01';
  rows.add({ kind: 'answers/1', body: { type: 'taken', question, first: 0, leaves: [leafAt(1)] } });
  rows.add({
    kind: 'outcome/1',
    body: { question, outcome: 'void', score: null, resolved_at: null },
  });
  assert.deepEqual(rows.views.tables(), ['stamped', 'stamps']);
  assert.equal(refereeView.name, 'referee');
});
