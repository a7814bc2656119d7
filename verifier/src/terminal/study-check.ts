import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Study } from '@assay/core/kind/study';
import { pacedSteps } from '@assay/core/steps';
import { type StudyEvent, studySteps } from '@assay/core/terminal/study/base-rate';
import type { Horizon } from '@assay/core/kind/horizon';
import type { OrdinaryCounts } from '@assay/core/terminal/study/ordinary-tally';
import type { HorizonReturn } from '@assay/core/terminal/study/return-statistics';
import { parseStudyBlob, type StudyBlob } from '@assay/core/terminal/study/study-blob';
import { parseTime } from '@assay/core/time/time';
import { eventsByOpening, type EventRow, type Entered } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from '../verdict/difference.ts';
import { checkOrdinary } from './ordinary-check.ts';
import type { CheckContext } from '../check/read-check.ts';

/** What a study that is due rests on, of its class. */
export interface StudyRange {
  /** The number of entries from the log's first on. */
  readonly to: number;
  /** The score rule of the newest tick among them. */
  readonly rule: HashHex;
  /** The counts of ordinary moments that their leaves make; undefined where one of them could not be read. */
  readonly counts: OrdinaryCounts | undefined;
}

/**
 * Makes a study that is due again, from the events of its range and from the ordinary moments that it names, and
 * demands the same groups. The number of ordinary moments follows from the leaves. Their outcomes depend on values that
 * the log only commits to, so those are taken from the study, as far as its numbers are consistent.
 */
export async function checkStudy(
  study: Study,
  place: string,
  range: StudyRange,
  state: ViewState,
  sha256: Sha256,
  { evidence, findings, notChecked, pause, work }: CheckContext,
): Promise<void> {
  const { class: of, from, to, rule } = study;
  if (rule !== range.rule) findings.add('study_differs', `${place}/rule`, range.rule, rule);
  const bytes = await evidence.bytes(study.blob, place);
  if (bytes === undefined) return;
  let blob: StudyBlob;
  try {
    blob = parseStudyBlob(bytes, work);
  } catch (error) {
    findings.add('study_malformed', `${place}, blob ${study.blob}`, 'a study', messageOf(error));
    return;
  }
  const { ordinary } = blob;
  if (range.counts === undefined) {
    notChecked.add(
      'terminal',
      `how many ordinary moments there are in a study of ${of}`,
      'a tick before it could not be read',
      'again',
    );
  } else {
    checkOrdinary(ordinary, range.counts, `${place}, blob/ordinary`, findings);
  }
  const events = closedEvents(state, study);
  const data = { class: of, rule, from, to, events, ordinary };
  const again = await pacedSteps(studySteps(sha256, data), pause);
  const difference = firstDifference(again, blob);
  if (difference !== undefined) {
    const { path, expected, found } = difference;
    findings.add('study_differs', `${place}, blob${path}`, expected, found);
  }
  notChecked.add(
    'terminal',
    'what became of the ordinary moments of a study, and the moves and returns of its events',
    'they rest on prices that the log commits to: a publisher that misstates them moves every edge, interval and p. The leaves fix how many moments there are, and the groups were made again from these numbers as they are. Whoever has the values: assay receipts check',
    'market',
  );
}

/**
 * The events of a study's class that closed within its range, under any score rule, with what the range records of
 * them.
 */
function closedEvents(state: ViewState, { class: of, to }: Study): readonly StudyEvent[] {
  const events: StudyEvent[] = [];
  for (const row of eventsByOpening(state)) {
    const { open, close } = row;
    if (open.body.class !== of || close === null || close.seq >= to) continue;
    const { id, symbol, opened_at, move_24h, breadth } = open.body;
    events.push({
      id,
      symbol,
      opened_at: parseTime(opened_at),
      move_24h,
      breadth,
      returns: {
        '1d': returnOf(row, '24h', to),
        '7d': returnOf(row, '7d', to),
        '30d': returnOf(row, '30d', to),
      },
    });
  }
  return events;
}

function returnOf({ receipts, benchmarks }: EventRow, horizon: Horizon, to: number): HorizonReturn {
  const said = (each: Entered<{ readonly ret: number | null }> | null): number | null =>
    each === null || each.seq >= to ? null : each.body.ret;
  return { ret: said(receipts[horizon]), benchmark: said(benchmarks[horizon]) };
}
