import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { DEADLINE_GRACE_S, publisherSilence } from '@assay/verifier/watch/publisher-silence';
import { ABOUT } from '../fixture/cosigner-log.ts';

const { views: state } = ABOUT.published;
const DAY = 86_400;

function silence(newest: string, now: number): readonly string[] {
  const of = { state, name: 'example', newest: parseTime(newest as never) };
  return publisherSilence(of, { now, graceS: DAY }).map(({ place, found }) => `${place}: ${found}`);
}

// Week of 2026-08-08: released on 2026-08-13 at 12:30Z, and its deadline is some days later.
const RELEASE = parseTime('2026-08-13T12:30:00Z' as never);

test('a log that has not grown since before a release, once the grace is over', () => {
  const before = silence('2026-08-13T00:00:00Z', RELEASE + DAY);
  assert.deepEqual(
    before.filter((each) => each.startsWith('example: ')),
    [],
  );
  const after = silence('2026-08-13T00:00:00Z', RELEASE + DAY + 1);
  assert.deepEqual(
    after.filter((each) => each.startsWith('example: ')),
    ['example: none since 2026-08-13T00:00:00Z'],
  );
  const grown = silence('2026-08-13T12:30:00Z', RELEASE + DAY + 1);
  assert.deepEqual(
    grown.filter((each) => each.startsWith('example: ')),
    [],
  );
});

test('a period past its deadline, and the hour that a report takes', () => {
  const rule = JSON.parse(
    new TextDecoder().decode(
      ABOUT.published.entries.find((each) => new TextDecoder().decode(each).includes('rule/1')),
    ),
  ).body.rule;
  const over = RELEASE + rule.release.deadline_s + DEADLINE_GRACE_S;
  const of = (now: number) => silence('2026-12-01T00:00:00Z', now).join(' ');
  assert.doesNotMatch(of(over), /2026-08-08/);
  assert.match(of(over + 1), /example, LAYOFFS: neither of .*2026-08-08/);
});
