import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import {
  answerLeaf,
  type AnswerOpening,
  batchLeaf,
  batchRoot,
} from '@assay/core/referee/answer-leaf';
import {
  formatAnswerOpenings,
  MAX_OPENINGS_BYTES,
  parseAnswerOpenings,
} from '@assay/core/referee/answer-openings';
import { sha256, vectors } from '../fixture/fixture.ts';

interface Batch {
  readonly question: string;
  readonly answers: readonly AnswerOpening[];
  readonly leaves: readonly HashHex[];
  readonly root: HashHex;
}

const BATCHES = vectors<readonly Batch[]>('referee/batches');

test('answer leaf: leaves and roots as Python made them', () => {
  for (const { question, answers, leaves, root } of BATCHES) {
    assert.deepEqual(
      answers.map((each, i) => answerLeaf(sha256, question, i, each)),
      leaves,
    );
    assert.equal(batchRoot(sha256, leaves), root);
  }
  assert.deepEqual(
    BATCHES.map(({ leaves }) => leaves.length),
    [0, 1, 2, 3, 7, 8, 13],
  );
});

test('answer leaf: bound to question, place, nonce, salt and answer', () => {
  const { question, answers } = BATCHES[1] as Batch;
  const [opening] = answers as readonly [AnswerOpening];
  const changed = [
    answerLeaf(sha256, question, 0, opening),
    answerLeaf(sha256, question.replace('d7', 'd8'), 0, opening),
    answerLeaf(sha256, question, 1, opening),
    answerLeaf(sha256, question, 0, { ...opening, nonce: '00'.repeat(32) }),
    answerLeaf(sha256, question, 0, { ...opening, salt: '00'.repeat(32) }),
    answerLeaf(sha256, question, 0, {
      ...opening,
      answer: opening.answer === 'yes' ? 'no' : 'yes',
    }),
  ];
  assert.equal(new Set(changed).size, changed.length);
  assert.throws(() => answerLeaf(sha256, question, 0, { ...opening, salt: '00' }));
  const [leaf] = (BATCHES[1] as Batch).leaves as readonly [HashHex];
  assert.equal(Buffer.from(batchLeaf(sha256, leaf)).toString('hex'), (BATCHES[1] as Batch).root);
});

test('answer openings: the bytes that they were made from, and no other form', () => {
  const { question, answers } = BATCHES[3] as Batch;
  const bytes = formatAnswerOpenings(question, answers);
  assert.deepEqual(parseAnswerOpenings(bytes), { type: 'assay-answers/1', question, answers });
  const text = Buffer.from(bytes).toString();
  const bad = (from: string, to: string): void => {
    assert.notEqual(text.replace(from, to), text);
    assert.throws(() => parseAnswerOpenings(Buffer.from(text.replace(from, to))));
  };
  bad('assay-answers/1', 'assay-answers/2');
  bad('"answer":"', '"answer":"maybe');
  bad('"answer":', '"address":"127.0.0.1","answer":');
  bad('{', ' {');
  assert.throws(() => parseAnswerOpenings(formatAnswerOpenings(question, [])), {
    code: 'malformed',
  });
  assert.throws(() => parseAnswerOpenings(new Uint8Array(MAX_OPENINGS_BYTES + 1)), {
    code: 'too_large',
  });
});
