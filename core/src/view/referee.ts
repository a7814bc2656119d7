import { formatHex, parseHex } from '../bytes/hex.ts';
import { leafHash, type Hash, type HashHex, hashHex, type Sha256, toHash } from '../hash/hash.ts';
import type { Answers, ClosedAnswers, TakenAnswers } from '../kind/answers.ts';
import type { EventGroup } from '../kind/event-group.ts';
import type { Outcome } from '../kind/outcome.ts';
import type { Question } from '../kind/question.ts';
import { appendLeaf, type Frontier, frontierRoot } from '../log/tree.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { Entered } from './terminal-events.ts';
import type { FoldedEntry, View, ViewState, ViewWrite } from './view.ts';

const QUESTIONS = 'questions';
/** By question: the answers so far, how they closed, and the outcome. */
const PROGRESS = 'question-progress';
const BY_OPENING = 'questions-opened';
const openedTable = (symbol: string): string => `questions-opened/${symbol}`;
/** One row: the ids of the questions without an outcome, in the order of the log. */
const PENDING = 'questions-pending';
/** One row: the ids of the questions whose answers have not been opened, in the order of the log. */
const UNCLOSED = 'questions-unclosed';
/** How many outcomes are yes, of how many: of all questions, and of each group. */
const TALLIES = 'outcome-tallies';
const ALL = 'all';
/** What scores are computed from. */
const SUMS = 'question-sums';
const BINS = 'question-bins';
/** By how many had answered a question: how many such questions there are, and the sum of their squared errors. */
const CROWD = 'question-crowds';

/** A question with the time that its entry claims. */
export interface QuestionRow extends Entered<Question> {
  readonly at: TimeText;
}

/** What has become of a question. */
export interface QuestionProgress {
  /** The number of leaves in the log. */
  readonly count: number;
  /** The roots of the perfect subtrees of those leaves, largest first. */
  readonly peaks: readonly HashHex[];
  readonly closed: (Entered<ClosedAnswers> & { readonly at: TimeText }) | null;
  readonly outcome: (Entered<Outcome> & { readonly at: TimeText }) | null;
}

/** How many outcomes are yes, of how many that are not void. */
export interface OutcomeTally {
  readonly yes: number;
  readonly of: number;
}

/** Sums of squared errors over the questions that are resolved, in ten-thousandths. */
export interface ScoreSums {
  readonly resolved: number;
  readonly void: number;
  readonly service: number;
  readonly persistence: number;
  readonly always_under: number;
  readonly climatology: number;
}

/** The service's answers from `10 * bin` percent to below the next bin; 100 is in the last one. */
export interface CalibrationBin {
  readonly n: number;
  /** The sum of the answers, in percent. */
  readonly p: number;
  readonly yes: number;
}

/** Questions that as many callers had answered. */
export interface CrowdSum {
  readonly n: number;
  /** The sum of the squares of the answers that were wrong: `no` answers where it came out yes, and the reverse. */
  readonly squares: number;
}

/** The number of bins of the calibration. */
export const CALIBRATION_BINS = 10;

const NO_PROGRESS: QuestionProgress = { count: 0, peaks: [], closed: null, outcome: null };
const NO_SUMS: ScoreSums = {
  resolved: 0,
  void: 0,
  service: 0,
  persistence: 0,
  always_under: 0,
  climatology: 0,
};

/**
 * Every question with its answers and its outcome, and the sums that scores are made of. Where two entries state the same
 * part of a question, the first counts. Answers that do not follow those before them have no effect.
 */
export const refereeView: View = {
  name: 'referee',
  apply(entry, state, sha256) {
    switch (entry.kind) {
      case 'question/1':
        return asked(entry, state);
      case 'answers/1':
        return answered(entry, entry.body, state, sha256);
      case 'outcome/1':
        return resolved(entry, entry.body, state);
      default:
        return [];
    }
  },
};

function asked(
  { seq, at, body }: Extract<FoldedEntry, { readonly kind: 'question/1' }>,
  state: ViewState,
): readonly ViewWrite[] {
  const { id, symbol } = body;
  if (questionRow(state, id) !== undefined) return [];
  const row: QuestionRow = { seq, at, body };
  const key = questionPlace(body);
  return [
    { table: QUESTIONS, key: id, value: wire(row) },
    { table: PROGRESS, key: id, value: wire(NO_PROGRESS) },
    { table: BY_OPENING, key, value: id },
    { table: openedTable(symbol), key, value: id },
    pending([...pendingQuestions(state), id]),
    unclosed([...unclosedQuestions(state), id]),
  ];
}

function answered(
  { seq, at }: FoldedEntry,
  body: Answers,
  state: ViewState,
  sha256: Sha256,
): readonly ViewWrite[] {
  const before = questionProgress(state, body.question);
  if (before === undefined || before.closed !== null) return [];
  if (body.type === 'closed') {
    const { question } = body;
    const { outcome } = before;
    return [
      progress(question, { ...before, closed: { seq, at, body } }),
      unclosed(unclosedQuestions(state).filter((id) => id !== question)),
      // They are opened before the outcome, unless the publisher was late.
      ...(outcome === null ? [] : crowdOf(body, outcome.body, state)),
    ];
  }
  if (body.first !== before.count) return [];
  return [progress(body.question, { ...before, ...grown(sha256, before, body) })];
}

function grown(
  sha256: Sha256,
  before: QuestionProgress,
  { leaves }: TakenAnswers,
): Pick<QuestionProgress, 'count' | 'peaks'> {
  const frontier = frontierOf(before);
  for (const leaf of leaves) appendLeaf(sha256, frontier, leafHash(sha256, parseHex(leaf, 32)));
  return { count: frontier.size, peaks: frontier.peaks.map(hashHex) };
}

function resolved({ seq, at }: FoldedEntry, body: Outcome, state: ViewState): readonly ViewWrite[] {
  const row = questionRow(state, body.question);
  const before = questionProgress(state, body.question);
  if (row === undefined || before === undefined || before.outcome !== null) return [];
  const writes = [
    progress(body.question, { ...before, outcome: { seq, at, body } }),
    pending(pendingQuestions(state).filter((id) => id !== body.question)),
  ];
  return [...writes, ...scored(row.body, before, body, state)];
}

/** The sums with one more outcome. */
function scored(
  { nulls, service }: Question,
  { closed }: QuestionProgress,
  { outcome }: Outcome,
  state: ViewState,
): readonly ViewWrite[] {
  const sums = scoreSums(state);
  if (outcome === 'void') return [write(SUMS, ALL, { ...sums, void: sums.void + 1 })];
  const yes = outcome === 'yes' ? 1 : 0;
  const error = (p: number): number => (p - 100 * yes) ** 2;
  const bin = Math.min(Math.floor(service.p / CALIBRATION_BINS), CALIBRATION_BINS - 1);
  const inBin = calibrationBin(state, bin);
  const writes = [
    write(SUMS, ALL, {
      ...sums,
      resolved: sums.resolved + 1,
      service: sums.service + error(service.p),
      persistence: sums.persistence + error(nulls.persistence),
      always_under: sums.always_under + error(nulls.always_under),
      climatology: sums.climatology + error(nulls.climatology),
    }),
    write(BINS, String(bin), { n: inBin.n + 1, p: inBin.p + service.p, yes: inBin.yes + yes }),
    ...[ALL, ...(service.group === null ? [] : [groupKey(service.group)])].map((key) => {
      const tally = tallyAt(state, key);
      return write(TALLIES, key, { yes: tally.yes + yes, of: tally.of + 1 });
    }),
  ];
  return closed === null ? writes : [...writes, ...crowdOf(closed.body, { outcome }, state)];
}

/** The sum of the crowd with one more question. */
function crowdOf(
  { count, yes, no }: ClosedAnswers,
  { outcome }: Pick<Outcome, 'outcome'>,
  state: ViewState,
): readonly ViewWrite[] {
  if (count === 0 || outcome === 'void') return [];
  const wrong = outcome === 'yes' ? no : yes;
  const { n, squares } = crowdSum(state, count);
  return [write(CROWD, seqKey(count), { n: n + 1, squares: squares + wrong * wrong })];
}

function write(table: string, key: string, row: object): ViewWrite {
  return { table, key, value: wire(row) };
}

function progress(id: string, row: QuestionProgress): ViewWrite {
  return write(PROGRESS, id, row);
}

function pending(ids: readonly string[]): ViewWrite {
  return { table: PENDING, key: ALL, value: ids };
}

function unclosed(ids: readonly string[]): ViewWrite {
  return { table: UNCLOSED, key: ALL, value: ids };
}

function groupKey({ bucket, breadth }: EventGroup): string {
  return `${bucket} ${breadth}`;
}

function tallyAt(state: ViewState, key: string): OutcomeTally {
  return (state.get(TALLIES, key) as unknown as OutcomeTally | undefined) ?? { yes: 0, of: 0 };
}

function frontierOf({ count, peaks }: QuestionProgress): Frontier {
  return { size: count, peaks: peaks.map((peak): Hash => toHash(parseHex(peak, 32))) };
}

/** The root over the leaves of a question that are in the log. */
export function answersRoot(sha256: Sha256, of: QuestionProgress): HashHex {
  return formatHex(frontierRoot(sha256, frontierOf(of))) as HashHex;
}

export function questionRow(state: ViewState, id: string): QuestionRow | undefined {
  return state.get(QUESTIONS, id) as unknown as QuestionRow | undefined;
}

export function questionProgress(state: ViewState, id: string): QuestionProgress | undefined {
  return state.get(PROGRESS, id) as unknown as QuestionProgress | undefined;
}

/** The ids of the questions without an outcome, in the order of the log. */
export function pendingQuestions(state: ViewState): readonly string[] {
  return (state.get(PENDING, ALL) as readonly string[] | undefined) ?? [];
}

/** The ids of the questions whose answers have not been opened, in the order of the log, whether or not they have an outcome. */
export function unclosedQuestions(state: ViewState): readonly string[] {
  return (state.get(UNCLOSED, ALL) as readonly string[] | undefined) ?? [];
}

/** All questions, or those of an asset: those of the newest events first. With `below`, only those after that place. */
export function* questionsByOpening(
  state: ViewState,
  symbol?: string,
  below?: string,
): Generator<QuestionRow> {
  const table = symbol === undefined ? BY_OPENING : openedTable(symbol);
  for (const [, id] of state.descend(table, below)) {
    yield questionRow(state, id as string) as QuestionRow;
  }
}

/** The place of a question in that order. */
export function questionPlace({ opened_at, symbol, id }: Question): string {
  return `${opened_at} ${symbol} ${id}`;
}

/** Of the outcomes so far that are not void: how many are yes, in a group or in all. */
export function outcomeTally(state: ViewState, group?: EventGroup): OutcomeTally {
  return tallyAt(state, group === undefined ? ALL : groupKey(group));
}

export function scoreSums(state: ViewState): ScoreSums {
  return (state.get(SUMS, ALL) as unknown as ScoreSums | undefined) ?? NO_SUMS;
}

/** The bin of the service's answers from `10 * bin` percent on. */
export function calibrationBin(state: ViewState, bin: number): CalibrationBin {
  const row = state.get(BINS, String(bin)) as unknown as CalibrationBin | undefined;
  return row ?? { n: 0, p: 0, yes: 0 };
}

function crowdSum(state: ViewState, count: number): CrowdSum {
  const row = state.get(CROWD, seqKey(count)) as unknown as CrowdSum | undefined;
  return row ?? { n: 0, squares: 0 };
}

/** The sums of the crowd, each with how many had answered. */
export function* crowdSums(state: ViewState): Generator<readonly [count: number, sum: CrowdSum]> {
  for (const [key, row] of state.list(CROWD)) yield [Number(key), row as unknown as CrowdSum];
}
