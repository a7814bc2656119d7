import type { Rational } from '../number/rational.ts';
import type { SourceJson, SourceRecord } from '../source/source-json.ts';
import type { WorkBudget } from '../work-budget.ts';
import type { PeriodKind } from './period.ts';

/**
 * Why a read has no number. The list is closed: each reason has one meaning, and the outcome of a rule depends on it.
 */
export const READ_FAILURES = [
  'malformed', // bytes that are not what the rule reads
  'not_published', // the period is not in the source, or not yet
  'no_source', // the source states that it has no value for the period
  'superseded', // the source shows a later period, so its value may no longer be the first print
  'copy_differs', // a custody copy with another content than the record
  'check_failed', // two places of one document disagree
  'out_of_range', // a value outside a signed 64-bit integer
  'bad_status', // an HTTP answer other than 200
  'unreachable', // no answer
  'timeout', // an answer that took too long
  'too_large', // an answer over the size cap
  'redirect_refused', // a redirect that the rule does not allow
] as const;
export type ReadFailure = (typeof READ_FAILURES)[number];

/** Ends a run of operations with a named reason. The interpreter always catches it. */
export class ReadStopped extends Error {
  override readonly name = 'ReadStopped';
  readonly reason: ReadFailure;

  constructor(reason: ReadFailure, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** What one operation passes to the next. */
export type Value =
  | { readonly type: 'pages'; readonly pages: readonly Uint8Array[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly json: SourceJson }
  | {
      readonly type: 'rows';
      readonly rows: readonly SourceRecord[];
      /** A table's columns, each under its own name; null where each row is independent. */
      readonly columns: SourceRecord | null;
    }
  | { readonly type: 'series'; readonly series: Series }
  | { readonly type: 'number'; readonly number: Rational };

/** Values by period (day number); null if the source states that there is none. */
export type Series = ReadonlyMap<number, Rational | null>;

/** What an operation may use besides its input: never a clock, never the network. */
export interface OpContext {
  /** The day number of the period that is read. */
  readonly period: number;
  readonly kind: PeriodKind;
  /** A text of the rule with its variables filled in for that period. */
  readonly fill: (text: string) => string;
  /** What the run may cost. Each operation charges for it while it processes its input. */
  readonly work: WorkBudget;
}
