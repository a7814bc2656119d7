import type { Rational } from '../number/rational.ts';
import type { SourceJson, SourceRecord } from '../source/source-json.ts';
import type { WorkBudget } from '../work-budget.ts';
import type { PeriodKind } from './period.ts';

/** Why a read gives no number. Closed: each has one meaning, and a rule's outcome rests on it. */
export const READ_FAILURES = [
  'malformed', // bytes that are not what the rule reads
  'not_published', // the period is not in the source (yet)
  'no_source', // the source says that it has no value for the period
  'superseded', // the source has gone on: its value may no longer be the first print
  'copy_differs', // a custody copy of other content than the record
  'check_failed', // two places of one document disagree
  'out_of_range', // a value outside a signed 64-bit integer
  'bad_status', // an HTTP answer other than 200
  'unreachable', // no answer
  'timeout', // an answer that took too long
  'too_large', // an answer over the size cap
  'redirect_refused', // a redirect that the rule does not allow
] as const;
export type ReadFailure = (typeof READ_FAILURES)[number];

/** Ends a run of operations with a named reason. It never leaves the interpreter. */
export class ReadStopped extends Error {
  override readonly name = 'ReadStopped';
  readonly reason: ReadFailure;

  constructor(reason: ReadFailure, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** What flows from one operation to the next. */
export type Value =
  | { readonly type: 'pages'; readonly pages: readonly Uint8Array[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly json: SourceJson }
  | {
      readonly type: 'rows';
      readonly rows: readonly SourceRecord[];
      /** A table's columns, each under its own name; null where each row stands for itself. */
      readonly columns: SourceRecord | null;
    }
  | { readonly type: 'series'; readonly series: Series }
  | { readonly type: 'number'; readonly number: Rational };

/** Period (day number) to value; null where the source says that there is none. */
export type Series = ReadonlyMap<number, Rational | null>;

/** What an operation may know besides its input: never a clock, never the network. */
export interface OpContext {
  /** The day number of the period that is read. */
  readonly period: number;
  readonly kind: PeriodKind;
  /** A text of the rule with its variables filled in for that period. */
  readonly fill: (text: string) => string;
  /** What the run may cost. Each operation charges for it as it goes over its input. */
  readonly work: WorkBudget;
}
