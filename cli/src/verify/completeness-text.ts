import type { NumberFacts } from '@assay/verifier/verdict/verdict';
import { count, TIE } from '../text/text-rows.ts';

/**
 * What the first line must contain about a number's period: whether a later report of it is known, and what a
 * bundle does not show about prints before a final.
 */
export function indexReservations(number: NumberFacts): readonly string[] {
  const { settleable, index, first_print: first } = number;
  return [
    ...laterText(number),
    ...(settleable && first === 'not_shown' ? ['that it is the first print is not shown'] : []),
    ...(settleable && index !== null ? ['that its index entry is whole is not shown'] : []),
  ];
}

function laterText({ status, index, corrections }: NumberFacts): readonly string[] {
  if (corrections !== null && corrections > 0) return ['corrected since'];
  if (index?.followed !== true) return [];
  if (index.corrected > 0) return ['corrected since'];
  return status === 'provisional' && index.settled !== null ? [`${index.settled} since`] : [];
}

const GOVERNS_WORDS: Readonly<Record<NumberFacts['governs'], readonly string[]>> = {
  log: [],
  index: ['that its rule was recorded in time is not shown'],
  not_shown: ['which version of its rule governs is not shown'],
};

/**
 * What the first line must contain about a final whose bundle does not show which version of its rule governs,
 * or since when.
 */
export function ruleReservations({ settleable, governs, clocks }: NumberFacts): readonly string[] {
  return [
    ...(settleable ? GOVERNS_WORDS[governs] : []),
    ...(clocks === 'not_shown' ? ['which clocks its period had is not shown'] : []),
  ];
}

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
