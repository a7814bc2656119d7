import { faultCode } from '../fault.ts';
import { MAX_READ_WORK } from '../limits.ts';
import { isI64 } from '../schema.ts';
import { type Rational, roundScaled } from '../rational.ts';
import type { Provider, Rule } from './rule.ts';
import { fillText } from './fill.ts';
import { type OpContext, type ReadFailure, ReadStopped, type Series, type Value } from './value.ts';
import { runStep, type Step } from './vocabulary.ts';

/** What one provider's bytes say about one period: a scaled integer, or a named reason. */
export type Reading =
  | { readonly outcome: 'ok'; readonly value: bigint }
  | { readonly outcome: ReadFailure; readonly detail: string };

/** Runs `steps` over the pages of a snapshot. Total: every throw becomes a reason. */
function run(steps: readonly Step[], pages: readonly Uint8Array[], context: OpContext): Value {
  let value: Value = { type: 'pages', pages };
  for (const step of steps) value = runStep(step, value, context);
  return value;
}

/** The reason that a throw of an operation stands for. */
export function stopped(error: unknown): { outcome: ReadFailure; detail: string } {
  if (error instanceof ReadStopped) return { outcome: error.reason, detail: error.message };
  const code = faultCode(error);
  const detail = error instanceof Error ? error.message : 'unknown';
  if (code === 'too_large') return { outcome: 'too_large', detail };
  if (code === 'out_of_range') return { outcome: 'out_of_range', detail };
  return { outcome: 'malformed', detail };
}

function contextOf(rule: Rule, period: number): OpContext {
  return { period, kind: rule.period, fill: (text) => fillText(text, period, rule) };
}

function numberOf(value: Value): Rational {
  if (value.type !== 'number') throw new ReadStopped('malformed', 'the steps end in no number');
  return value.number;
}

/**
 * The number that `provider`'s pages hold for `period` (a day number) under `rule`. Total: any rule
 * on any bytes gives a value or a reason, never a throw.
 */
export function interpret(
  rule: Rule,
  provider: Provider,
  pages: readonly Uint8Array[],
  period: number,
): Reading {
  const steps = [provider, ...provider.checks].reduce((sum, each) => sum + each.extract.length, 0);
  const length = pages.reduce((sum, page) => sum + page.length, 0);
  if (steps * length > MAX_READ_WORK) {
    return { outcome: 'too_large', detail: `${steps} steps over ${length} bytes` };
  }
  const context = contextOf(rule, period);
  try {
    const round = (number: Rational): bigint =>
      roundScaled(number, rule.decimals, rule.aggregate.round);
    const value = round(numberOf(run(provider.extract, pages, context)));
    for (const check of provider.checks) {
      if (round(numberOf(run(check.extract, pages, context))) !== value) {
        return { outcome: 'check_failed', detail: `${check.name} gives another number` };
      }
    }
    return isI64(value)
      ? { outcome: 'ok', value }
      : { outcome: 'out_of_range', detail: 'outside a signed 64-bit integer' };
  } catch (error) {
    return stopped(error);
  }
}

/** A provider's whole series as scaled integers, by day number; null where it says there is none. */
export type ScaledSeries = ReadonlyMap<number, bigint | null>;

/**
 * What the revision provider's pages, asked for `period`, show for every period at once: its extract
 * without the `pick` at the end. `undefined` when the bytes do not give a series, or a value leaves a signed 64-bit integer.
 */
export function interpretSeries(
  rule: Rule,
  pages: readonly Uint8Array[],
  period: number,
): ScaledSeries | undefined {
  const provider = rule.providers.find(({ id }) => id === rule.revision.provider);
  if (provider?.extract.at(-1)?.op !== 'pick') return undefined;
  let series: Series;
  try {
    const value = run(provider.extract.slice(0, -1), pages, contextOf(rule, period));
    if (value.type !== 'series') return undefined;
    ({ series } = value);
  } catch {
    return undefined;
  }
  const scaled = new Map<number, bigint | null>();
  for (const [each, number] of series) {
    const value = number === null ? null : roundScaled(number, rule.decimals, rule.aggregate.round);
    if (value !== null && !isI64(value)) return undefined;
    scaled.set(each, value);
  }
  return scaled;
}
