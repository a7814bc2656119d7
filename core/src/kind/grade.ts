import type { ArenaNumber } from '../arena/forecast/arena-number.ts';
import { parseHandle } from '../arena/forecast/handle.ts';
import { parseRoundId } from '../arena/forecast/round-id.ts';
import type { HashHex } from '../hash/hash.ts';
import {
  array,
  hashHex,
  i64,
  integer,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
} from '../wire/schema.ts';
import { MAX_FORECASTS } from './forecast.ts';
import { UNSEAL_VOIDS, type UnsealVoid } from './unseal.ts';

/** Why a round has no points: it was not opened, or its period has no print that can be compared with. */
export type GradeVoid = UnsealVoid | 'void_period' | 'withheld';
export const GRADE_VOIDS: readonly GradeVoid[] = [...UNSEAL_VOIDS, 'void_period', 'withheld'];

/** The most results of one entry, so that it stays below the limit of an entry. */
export const MAX_RESULTS = 400;

/** The most entries that one round is graded in: with them every handle of a full round has its result. */
const MAX_PARTS = MAX_FORECASTS / MAX_RESULTS + 1;

/** What a handle's forecast was, and what it earned. */
export interface Result {
  /** The handle's id, hex. */
  readonly handle: string;
  /** A scaled integer as text; null for a forecast that did not open. */
  readonly value: string | null;
  readonly points: number;
}

/** The grades of a round. Where it has many results they are in several entries, which share all but the results. */
export interface Grade {
  /** The id of the round. */
  readonly round: string;
  /** From 0. */
  readonly part: number;
  readonly parts: number;
  /** The first final print, a scaled integer as text; null for a void round. */
  readonly print: string | null;
  /** Hash of the report that ended the period; null where the round was void before there was one. */
  readonly report: HashHex | null;
  /** Null where the round is graded. */
  readonly void_reason: GradeVoid | null;
  readonly arena: ArenaNumber;
  /** How many handles have a forecast that counts, those of the house left out. */
  readonly count: number;
  /** How many of them did not open. */
  readonly unopened: number;
  /** In the order of the forecasts' ordinals, and after them those of the house. */
  readonly results: readonly Result[];
}

const count = integer(0, MAX_FORECASTS);

const parseShape: Parse<Grade> = object<Grade>({
  round: parseRoundId,
  part: integer(0, MAX_PARTS),
  parts: integer(1, MAX_PARTS),
  print: nullable(i64),
  report: nullable(hashHex),
  void_reason: nullable(oneOf(GRADE_VOIDS)),
  arena: object<ArenaNumber>({ value: nullable(i64), n: integer(0, 100) }),
  count,
  unopened: count,
  results: array(
    object<Result>({ handle: parseHandle, value: nullable(i64), points: integer(0, 100) }),
    0,
    MAX_RESULTS,
  ),
});

/** A grade's body, or `malformed`. A void round has no print and no results. */
export const parseGrade: Parse<Grade> = (value, at) => {
  const grade = parseShape(value, at);
  const isVoid = grade.void_reason !== null;
  if (grade.part >= grade.parts) {
    throw malformed(`${at}.part`, `below ${grade.parts}`, grade.part);
  }
  if (grade.unopened > grade.count) {
    throw malformed(`${at}.unopened`, `at most ${grade.count}`, grade.unopened);
  }
  if ((grade.print === null) !== isVoid) {
    throw malformed(`${at}.print`, 'a print or a reason', grade.print);
  }
  if (isVoid && (grade.parts > 1 || grade.results.length > 0)) {
    throw malformed(`${at}.results`, 'none of a void round', grade.results.length);
  }
  if (grade.print !== null && grade.report === null) {
    throw malformed(`${at}.report`, 'the report of the print', grade.report);
  }
  return grade;
};
