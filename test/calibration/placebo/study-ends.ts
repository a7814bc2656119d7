import {
  firstStudyMonth,
  monthOf,
  monthStart,
  studyNumber,
} from '@assay/core/terminal/edge/study-spending';
import { timeOf } from './panel-moments.ts';
import { PANEL_START, STEP_SECONDS } from './panel.ts';

/** A study of a panel: its number, and the newest step that it knows. */
export interface StudyEnd {
  readonly number: number;
  readonly end: number;
}

/** The monthly studies of a panel with so many steps, and then the one of the whole panel. */
export function studyEnds(steps: number): readonly StudyEnd[] {
  const ends: StudyEnd[] = [];
  const first = firstStudyMonth(PANEL_START);
  const newest = monthOf(timeOf(steps));
  for (let month = first; month <= newest; month += 1) {
    // A study of a month rests on what is before the month's first tick.
    const end = Math.ceil((monthStart(month) - PANEL_START) / STEP_SECONDS) - 1;
    ends.push({ number: studyNumber(PANEL_START, month), end });
  }
  return [...ends, { number: studyNumber(PANEL_START, newest + 1), end: steps }];
}
