import type { Unsettled } from '@assay/core/answer/period';
import type { SettlementStatus } from '@assay/core/answer/settlement-status';

/** How a period stands, in one line. */
export interface PeriodState {
  /** `good` where money may settle on it, `wait` where that can still come, and `none` where it never will. */
  readonly tone: 'good' | 'wait' | 'none';
  readonly text: string;
}

const REASONS: Readonly<Record<Unsettled, PeriodState>> = {
  history: {
    tone: 'none',
    text: 'Loaded history: it was never a first print, and nothing settles on it',
  },
  void: { tone: 'none', text: 'Void: its source gave no number in time' },
  provisional: { tone: 'wait', text: 'Provisional: the number can still change' },
  withheld: { tone: 'none', text: 'Withheld: the terms of its source keep the number private' },
  terms: {
    tone: 'none',
    text: 'Shown, but its rule or the terms of its source let no money settle on it',
  },
  quorum: { tone: 'wait', text: 'Final, and waits for its recounters' },
};

/** How a period stands; of an index without one, that there is none. */
export function stateOf(
  status: Pick<SettlementStatus, 'unsettled' | 'required' | 'have'> | null,
): PeriodState {
  if (status === null) return { tone: 'wait', text: 'Nothing is published yet' };
  const { unsettled, required, have } = status;
  const counted =
    required === null || required === 0
      ? 'counted by its publisher alone'
      : `${have ?? 0} of ${required} recounters have signed it`;
  if (unsettled === null) return { tone: 'good', text: `Final: ${counted}` };
  const reason = REASONS[unsettled];
  return unsettled === 'quorum' ? { ...reason, text: `${reason.text}: ${counted}` } : reason;
}
