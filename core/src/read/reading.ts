import { Fault } from '../fault.ts';
import { MAX_READ_BYTES } from '../limits.ts';
import { requireWhole } from '../rule/paging.ts';
import { fillRequest } from '../rule/fill.ts';
import {
  type Interpreted,
  interpretWhole,
  type Reading,
  type ScaledSeries,
  scaleSeries,
  stopped,
} from '../rule/interpret.ts';
import type { Provider, Rule } from '../rule/rule.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { checkSolanaText, listedTransactions } from './solana-text.ts';

/** One page of an answer with its bytes. */
export interface PageBytes {
  /** HTTP status. */
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** The contents of an answer. */
export interface Answer {
  readonly reading: Reading;
  /**
   * What the revision provider's answer, asked for the period, shows for every period. Undefined for any other
   * provider, where the rule refuses the document for the period (which includes a failed check), or where it is no
   * series, because what may not be printed may not revise either.
   */
  readonly series: ScaledSeries | undefined;
}

/** Outcomes of a document that has the form which the rule expects, whether or not it has the period's number. */
const SOUND: ReadonlySet<string> = new Set(['ok', 'not_published', 'no_source', 'superseded']);

/**
 * What a provider's answer contains for a period. An answer other than 200 is `bad_status`, whatever it holds. Pages
 * must be one whole list, and the rule runs on them, or on the `text` that was taken from them. The publisher and the
 * verifier both read with this function. Throws nothing but the `work_exceeded` of `work`.
 */
export function readAnswer(
  rule: Rule,
  provider: Provider,
  pages: readonly PageBytes[],
  period: number,
  text: Uint8Array | null = null,
  work: WorkBudget = NO_LIMIT,
): Answer {
  const { reading, series } = interpretAnswer(rule, provider, pages, period, text, work);
  const shown =
    provider.id === rule.revision.provider && series !== undefined && SOUND.has(reading.outcome);
  return { reading, series: shown ? scaleSeries(rule, series) : undefined };
}

/** Only the reading of `readAnswer`. */
export function readPages(
  rule: Rule,
  provider: Provider,
  pages: readonly PageBytes[],
  period: number,
  text: Uint8Array | null = null,
  work: WorkBudget = NO_LIMIT,
): Reading {
  return interpretAnswer(rule, provider, pages, period, text, work).reading;
}

function interpretAnswer(
  rule: Rule,
  provider: Provider,
  pages: readonly PageBytes[],
  period: number,
  text: Uint8Array | null,
  work: WorkBudget,
): Interpreted {
  const unread = (reading: Reading): Interpreted => ({ reading, series: undefined });
  const bad = pages.find(({ status }) => status !== 200);
  if (bad !== undefined) return unread({ outcome: 'bad_status', detail: `HTTP ${bad.status}` });
  const bytes = pages.map((page) => page.bytes);
  try {
    requireAnswer(rule, provider, bytes, period, work);
    if (provider.text === 'none') return interpretWhole(rule, provider, bytes, period, work);
    // What the list itself lacks has its own reason, whether or not there is a text.
    const listed =
      provider.text === 'solana_instructions'
        ? listedTransactions(bytes, rule.period, period, work)
        : undefined;
    if (text === null)
      return unread({ outcome: 'malformed', detail: `no text of ${provider.text}` });
    if (listed !== undefined) checkSolanaText(listed, text, work);
    return interpretWhole(rule, provider, [text], period, work);
  } catch (error) {
    return unread(stopped(error));
  }
}

/** Throws unless the pages are one whole answer to the rule's request for a period. */
export function requireAnswer(
  rule: Rule,
  provider: Provider,
  pages: readonly Uint8Array[],
  period: number,
  work: WorkBudget = NO_LIMIT,
): void {
  const length = pages.reduce((sum, each) => sum + each.length, 0);
  if (length > MAX_READ_BYTES) {
    throw new Fault('too_large', 'answer', { expected: `at most ${MAX_READ_BYTES} bytes` });
  }
  requireWhole(fillRequest(provider.request, period, rule).paging, pages, work);
}
