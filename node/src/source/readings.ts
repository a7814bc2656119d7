import { type Answer, type PageBytes, readAnswer, requireAnswer } from '@assay/core/read/reading';
import { type PageMark, readMark } from '@assay/core/rule/paging';
import type { Paging } from '@assay/core/source/request';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { listedTransactions, type SolanaTransaction } from '@assay/core/read/solana-text';

/**
 * Readings of a source's bytes that may take long. Arguments and results are plain data, so that a thread can
 * do it, and nothing is thrown because of the bytes.
 */
export const READINGS = {
  /** The result of a provider's answer for a period. */
  answer: (
    rule: Rule,
    provider: Provider,
    pages: readonly PageBytes[],
    period: number,
    text: Uint8Array | null,
  ): Answer => readAnswer(rule, provider, pages, period, text),

  /**
   * The items that a whole answer lists for a period, none for a provider without lists; undefined if it is no
   * whole answer.
   */
  listed(
    rule: Rule,
    provider: Provider,
    pages: readonly Uint8Array[],
    period: number,
  ): readonly SolanaTransaction[] | undefined {
    try {
      requireAnswer(rule, provider, pages, period);
      if (provider.text !== 'solana_instructions') return [];
      return listedTransactions(pages, rule.period, period);
    } catch {
      return undefined;
    }
  },

  /** The position of a page in its list; undefined if the page does not show it. */
  mark(paging: Paging, bytes: Uint8Array): PageMark | undefined {
    try {
      return readMark(paging, bytes);
    } catch {
      return undefined;
    }
  },
} as const;

export type Readings = typeof READINGS;

/** One of the readings with its arguments. */
export type Task = {
  readonly [N in keyof Readings]: {
    readonly name: N;
    readonly given: Parameters<Readings[N]>;
  };
}[keyof Readings];

/** Does a reading at once. */
export function doReading({ name, given }: Task): ReturnType<Readings[Task['name']]> {
  switch (name) {
    case 'answer':
      return READINGS.answer(...given);
    case 'listed':
      return READINGS.listed(...given);
    case 'mark':
      return READINGS.mark(...given);
  }
}
