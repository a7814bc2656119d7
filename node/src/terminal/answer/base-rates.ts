import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { LeftOut } from '@assay/core/terminal/edge/moment-sample';
import { formatTime } from '@assay/core/time/time';
import {
  type FrozenStudy,
  type JudgedGroup,
  judgedGroup,
  sourceOf,
  type StudySource,
} from './base-rate-group.ts';

/** The newest study of a class with every group of it, held or not. */
export interface StudyPayload {
  readonly class: AssetClass;
  readonly source: StudySource;
  /** Where the later stretch of its time begins; null without openings. */
  readonly later_from: string | null;
  /** The openings that were studied, and how many were left out for what reason. */
  readonly n: number;
  readonly left_out: LeftOut;
  readonly groups: readonly JudgedGroup[];
}

export interface StudiesPayload {
  /** One for each class that has a frozen study. */
  readonly studies: readonly StudyPayload[];
}

export function studiesPayload(studies: readonly FrozenStudy[]): StudiesPayload {
  return { studies: studies.map(studyPayload) };
}

function studyPayload(study: FrozenStudy): StudyPayload {
  const { blob } = study;
  return {
    class: blob.class,
    source: sourceOf(study),
    later_from: blob.later_from === null ? null : formatTime(blob.later_from),
    n: blob.moments.length,
    left_out: blob.left_out,
    groups: blob.groups.map((group) => judgedGroup(blob, group)),
  };
}
