import type { BitcoinFacts } from '../verdict/verdict.ts';

/** What is known of a promise where no calendar was asked: only the publisher says that it was given. */
export function promiseText(calendars: readonly string[]): string {
  if (calendars.length === 0) return 'no calendar is named that promised a block';
  const have = calendars.length === 1 ? 'has' : 'have';
  return `the publisher says that ${calendars.join(' and ')} ${have} promised a block (not asked)`;
}

/** Why a stamp is pending and what would complete it, as text for a verdict. */
export function pendingWhy(calendars: readonly string[], network: BitcoinFacts['network']): string {
  const stands = promiseText(calendars);
  return network === 'bitcoin'
    ? `${stands}; a Bitcoin block that includes it finishes it, typically within a day, and six more on top`
    : `${stands}; a development block would finish it, and would prove nothing`;
}
