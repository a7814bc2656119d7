import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RESERVATIONS, RESERVATION_CLASSES } from '@assay/verifier/verdict/reservation';
import { isVerified, NotCheckedList, type Verdict } from '@assay/verifier/verdict/verdict';
import { FOUND, INCOMPLETE } from '../fixture/verdicts.ts';

test('what was not checked is listed once with its count, class by class', () => {
  const list = new NotCheckedList();
  list.add('scope', 'the API', 'a folder\u001b serves none', 'whole_log');
  for (let i = 0; i < 3; i += 1) list.add('sources', 'reads of x', 'no bytes', 'none');
  list.add('quorum', 'finals', 'co-signers are silent', 'ask_cosigners');
  assert.deepEqual(list.list, [
    { class: 'quorum', what: 'finals', why: 'co-signers are silent', remedy: 'ask_cosigners' },
    { class: 'sources', what: 'reads of x (3 times)', why: 'no bytes', remedy: 'none' },
    { class: 'scope', what: 'the API', why: 'a folder\\u{1b} serves none', remedy: 'whole_log' },
  ]);
});

test('what a publisher can make many of shares a line, with its count', () => {
  const list = new NotCheckedList();
  for (let i = 0; i < 1005; i += 1)
    list.add('sources', 'failed reads', 'no bytes', 'none', `p${i % 1004}`);
  list.add('sources', 'failed reads', 'another reason', 'none', 'q');
  assert.deepEqual(list.list, [
    {
      class: 'sources',
      what: 'failed reads of p0, p1, p2, p3, p4 and others (1005 times)',
      why: 'no bytes',
      remedy: 'none',
    },
    { class: 'sources', what: 'failed reads of q', why: 'another reason', remedy: 'none' },
  ]);
});

test('a flood in one class is cut with its count, and no other class loses a line', () => {
  for (const flooded of RESERVATION_CLASSES) {
    const list = new NotCheckedList();
    for (let i = 0; i < 5000; i += 1) list.add(flooded, `kind ${i}`, 'why', 'none');
    for (const cls of RESERVATION_CLASSES) {
      if (cls !== flooded) list.add(cls, `of ${cls}`, 'why', 'none');
    }
    const most = MAX_RESERVATIONS[flooded];
    const own = list.list.filter((each) => each.class === flooded);
    assert.equal(own.length, most + 1);
    assert.deepEqual(own.at(-1), {
      class: flooded,
      what: `${5000 - most} other things of this class`,
      why: 'too many kinds to list',
      remedy: 'limits',
    });
    const classes = [...new Set(list.list.map((each) => each.class))];
    assert.deepEqual(classes, RESERVATION_CLASSES);
  }
});

test('there is one way to read a yes', () => {
  const verdicts: readonly Verdict[] = [{ ...FOUND, findings: [], findings_count: 0 }, INCOMPLETE];
  for (const verdict of verdicts) {
    assert.equal(isVerified(verdict), false);
    // The facts of a yes are not there to be read by mistake.
    assert.equal('number' in verdict, false);
    assert.equal('pin' in verdict, false);
  }
});
