import assert from 'node:assert/strict';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { ClosedAnswers, TakenAnswers } from '@assay/core/kind/answers';
import { bodyParser } from '@assay/core/kind/kinds';
import { questionId } from '@assay/core/kind/question';
import { answerLeaf, batchRoot } from '@assay/core/referee/answer-leaf';
import { formatAnswerOpenings, parseAnswerOpenings } from '@assay/core/referee/answer-openings';
import { formatWire, type WireObject } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';
import type { SpecCheck } from '../terminal/spec-checks.ts';

function body(kind: string, text: string): WireObject {
  const value = JSON.parse(text) as WireObject;
  assert.deepEqual(bodyParser(sha256)(kind, value)?.body, value);
  return value;
}

/** What the examples of the page about questions have to be, by the tags of their blocks. */
export const REFEREE_CHECKS: Readonly<Record<string, SpecCheck>> = {
  'json question': (text) => {
    const question = body('question/1', text);
    assert.equal(question['id'], questionId(sha256, question['event'] as string));
  },
  'json answers-taken': (text) => void body('answers/1', text),
  'json answers-closed': (text) => void body('answers/1', text),
  'json answers-openings': (text, _page, blockOf) => {
    const { question, answers } = parseAnswerOpenings(formatWire(JSON.parse(text) as WireObject));
    const leaves = answers.map((each, i) => answerLeaf(sha256, question, i, each));
    const taken = JSON.parse(blockOf('json answers-taken')) as TakenAnswers;
    assert.deepEqual(taken, { type: 'taken', question, first: 0, leaves });
    const yes = answers.filter(({ answer }) => answer === 'yes').length;
    const closed = JSON.parse(blockOf('json answers-closed')) as ClosedAnswers;
    assert.deepEqual(closed, {
      type: 'closed',
      question,
      count: leaves.length,
      yes,
      no: leaves.length - yes,
      root: batchRoot(sha256, leaves),
      openings: hashHex(contentHash(sha256, formatAnswerOpenings(question, answers))),
    });
  },
  'json outcome': (text) => void body('outcome/1', text),
};

/** Pages and the examples whose every member they name. */
export const REFEREE_MEMBERS: readonly (readonly [string, string])[] = [
  ['referee', 'json question'],
  ['referee', 'json answers-taken'],
  ['referee', 'json answers-closed'],
  ['referee', 'json outcome'],
];
