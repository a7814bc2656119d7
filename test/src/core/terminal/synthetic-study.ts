import type { HorizonReturns, StudyData } from '@assay/core/terminal/study/base-rate';
import type { StudyBlob } from '@assay/core/terminal/study/study-blob';
import { vectors } from '../fixture/fixture.ts';

/** A study that no market made: its events are drawn so that one group holds, and its result was computed apart. */
export interface SyntheticStudy {
  readonly ordinary_rows: readonly HorizonReturns[];
  readonly data: StudyData;
  readonly study: StudyBlob;
}

export function syntheticStudy(): SyntheticStudy {
  return vectors<SyntheticStudy>('base-rate/synthetic-study');
}
