import { faultCode } from '../fault.ts';
import { MAX_READ_WORK } from '../limits.ts';
import { isI64 } from '../wire/schema.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { type Rational, roundScaled } from '../number/rational.ts';
import type { Provider, Rule } from './rule.ts';
import { fillText } from './fill.ts';
import { type OpContext, type ReadFailure, ReadStopped, type Series, type Value } from './value.ts';
import { runStep, type Step } from './vocabulary.ts';

/** What one provider's bytes contain for one period: a scaled integer, or a named reason why not. */
export type Reading =
  | { readonly outcome: 'ok'; readonly value: bigint }
  | { readonly outcome: ReadFailure; readonly detail: string };

/** Runs `steps` over the pages of a snapshot. */
function run(steps: readonly Step[], pages: readonly Uint8Array[], context: OpContext): Value {
  let value: Value = { type: 'pages', pages };
  for (const step of steps) value = runStep(step, value, context);
  return value;
}

/**
 * The reason for an error of an operation. Where the work budget has ended there is no reason, and the error is thrown
 * again.
 */
export function stopped(error: unknown): { outcome: ReadFailure; detail: string } {
  if (error instanceof ReadStopped) return { outcome: error.reason, detail: error.message };
  const code = faultCode(error);
  if (code === 'work_exceeded') throw error;
  const detail = error instanceof Error ? error.message : 'unknown';
  if (code === 'too_large') return { outcome: 'too_large', detail };
  if (code === 'out_of_range') return { outcome: 'out_of_range', detail };
  return { outcome: 'malformed', detail };
}

function contextOf(rule: Rule, period: number, work: WorkBudget): OpContext {
  return { period, kind: rule.period, fill: (text) => fillText(text, period, rule), work };
}

function numberOf(value: Value): Rational {
  if (value.type !== 'number') throw new ReadStopped('malformed', 'the steps end in no number');
  return value.number;
}

/** What pages contain for a period, and what else they show. */
export interface Interpreted {
  readonly reading: Reading;
  /**
   * The series from which the last `pick` of the extract picked or failed to pick; undefined where the extract did not
   * get there.
   */
  readonly series: Series | undefined;
}

/** The steps that a rule runs over the bytes of one of its providers, including those of its checks. */
export function readSteps({ extract, checks }: Provider): number {
  return checks.reduce((sum, each) => sum + each.extract.length, extract.length);
}

/**
 * The number that `provider`'s pages hold for `period` (a day number) under `rule`. Total: any rule on any bytes
 * returns a value or a reason, and throws nothing but the `work_exceeded` of `work`.
 */
export function interpret(
  rule: Rule,
  provider: Provider,
  pages: readonly Uint8Array[],
  period: number,
  work: WorkBudget = NO_LIMIT,
): Reading {
  return interpretWhole(rule, provider, pages, period, work).reading;
}

/** Like `interpret`, with the series on the way to the number, so that pages are parsed once for both. */
export function interpretWhole(
  rule: Rule,
  provider: Provider,
  pages: readonly Uint8Array[],
  period: number,
  work: WorkBudget = NO_LIMIT,
): Interpreted {
  const { extract, checks } = provider;
  const steps = readSteps(provider);
  const length = pages.reduce((sum, page) => sum + page.length, 0);
  if (steps * length > MAX_READ_WORK) {
    const detail = `${steps} steps over ${length} bytes`;
    return { reading: { outcome: 'too_large', detail }, series: undefined };
  }
  const context = contextOf(rule, period, work);
  const last = extract.at(-1);
  let series: Series | undefined;
  try {
    const round = (number: Rational): bigint =>
      roundScaled(number, rule.decimals, rule.aggregate.round);
    const before = run(extract.slice(0, -1), pages, context);
    if (last?.op === 'pick' && before.type === 'series') ({ series } = before);
    const value = round(numberOf(last === undefined ? before : runStep(last, before, context)));
    for (const check of checks) {
      if (round(numberOf(run(check.extract, pages, context))) !== value) {
        const detail = `${check.name} gives another number`;
        return { reading: { outcome: 'check_failed', detail }, series };
      }
    }
    return {
      reading: isI64(value)
        ? { outcome: 'ok', value }
        : { outcome: 'out_of_range', detail: 'outside a signed 64-bit integer' },
      series,
    };
  } catch (error) {
    return { reading: stopped(error), series };
  }
}

/**
 * A provider's whole series as scaled integers, by day number; null if the provider states that there is no
 * value.
 */
export type ScaledSeries = ReadonlyMap<number, bigint | null>;

/** `series` as the rule scales and rounds it; undefined when a value leaves a signed 64-bit integer. */
export function scaleSeries(rule: Rule, series: Series): ScaledSeries | undefined {
  const scaled = new Map<number, bigint | null>();
  for (const [each, number] of series) {
    const value = number === null ? null : roundScaled(number, rule.decimals, rule.aggregate.round);
    if (value !== null && !isI64(value)) return undefined;
    scaled.set(each, value);
  }
  return scaled;
}
