import type { Clocks } from '@assay/core/rule/clocks';
import { parseTime, type TimeText } from '@assay/core/time/time';
import type { CaseClocks } from './decision-cases.ts';

/** The clocks of a vector, in the form of the code. */
export function clocksIn({ release, frozen, first_print, deadline }: CaseClocks): Clocks {
  const seconds = (at: string): number => parseTime(at as TimeText);
  return {
    release: seconds(release),
    frozen: frozen === null ? Number.POSITIVE_INFINITY : seconds(frozen),
    firstPrint: seconds(first_print),
    deadline: seconds(deadline),
    seen: null,
  };
}
