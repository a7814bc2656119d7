import type { LightIndexPayload } from '@assay/core/answer/light-index';
import type { PeriodPayload } from '@assay/core/answer/period';
import type { Reason } from '@assay/core/report/decide';
import { value } from '../format.ts';
import type { PeriodState } from '../state.ts';

/** Why a report is not final, or why its period is void. */
const REASONS: Readonly<Record<Reason, string>> = {
  freeze_window: 'its source may still correct it',
  no_quorum: 'too few of its sources gave a number',
  dispersion: 'its sources differ by more than the rule allows',
  no_source: 'its source has said that there is no number',
  late: 'no number came before the deadline',
  out_of_range: 'the number is too large to be published',
};

function because(reason: Reason | null): string {
  return reason === null ? '' : `, because ${REASONS[reason]}`;
}

/**
 * Whether money may settle on a period, and why, in a sentence or two. `reason` is that of its newest report, and
 * `dissents` counts the recounters who came to another number. On a development network it says besides that no money may
 * rest on it.
 */
export function settledSentence(
  period: PeriodPayload,
  index: Pick<LightIndexPayload, 'network'>,
  { reason, dissents }: { readonly reason: Reason | null; readonly dissents: number },
): PeriodState {
  const { tone, text } = settlement(period, index, reason);
  if (dissents === 0) return { tone, text };
  const who = dissents === 1 ? '1 recounter' : `${dissents} recounters`;
  return { tone: tone === 'good' ? 'wait' : tone, text: `${text} ${who} counted another number.` };
}

function settlement(
  period: PeriodPayload,
  { network }: Pick<LightIndexPayload, 'network'>,
  reason: Reason | null,
): PeriodState {
  const { quorum } = period;
  const counted =
    quorum === null || quorum.required === 0
      ? 'no recount of it is required: nobody but its publisher has counted it'
      : `${quorum.have} of ${quorum.required} required recounters have signed it`;
  switch (period.unsettled) {
    case 'history':
      return {
        tone: 'none',
        text: 'Not settled, and never will be: it was loaded from its source later, and was never published here as a first print.',
      };
    case 'void':
      return {
        tone: 'none',
        text: `Void: there is no number for this period${because(reason)}. A signed report says so.`,
      };
    case 'provisional':
      return {
        tone: 'wait',
        text: `Not settled yet: the number is provisional and can still change${because(reason)}.`,
      };
    case 'withheld':
      return {
        tone: 'none',
        text: 'Not settled: the terms of its source keep the number private. The log holds a commitment to it.',
      };
    case 'terms':
      return {
        tone: 'none',
        text: 'Not settled: the number is final, and its rule or the terms of its source let no money settle on it.',
      };
    case 'quorum':
      return { tone: 'wait', text: `Not settled yet: the number is final, and ${counted}.` };
    case null:
      return network === 'development'
        ? {
            tone: 'good',
            text: `By its rule this number is settled: it is final, and ${counted}. It is of a development network, so that no money may rest on it.`,
          }
        : { tone: 'good', text: `Settled: the number is final, and ${counted}.` };
    case undefined:
      return { tone: 'wait', text: 'Whether this number is settled cannot be said now.' };
  }
}

/** The number that a period shows: that on which money settles, or else the newest. */
export function shownValue(
  { withheld, settlement_value_decimal, value_decimal }: PeriodPayload,
  format: string,
): string {
  return withheld ? 'withheld' : value(settlement_value_decimal ?? value_decimal, format);
}

/** A period's state in a few words, for a row of a table. */
export function rowState({ status, unsettled, quorum }: PeriodPayload): string {
  const final = status === 'corrected' ? 'final, corrected later' : 'final';
  switch (unsettled) {
    case 'history':
      return 'loaded history';
    case 'quorum':
      return `${final}, ${quorum?.have ?? 0} of ${quorum?.required ?? 0} signed`;
    case 'terms':
      return `${final}, never settles`;
    case 'withheld':
      return `${final}, withheld`;
    case null:
      return final;
    case 'void':
    case 'provisional':
      return unsettled;
    case undefined:
      return status;
  }
}
