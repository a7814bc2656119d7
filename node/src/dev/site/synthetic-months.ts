import { shiftPeriod } from '@assay/core/rule/period';
import { formatDate } from '@assay/core/time/time';
import { draw } from './draw.ts';
import type { Month } from './macro-sample.ts';

/** How an invented series continues. `step` is added to the previous level, in its smallest digit. */
interface Course {
  readonly decimals: number;
  readonly step: (month: string, level: number) => number;
  /** By how much the step of a month is revised at the next release. */
  readonly revised: (month: string) => number;
}

const none = (): number => 0;

const COURSES: Readonly<Record<string, Course>> = {
  // Thousands of jobs: 5 to 185 more in a month, revised by up to 30 in either direction.
  CES0000000001: {
    decimals: 0,
    step: (month) => 5 + draw(`jobs/${month}`, 181),
    revised: (month) => draw(`jobs revised/${month}`, 61) - 30,
  },
  // Tenths of a percent, limited to between 3.5 and 5.
  LNS14000000: {
    decimals: 1,
    step: (month, level) => {
      const move = draw(`unemp/${month}`, 3) - 1;
      return level + move < 35 || level + move > 50 ? 0 : move;
    },
    revised: none,
  },
  // Thousandths of an index: 0 to 0.5 percent a month.
  CUSR0000SA0: {
    decimals: 3,
    step: (month, level) => Math.round((level * draw(`cpi/${month}`, 51)) / 10_000),
    revised: none,
  },
  CUSR0000SA0L1E: {
    decimals: 3,
    step: (month, level) => Math.round((level * (15 + draw(`corecpi/${month}`, 21))) / 10_000),
    revised: none,
  },
};

/**
 * The invented months of a series after `last`, up to `newest` (day numbers of months). The newest is as first
 * printed, and each of the others as revised.
 */
export function syntheticMonths(series: string, last: Month, newest: number): readonly Month[] {
  const course = COURSES[series];
  if (course === undefined || last.level === null) {
    throw new TypeError(`syntheticMonths: nothing to go on with for ${series}`);
  }
  let level = Math.round(Number(last.level) * 10 ** course.decimals);
  const months: Month[] = [];
  for (
    let period = shiftPeriod('month', last.period, 1);
    period <= newest;
    period = shiftPeriod('month', period, 1)
  ) {
    const month = formatDate(period);
    level += course.step(month, level) + (period === newest ? 0 : course.revised(month));
    months.push({ period, level: (level / 10 ** course.decimals).toFixed(course.decimals) });
  }
  return months;
}
