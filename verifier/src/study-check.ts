import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash';
import type { Study } from '@assay/core/kind/study';
import { makeStudy, type StudyEvent } from '@assay/core/terminal/base-rate';
import type { Horizon } from '@assay/core/terminal/horizon';
import type { HorizonReturn } from '@assay/core/terminal/return-statistics';
import { parseStudyBlob, type StudyBlob } from '@assay/core/terminal/study-blob';
import { parseTime } from '@assay/core/time';
import { scoreRuleOf } from '@assay/core/view/score-rules';
import { eventsByOpening, type EventRow, type Said } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from './difference.ts';
import type { CheckContext } from './read-check.ts';

/**
 * Makes a study again from the events of its range and from the ordinary moments that it names, and demands the same
 * groups. What ordinary moments became rests on values that the log only commits to: that is taken from the study.
 */
export async function checkStudy(
  study: Study,
  { seq, place }: { readonly seq: number; readonly place: string },
  state: ViewState,
  sha256: Sha256,
  { evidence, findings, notChecked, tally }: CheckContext,
): Promise<void> {
  tally.studies += 1;
  const { class: of, from, to, rule } = study;
  if (to > seq) findings.add('study_differs', `${place}/to`, `at most ${seq}`, `${to}`);
  if (scoreRuleOf(state, of, rule) === undefined) {
    findings.add('study_differs', `${place}/rule`, `a score rule of ${of} in this log`, rule);
  }
  const bytes = await evidence.bytes(study.blob, place);
  if (bytes === undefined) return;
  let blob: StudyBlob;
  try {
    blob = parseStudyBlob(bytes);
  } catch (error) {
    findings.add('study_malformed', `${place}, blob ${study.blob}`, 'a study', messageOf(error));
    return;
  }
  const { ordinary } = blob;
  const events = closedEvents(state, study);
  const again = makeStudy(sha256, { class: of, rule, from, to, events, ordinary });
  const difference = firstDifference(again, blob);
  if (difference !== undefined) {
    const { path, expected, found } = difference;
    findings.add('study_differs', `${place}, blob${path}`, expected, found);
  }
  notChecked.add(
    'what became of the ordinary moments of a study',
    'it rests on prices that the log commits to: the groups were made again from the events, with these few numbers as they are',
  );
}

/** The events of a study's class that opened and closed within its range, with what the range says of them. */
function closedEvents(state: ViewState, { class: of, from, to }: Study): readonly StudyEvent[] {
  const events: StudyEvent[] = [];
  for (const row of eventsByOpening(state)) {
    const { open, close } = row;
    if (open.body.class !== of || open.seq < from || close === null || close.seq >= to) continue;
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
  const said = (each: Said<{ readonly ret: number | null }> | null): number | null =>
    each === null || each.seq >= to ? null : each.body.ret;
  return { ret: said(receipts[horizon]), benchmark: said(benchmarks[horizon]) };
}
