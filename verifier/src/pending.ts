import type { BitcoinFacts } from './verdict.ts';

/** Who holds a pending stamp, and what would finish it: the words of a verdict. */
export function pendingWhy(calendars: readonly string[], network: BitcoinFacts['network']): string {
  const stands = `only the promise of ${calendars.join(' and ')} stands for it`;
  return network === 'bitcoin'
    ? `${stands}; a Bitcoin block that includes it finishes it, typically within a day, and six more on top`
    : `${stands}; a development block would finish it, and would prove nothing`;
}
