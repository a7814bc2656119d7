import { parseTime } from '@assay/core/time/time';
import { answerRate, type RateQuestion } from '@assay/node/terminal/answer/base-rate-answer';
import { caveatTexts, plainText, reasonText } from '@assay/node/terminal/answer/base-rate-text';
import type { EdgeGroup } from '@assay/core/terminal/edge/edge-groups';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { edgeStudyOf, madeMoments } from '../terminal/edge/edge-study.ts';

/** Openings of several groups: the first holds, and the others do not. */
const STUDY = edgeStudyOf([
  ...madeMoments({ bucket: 'up_5', breadth: 'some', weeks: 50, edge: 400 }),
  ...madeMoments({ bucket: 'within_5', breadth: 'alone', weeks: 40, edge: 15 }),
  ...madeMoments({ bucket: 'up_15', breadth: 'broad', weeks: 3, edge: 900 }),
  ...madeMoments({ bucket: 'up_30', breadth: 'alone', weeks: 1, edge: 900 }),
  ...madeMoments({ bucket: 'down_15', breadth: 'broad', weeks: 12, edge: 120 }),
]);

/** Openings of a group that holds with assets that are gone, and of one that does not because of that. */
const GONE = edgeStudyOf([
  ...madeMoments({ bucket: 'down_5', breadth: 'alone', weeks: 50, edge: -2000, goneEach: 40 }),
  ...madeMoments({ bucket: 'up_5', breadth: 'alone', weeks: 50, edge: 400, goneEach: 40 }),
]);

const NOT_HELD = STUDY.groups.find(
  ({ bucket, whole }) => bucket === 'down_15' && whole.n > 0,
) as EdgeGroup;

/** A group that holds, if a few large returns made its mean. */
function skewed(group: EdgeGroup): EdgeGroup {
  const seven = { ...group.horizons['7d'], median_excess: -60 };
  return { ...group, horizons: { ...group.horizons, '7d': seven } };
}

const HELD = STUDY.groups.find(
  ({ bucket, withheld }) => bucket === 'up_5' && withheld.length === 0,
) as EdgeGroup;

interface GroupCase {
  readonly number: number;
  readonly group: EdgeGroup;
  readonly plain?: string;
  readonly caveats?: readonly string[];
  readonly withheld?: readonly (readonly [string, string])[];
}

function groupCase({ number }: Pick<EdgeStudy, 'number'>, group: EdgeGroup): GroupCase {
  if (group.withheld.length === 0) {
    return { number, group, plain: plainText(group), caveats: caveatTexts(group) };
  }
  const withheld = group.withheld.map(
    (reason) => [reason, reasonText(reason, group, number)] as const,
  );
  return { number, group, withheld };
}

const AT = '2026-09-21T14:15:00Z';
const EVENT = { opened_at: AT, move_24h: 900, breadth: { up: 10, down: 0, of: 80 } } as never;
const ASKED: RateQuestion = {
  class: 'crypto',
  latest: { ts: parseTime(AT), score: 72 },
  current: true,
  threshold: 70,
  event: EVENT,
};

/** Each row of the page's table, by what changes in `ASKED` and whether a study is frozen. */
const QUESTIONS: readonly (readonly [Partial<RateQuestion>, boolean])[] = [
  [{ latest: undefined }, true],
  [{ current: false }, true],
  [{ latest: { ts: parseTime(AT), score: null } }, true],
  [{ latest: { ts: parseTime(AT), score: 69 }, class: 'stock' }, false],
  [{ class: 'stock', event: undefined }, false],
  [{ event: undefined }, true],
  [{ event: { ...(EVENT as object), opened_at: '2026-09-21T14:00:00Z' } as never }, true],
  [{}, false],
  [{ event: { ...(EVENT as object), move_24h: null } as never }, true],
  [{ event: { ...(EVENT as object), move_24h: 1500 } as never }, true],
];

function questionCase([change, isFrozen]: (typeof QUESTIONS)[number]): object {
  const question = { ...ASKED, ...change };
  const answer = answerRate(question, isFrozen ? STUDY : undefined);
  if (answer.rate) throw new Error('a question with a rate');
  const { class: of, current, threshold, latest, event } = question;
  return {
    class: of,
    latest: latest ?? null,
    current,
    threshold,
    event: event ?? null,
    frozen: isFrozen,
    reason: answer.reason,
    detail: answer.detail,
  };
}

/** Groups with their texts, then questions without a rate with theirs. */
export const RATE_WORD_CASES: readonly object[] = [
  ...[STUDY, GONE].flatMap((study) =>
    study.groups.filter(({ whole }) => whole.n > 0).map((group) => groupCase(study, group)),
  ),
  groupCase({ number: 1023 }, NOT_HELD),
  groupCase(STUDY, skewed(HELD)),
  ...QUESTIONS.map(questionCase),
];
