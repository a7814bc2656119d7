import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { attestationCount, type Timestamp } from '@assay/core/ots/timestamp';
import { type Answer, mergeAnswers } from '@assay/cli/ots/answers';

function answer(calendar: string, promises: number): Answer {
  return {
    calendar,
    timestamp: {
      items: Array.from({ length: promises }, (_, i) => ({
        attestation: { kind: 'pending', uri: `https://${calendar}/${i}` },
      })),
    },
  };
}

/** A proof with room for so many. */
function room(most: number): (tree: Timestamp) => void {
  return (tree) => {
    if (attestationCount(tree) > most) throw new Fault('too_large', 'stamp');
  };
}

test('answers: a long one takes the room of no other, whichever came first', () => {
  const answers = [answer('greedy', 9), answer('alice', 1), answer('bob', 2)];
  for (const order of [answers, answers.toReversed()]) {
    const failures = [{ calendar: 'dead', reason: 'calendar: no answer' }];
    const { merged, used, failures: failed } = mergeAnswers({ answers: order, failures }, room(9));
    assert.equal(used, 2);
    assert.equal(attestationCount(merged), 3);
    assert.deepEqual(
      failed.map(({ calendar, reason }) => [calendar, reason]),
      [
        ['dead', 'calendar: no answer'],
        ['greedy', 'its answer does not fit: stamp'],
      ],
    );
  }
});

test('answers: an error that is no limit is not a calendar to blame', () => {
  const broken = (): never => {
    throw new TypeError('broken');
  };
  const answers = [answer('alice', 1)];
  assert.throws(() => mergeAnswers({ answers, failures: [] }, broken), TypeError);
});
