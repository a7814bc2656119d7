import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { type EdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EXIT_SECONDS } from '@assay/core/terminal/edge/moment-sample';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { eventDifference } from '@assay/verifier/terminal/moment-events';
import { EDGE_RULE, edgeLog } from '../fixture/edge-log.ts';
import { type StudiedRange, studiedRanges } from '../fixture/edge-range.ts';
import { Forge, type Loose } from '../fixture/forge.ts';
import { publish } from '../fixture/published.ts';
import { newestOf, tickedLog } from '../fixture/ticked-log.ts';

const LOG = edgeLog();
const { views: STATE } = publish(LOG.entries, LOG.blobs, LOG.checkpoints);
const LOG_OF_CLASS = { state: STATE, grid: utcGrid };
const [MAY, JUNE] = studiedRanges(LOG) as [StudiedRange, StudiedRange];
const studyOf = ({ study }: StudiedRange): EdgeStudy =>
  parseEdgeStudy(LOG.blobs.get(study.blob) as Uint8Array);
const STUDY = studyOf(MAY);
const NEWEST = MAY.range.newest;
const ENTRIES = LOG.entries.map((bytes) => parseEntry(bytes) as unknown as Loose);

/** Where the study of May contradicts the entries once its fifth moment is another one. */
function placeOf(change: (moment: StudyMoment) => Partial<StudyMoment>): string | undefined {
  const moment = STUDY.moments[4] as StudyMoment;
  const moments = STUDY.moments.with(4, { ...moment, ...change(moment) });
  return eventDifference({ ...STUDY, moments }, NEWEST, LOG_OF_CLASS)?.path;
}

test('moment events: studies that the log makes contradict none of its entries', () => {
  for (const each of [MAY, JUNE]) {
    assert.equal(eventDifference(studyOf(each), each.range.newest, LOG_OF_CLASS), undefined);
  }
});

test('moment events: a moment is of an event of the range, as its entry states it', () => {
  const other = STUDY.moments[5] as StudyMoment;
  const later = ENTRIES.find(({ kind, seq }) => kind === 'event/1' && seq >= STUDY.to);
  assert.ok(later !== undefined);
  assert.equal(
    placeOf(() => ({ id: later['body'].id })),
    '/moments/4/id',
  );
  assert.equal(
    placeOf(({ id }) => ({ id: `${id.slice(0, -2)}00` })),
    '/moments/4/id',
  );
  assert.equal(
    placeOf(() => other),
    '/moments/5/id',
  );
  assert.equal(
    placeOf(({ symbol, opened_at }) => ({ ...other, symbol, opened_at })),
    '/moments/4/symbol',
  );
  assert.equal(
    placeOf(({ opened_at }) => ({ opened_at: opened_at - 900 })),
    '/moments/4/opened_at',
  );
  assert.equal(
    placeOf(({ bucket }) => ({ bucket: bucket === 'up_5' ? 'up_15' : 'up_5' })),
    '/moments/4/bucket',
  );
  assert.equal(
    placeOf(({ breadth }) => ({ breadth: breadth === 'broad' ? 'alone' : 'broad' })),
    '/moments/4/breadth',
  );
});

test('moment events: no leaves make a moment that was entered at its opening, or with too few controls', () => {
  const at = '/moments/4/entered_at';
  assert.equal(
    placeOf(({ opened_at }) => ({ entered_at: opened_at })),
    at,
  );
  assert.equal(
    placeOf(() => ({ controls: 4 })),
    '/moments/4/controls',
  );
});

test('moment events: a moment is entered at a tick of its class, soon after its opening', () => {
  const after = (seconds: number) =>
    placeOf(({ opened_at }) => ({ entered_at: opened_at + seconds }));
  const { silent } = EDGE_RULE.event;
  // The log has a tick in every hour.
  const latest = Math.floor(silent / 4);
  assert.deepEqual([after(3600), after(3600 * latest)], [undefined, undefined]);
  for (const seconds of [900, 3612, 3600 * (latest + 1), 5 * 86_400]) {
    assert.equal(after(seconds), '/moments/4/entered_at', `${seconds} s`);
  }
  // On a grid with so many counts in an hour, for a moment that was entered an hour after its opening.
  const [moment] = STUDY.moments.filter((each) => each.entered_at === each.opened_at + 3600);
  const counted = (counts: number) =>
    eventDifference({ ...STUDY, moments: [moment as StudyMoment] }, NEWEST, {
      state: STATE,
      grid: { ...utcGrid, indexOf: (ts) => (ts / 3600) * counts },
    })?.path;
  assert.deepEqual([counted(silent), counted(silent + 1)], ['/left_out', '/moments/0/entered_at']);
});

test('moment events: a return is stated only once its horizon is over, and with half of the controls there', () => {
  const week = ({ returns }: StudyMoment) => returns['7d'] ?? assert.fail();
  const [first] = STUDY.moments;
  assert.ok(first?.returns['30d']);
  const { entered_at: from, returns } = first;
  const late = (month: (typeof returns)['30d'], newest: number) =>
    eventDifference(
      { ...STUDY, moments: [{ ...first, returns: { ...returns, '30d': month } }] },
      newest + EXIT_SECONDS,
      LOG_OF_CLASS,
    )?.path;
  const [week7, month30] = [from + 7 * 86_400, from + 30 * 86_400];
  const at = '/moments/0/entered_at';
  assert.deepEqual([late(returns['30d'], month30 - 1), late(null, week7 - 1)], [at, at]);
  assert.deepEqual([late(returns['30d'], month30), late(null, week7)], ['/left_out', '/left_out']);
  const counting = (gone_controls: number, unpriced_controls: number) =>
    placeOf((moment) => ({
      controls: 9,
      returns: {
        ...moment.returns,
        '7d': { ...week(moment), gone_controls, unpriced_controls },
      },
    }));
  assert.equal(counting(4, 4), undefined);
  assert.equal(counting(5, 4), '/moments/4/returns/7d/gone_controls');
  assert.equal(counting(3, 4), '/moments/4/returns/7d/unpriced_controls');
});

test('moment events: an event is a moment or left out, and no other is either', () => {
  const found = (study: Partial<EdgeStudy>, state = STATE) =>
    eventDifference({ ...STUDY, ...study }, NEWEST, { state, grid: utcGrid });
  for (const name of ['few_controls', 'no_entry', 'no_exit', 'not_over'] as const) {
    const left_out = { ...STUDY.left_out, [name]: STUDY.left_out[name] + 1 };
    assert.equal(found({ left_out })?.path, '/left_out');
  }
  const moments = STUDY.moments.slice(1);
  assert.equal(found({ moments })?.path, '/left_out');
  const left_out = { ...STUDY.left_out, not_over: STUDY.left_out.not_over + 1 };
  assert.equal(found({ moments, left_out }), undefined);
});

test('moment events: those of another class, and under a rule with other studies, belong to none', () => {
  const none = {
    ...STUDY,
    moments: [],
    groups: [],
    left_out: { few_controls: 0, no_entry: 0, no_exit: 0, not_over: 0 },
  };
  assert.equal(eventDifference(none, NEWEST, LOG_OF_CLASS)?.path, '/left_out');
  assert.equal(eventDifference({ ...none, class: 'stock' }, NEWEST, LOG_OF_CLASS), undefined);
  const forge = new Forge(LOG);
  const [moment] = STUDY.moments;
  assert.ok(moment !== undefined);
  newestOf(forge, 'event/1', ({ id }) => id === moment.id).draft.body['class'] = 'stock';
  assert.equal(
    eventDifference(STUDY, NEWEST, { state: forge.publish().views, grid: utcGrid })?.path,
    '/moments/0/id',
  );
  const first = tickedLog();
  const { views } = publish(first.entries, first.blobs, first.checkpoints);
  assert.equal(eventDifference(none, NEWEST, { state: views, grid: utcGrid }), undefined);
});
