import type { Sha256 } from '../../hash/hash.ts';
import { type ScoreRule, studyVersion } from '../rule/score-rule.ts';
import { type MadeStudy, StudyMaker } from '../study/study-maker.ts';
import { EdgeStudyMaker } from './edge-study-maker.ts';

/** The kinds of entries that name a study, by the version of its method. */
export const STUDY_KINDS = { 1: 'study/1', 2: 'study/2' } as const;
export type StudyKind = (typeof STUDY_KINDS)[1 | 2];

/** What makes the study of a class whose ticks all name one rule, and the kind of its entry. */
export interface RuledStudy {
  readonly kind: StudyKind;
  readonly maker: Pick<StudyMaker, 'take' | 'step'> & {
    readonly make: (from: number, to: number) => MadeStudy;
  };
}

/** The study that a rule names. */
export function ruledStudy(sha256: Sha256, rule: ScoreRule): RuledStudy {
  const version = studyVersion(rule);
  const Maker = version === 1 ? StudyMaker : EdgeStudyMaker;
  return { kind: STUDY_KINDS[version], maker: new Maker(sha256, rule) };
}
