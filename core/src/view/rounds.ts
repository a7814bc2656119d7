import type { Freeze } from '../kind/freeze.ts';
import type { Grade } from '../kind/grade.ts';
import type { Round } from '../kind/round.ts';
import type { Unseal } from '../kind/unseal.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState, ViewWrite } from './view.ts';

const ROUNDS = 'rounds';
const BY_CLOSE = 'rounds-closing';
/** By ticker: the ids of the rounds that are not graded yet. */
const PENDING = 'rounds-pending';

/** A body with its entry. */
export interface RoundEntry<T> {
  readonly seq: number;
  /** The time of the entry, as it claims. */
  readonly at: TimeText;
  readonly body: T;
}

/** A round's grades without the results. */
export interface RoundGrade extends Omit<Grade, 'round' | 'part' | 'results'> {
  /** The entries of its parts so far, in their order. */
  readonly seqs: readonly number[];
  readonly at: TimeText;
}

/** A round with everything that the log states about it. Each of its parts is stated once and never changes. */
export interface RoundRow extends RoundEntry<Round> {
  readonly freeze: RoundEntry<Freeze> | null;
  readonly unseal: RoundEntry<Unseal> | null;
  readonly grade: RoundGrade | null;
}

/**
 * Every round by its id, and the rounds of each index that are not graded. Where two entries state the same part of a
 * round, the first counts. An entry about an unknown round, or out of its order, has no effect.
 */
export const roundsView: View = {
  name: 'rounds',
  apply(entry, state) {
    const { seq, at } = entry;
    switch (entry.kind) {
      case 'round/1':
        return opened({ seq, at, body: entry.body }, state);
      case 'freeze/1': {
        const row = roundRow(state, entry.body.round);
        if (row === undefined || row.freeze !== null) return [];
        return [written({ ...row, freeze: { seq, at, body: entry.body } })];
      }
      case 'unseal/1': {
        const row = roundRow(state, entry.body.round);
        if (row === undefined || row.freeze === null || row.unseal !== null) return [];
        return [written({ ...row, unseal: { seq, at, body: entry.body } })];
      }
      case 'grade/1':
        return graded({ seq, at, body: entry.body }, state);
      default:
        return [];
    }
  },
};

function opened(entered: RoundEntry<Round>, state: ViewState): readonly ViewWrite[] {
  const { id, ticker } = entered.body;
  if (roundRow(state, id) !== undefined) return [];
  return [
    written({ ...entered, freeze: null, unseal: null, grade: null }),
    { table: BY_CLOSE, key: roundPlace(entered.body), value: id },
    { table: PENDING, key: ticker, value: [...pendingIds(state, ticker), id] },
  ];
}

function graded({ seq, at, body }: RoundEntry<Grade>, state: ViewState): readonly ViewWrite[] {
  const row = roundRow(state, body.round);
  if (row === undefined || !isNextPart(row, body)) return [];
  const { round: id, part, results: _, ...rest } = body;
  const seqs = [...(row.grade?.seqs ?? []), seq];
  const { ticker } = row.body;
  const isLast = part + 1 === body.parts;
  return [
    written({ ...row, grade: { ...rest, seqs, at: row.grade?.at ?? at } }),
    ...(isLast
      ? [
          {
            table: PENDING,
            key: ticker,
            value: pendingIds(state, ticker).filter((each) => each !== id),
          },
        ]
      : []),
  ];
}

/** Whether a grade is the next one that its round needs. Only such a one has an effect. */
export function isNextPart({ unseal, grade }: RoundRow, { part, parts }: Grade): boolean {
  if (unseal === null) return false;
  return part === (grade?.seqs.length ?? 0) && (grade === null || parts === grade.parts);
}

function written(row: RoundRow): ViewWrite {
  return { table: ROUNDS, key: row.body.id, value: wire(row) };
}

function pendingIds(state: ViewState, ticker: Ticker): readonly string[] {
  return (state.get(PENDING, ticker) as readonly string[] | undefined) ?? [];
}

/** The round with this id. */
export function roundRow(state: ViewState, id: string): RoundRow | undefined {
  return state.get(ROUNDS, id) as unknown as RoundRow | undefined;
}

/** All rounds, those that close last first. With `below`, only those after that place. */
export function* roundsByClose(state: ViewState, below?: string): Generator<RoundRow> {
  for (const [, id] of state.descend(BY_CLOSE, below)) {
    yield roundRow(state, id as string) as RoundRow;
  }
}

/** The place of a round in that order. */
export function roundPlace({ closes_at, id }: Pick<Round, 'closes_at' | 'id'>): string {
  return `${closes_at} ${id}`;
}

/** The rounds that are not graded completely, by ticker, and those of one ticker in the order of the log. */
export function pendingRounds(state: ViewState): readonly RoundRow[] {
  return [...state.list(PENDING)].flatMap(([, ids]) =>
    (ids as readonly string[]).map((id) => roundRow(state, id) as RoundRow),
  );
}

/** Whether every part of a round's grades is there. */
export function isGraded({ grade }: RoundRow): boolean {
  return grade !== null && grade.seqs.length === grade.parts;
}

/** Whether a round can take forecasts at `at` as far as its own entries go: it has not closed and is not frozen. */
export function isOpen({ body, freeze }: RoundRow, at: TimeText): boolean {
  return freeze === null && at < body.closes_at;
}
