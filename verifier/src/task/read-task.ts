import { type Answer, type PageBytes, readAnswer } from '@assay/core/read/reading';
import type { ReadFailure } from '@assay/core/rule/value';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { WorkBudget } from '@assay/core/work-budget';
import { concatBytes } from '@assay/core/bytes/bytes';
import { SentSeries, type SeriesColumns, seriesColumns } from './sent-series.ts';

/** One read of a rule, as data that another thread can get. Nobody may write to its bytes until it has been sent. */
export interface ReadTask {
  readonly rule: Rule;
  /** The id of one of the rule's providers. */
  readonly provider: string;
  /** Day number. */
  readonly period: number;
  /** Status and length of each page, whose bytes stand one after the other in `bytes`. */
  readonly pages: readonly { readonly status: number; readonly length: number }[];
  readonly bytes: Uint8Array;
  readonly text: Uint8Array | null;
  /** Steps of work that the read may take. */
  readonly steps: number;
}

/** What a read came to, as data that another thread can give. */
export interface ReadResult {
  /** Steps that it took. */
  readonly spent: number;
  /** Undefined where the steps were not enough. */
  readonly reading:
    | { readonly outcome: 'ok'; readonly value: bigint }
    | { readonly outcome: ReadFailure; readonly detail: string }
    | undefined;
  readonly series: SeriesColumns | undefined;
}

/** The task of reading these pages. */
export function readTask(
  rule: Rule,
  provider: Provider,
  pages: readonly PageBytes[],
  text: Uint8Array | null,
  period: number,
  steps: number,
): ReadTask {
  return {
    rule,
    provider: provider.id,
    period,
    pages: pages.map(({ status, bytes }) => ({ status, length: bytes.length })),
    bytes: concatBytes(...pages.map(({ bytes }) => bytes)),
    text: text === null ? null : new Uint8Array(text),
    steps,
  };
}

/** Does the task. It is `readAnswer` and nothing else, so that it comes to the same on every thread. */
export function runRead({
  rule,
  provider: id,
  period,
  pages,
  bytes,
  text,
  steps,
}: ReadTask): ReadResult {
  const provider = rule.providers.find((each) => each.id === id);
  if (provider === undefined) throw new TypeError(`runRead: the rule has no provider ${id}`);
  let at = 0;
  const split = pages.map(({ status, length }) => {
    at += length;
    return { status, bytes: bytes.subarray(at - length, at) };
  });
  const work = new WorkBudget({ steps });
  try {
    const { reading, series } = readAnswer(rule, provider, split, period, text, work);
    return {
      spent: work.spent,
      reading,
      series: series === undefined ? undefined : seriesColumns(series),
    };
  } catch (error) {
    if (work.exceeded === undefined) throw error;
    return { spent: work.spent, reading: undefined, series: undefined };
  }
}

/** The answer that a result stands for; undefined where the steps were not enough. */
export function answerOfResult({ reading, series }: ReadResult): Answer | undefined {
  if (reading === undefined) return undefined;
  return { reading, series: series === undefined ? undefined : new SentSeries(series) };
}
