import { type Answer, type PageBytes, readAnswer, requireAnswer } from '@assay/core/read/reading';
import { type PageMark, readMark } from '@assay/core/rule/paging';
import type { Paging } from '@assay/core/source/request';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { listedTransactions, type SolanaTransaction } from '@assay/core/read/solana-text';

/**
 * What may take long over the bytes of a source. Arguments and results are plain data, so that a thread can do it, and
 * nothing is thrown for what the bytes are.
 */
export const READINGS = {
  /** What a provider's answer says about a period. */
  answer: (
    rule: Rule,
    provider: Provider,
    pages: readonly PageBytes[],
    period: number,
    text: Uint8Array | null,
  ): Answer => readAnswer(rule, provider, pages, period, text),

  /** What a whole answer lists for a period, nothing for a provider that lists none; undefined for no whole answer. */
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

  /** What a page says about its list; undefined for one that does not say where it stands. */
  mark(paging: Paging, bytes: Uint8Array): PageMark | undefined {
    try {
      return readMark(paging, bytes);
    } catch {
      return undefined;
    }
  },
} as const;

export type Readings = typeof READINGS;

/** One of the readings with what it is done on. */
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
