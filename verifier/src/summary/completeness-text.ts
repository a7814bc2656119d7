import type { NumberFacts } from '../verdict/verdict.ts';
import { count, TIE } from './words.ts';

/** What an index entry shows about a number's period: whether there is another final or void. */
export function indexText({ status, index }: NumberFacts): string {
  if (index === null) {
    return 'no proof from an index entry: another final or void of the period may be in the log';
  }
  const { day, seq, prints, provisional, settled, corrected } = index;
  const entry = `in the index entry of ${day} (entry${TIE}${seq}, ${count(prints, 'print')})`;
  if (status === 'final' || status === 'void') {
    const later = corrected === 0 ? '' : `; ${count(corrected, 'correction')} of it there`;
    return `the only final or void of its period ${entry}${later}`;
  }
  const others = [
    settled === null ? 'no final and no void' : `one ${settled}`,
    count(provisional, 'provisional'),
    count(corrected, 'correction'),
  ].join(', ');
  return `its period has ${others} ${entry}`;
}
