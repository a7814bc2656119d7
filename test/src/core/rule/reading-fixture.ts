import type { PeriodKind } from '@assay/core/rule/period';
import { rational, type Rational } from '@assay/core/number/rational';
import { isSourceNumber, type SourceJson } from '@assay/core/source/source-json';
import { formatDate, parseDate } from '@assay/core/time/time';
import { faultCode } from '@assay/core/fault';
import { type OpContext, ReadStopped, type Value } from '@assay/core/rule/value';
import { parseStep, runStep, type Step } from '@assay/core/rule/vocabulary';
import type { WireValue } from '@assay/core/wire/wire';
import { fillText } from '@assay/core/rule/fill';
import { NO_LIMIT } from '@assay/core/work-budget';
import { layoffsRule, vectorBytes, vectors } from '../fixture/fixture.ts';

/** One operation vector: steps over pages for a period, and what they give or why they stop. */
export interface OperationVector {
  readonly name: string;
  readonly kind: PeriodKind;
  readonly period: string;
  readonly steps: readonly WireValue[];
  readonly pages: readonly { readonly text?: string; readonly hex?: string }[];
  readonly gives?: Readonly<Record<string, unknown>>;
  readonly stops?: string;
}

export const OPERATION_VECTORS: readonly OperationVector[] = vectors('rule/operations');

export function stepsOf(vector: OperationVector): readonly Step[] {
  return vector.steps.map((step, i) => parseStep(step, `steps[${i}]`));
}

export function pagesOf(vector: OperationVector): readonly Uint8Array[] {
  return vector.pages.map(vectorBytes);
}

/** Runs steps one by one; the value that flows out, in the form of the vectors, or the reason. */
export function runSteps(
  steps: readonly Step[],
  pages: readonly Uint8Array[],
  context: OpContext,
): { readonly gives: unknown } | { readonly stops: string } {
  let value: Value = { type: 'pages', pages };
  try {
    for (const step of steps) value = runStep(step, value, context);
  } catch (error) {
    if (error instanceof ReadStopped) return { stops: error.reason };
    const code = faultCode(error);
    if (code === 'too_large' || code === 'malformed' || code === 'out_of_range')
      return { stops: code };
    throw error;
  }
  return { gives: plain(value) };
}

export function contextOf({ kind, period }: OperationVector): OpContext {
  const days = parseDate(period);
  const calendar = { ...layoffsRule(), period: kind };
  return { kind, period: days, fill: (text) => fillText(text, days, calendar), work: NO_LIMIT };
}

export function fractionOf(text: string): Rational {
  const [n = '', d = '1'] = text.split('/');
  return rational(BigInt(n), BigInt(d));
}

function fractionText({ n, d }: Rational): string {
  return `${n}/${d}`;
}

function plainJson(value: SourceJson): unknown {
  if (value === null || typeof value !== 'object' || isSourceNumber(value)) return value;
  if (Array.isArray(value)) return value.map(plainJson);
  return Object.fromEntries(
    [...(value as ReadonlyMap<string, SourceJson>)].map(([k, v]) => [k, plainJson(v)]),
  );
}

function plain(value: Value): unknown {
  switch (value.type) {
    case 'pages':
      return { pages: value.pages.length };
    case 'text':
      return { text: value.text };
    case 'json':
      return { json: plainJson(value.json) };
    case 'rows':
      return { rows: value.rows.map(plainJson) };
    case 'series':
      return {
        series: Object.fromEntries(
          [...value.series].map(([period, each]) => [
            formatDate(period),
            each === null ? null : fractionText(each),
          ]),
        ),
      };
    case 'number':
      return { number: fractionText(value.number) };
  }
}
