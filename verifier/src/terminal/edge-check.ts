import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Study } from '@assay/core/kind/study';
import { pacedSteps } from '@assay/core/steps';
import { type EdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { edgeGroupSteps } from '@assay/core/terminal/edge/edge-groups';
import type { Moments } from '@assay/core/terminal/edge/moment-sample';
import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';
import { type Difference, firstDifference } from '../verdict/difference.ts';
import { eventDifference } from './moment-events.ts';
import { contradiction, type StatedReturns } from './moment-values.ts';
import { type PublicReturn, returnsOf } from './public-returns.ts';

/** What a `study/2` that is due rests on, of its class. */
export interface EdgeRange {
  /** The number of entries from the log's first on. */
  readonly to: number;
  /** The score rule of the newest tick among them. */
  readonly rule: HashHex;
  /** Which study it is. */
  readonly number: number;
  /**
   * The moments that their leaves make, without prices: each `ret` is the time at which the return ends, in unix
   * seconds, or 0 where the asset had no price after it was entered, and the bases mean nothing. Undefined where leaves
   * could not be read.
   */
  readonly made: Moments | undefined;
  /** The time of the newest tick among them, in unix seconds. */
  readonly newest: number;
  /** The moves that events state, as far as leaves show where they begin. */
  readonly moves: readonly PublicReturn[];
}

/** The log around a study. */
export interface StudiedLog {
  readonly state: ViewState;
  /** The grid of its class. */
  readonly grid: TickGrid;
  readonly sha256: Sha256;
  /** What the study of its class before it states, which this study has to repeat. */
  readonly stated: StatedReturns;
}

/**
 * Makes a `study/2` that is due again, as far as no price is needed: its moments from the entries and leaves of its
 * range, and its groups from the returns that it states of them. The returns themselves rest on prices, so they are
 * only held against each other and against the other returns that the log states.
 */
export async function checkEdgeStudy(
  study: Study,
  place: string,
  range: EdgeRange,
  { state, grid, sha256, stated }: StudiedLog,
  { evidence, findings, notChecked, pause, work }: CheckContext,
): Promise<void> {
  const { class: of, from, to, rule } = study;
  const { number, made, newest, moves } = range;
  if (rule !== range.rule) findings.add('study_differs', `${place}/rule`, range.rule, rule);
  const bytes = await evidence.bytes(study.blob, place);
  if (bytes === undefined) return;
  let blob: EdgeStudy;
  try {
    blob = parseEdgeStudy(bytes, work);
  } catch (error) {
    findings.add('study_malformed', `${place}, blob ${study.blob}`, 'a study', messageOf(error));
    return;
  }
  const report = (difference: Difference | undefined): void => {
    if (difference === undefined) return;
    const { path, expected, found } = difference;
    findings.add('study_differs', `${place}, blob${path}`, expected, found);
  };
  const { left_out = blob.left_out, moments } = made ?? {};
  const groups = await pacedSteps(edgeGroupSteps(sha256, of, number, blob.moments), pause);
  const head = { type: blob.type, class: of, rule, from, to, number, left_out };
  report(firstDifference({ ...head, ...groups, moments: blob.moments }, blob));
  report(
    moments === undefined
      ? eventDifference({ ...blob, class: of, to }, newest, { state, grid })
      : momentDifference(moments, blob.moments),
  );
  report(contradiction(blob.moments, moments, [...returnsOf(state, of), ...moves]));
  report(stated.difference(blob.moments));
  stated.take(place, blob.moments);
  if (made === undefined) {
    notChecked.add(
      'terminal',
      `which events of ${of} are moments of a study, and when they were entered`,
      'a tick before it could not be read',
      'again',
    );
  }
  notChecked.add(
    'terminal',
    `ret, base and base_lost of each moment of a study`,
    'they rest on prices that the log commits to: a publisher that misstates them moves every edge and interval. Everything else in the study was made again from entries, leaves and these numbers as they are. Whoever has the values: assay receipts check',
    'market',
  );
}

/** The first place where moments differ in what needs no price. */
function momentDifference(
  made: readonly StudyMoment[],
  stated: readonly StudyMoment[],
): Difference | undefined {
  for (let i = 0; i < Math.max(made.length, stated.length); i += 1) {
    const [expected, found] = [made[i], stated[i]].map((each) => each && withoutPrices(each));
    const difference = firstDifference(expected, found, `/moments/${i}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function withoutPrices(moment: StudyMoment): object {
  const { '1d': day, '7d': week, '30d': month } = moment.returns;
  const bare = (each: MomentReturn | null): object | null => {
    if (each === null) return null;
    const { gone, gone_controls, unpriced_controls } = each;
    return { gone, gone_controls, unpriced_controls };
  };
  return { ...moment, returns: { '1d': bare(day), '7d': bare(week), '30d': bare(month) } };
}
