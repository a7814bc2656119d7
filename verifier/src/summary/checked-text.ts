import type { Checked } from '../verdict/verdict.ts';
import { count, TIE } from './words.ts';

const NOUNS: Readonly<Record<keyof Checked, readonly [one: string, many?: string]>> = {
  entries: ['entry', 'entries'],
  tiles: ['tile'],
  rules: ['rule'],
  reports: ['report'],
  signatures: ['signature'],
  reads_reexecuted: ['read run again', 'reads run again'],
  revisions: ['revision'],
  closes: ['Close'],
  indexes: ['index entry', 'index entries'],
  anchors: ['issue of batches', 'issues of batches'],
  beacons: ['beacon'],
  proofs: ['proof'],
  cosignatures: ['co-signature'],
  dissents: ['dissent'],
  statements: ['statement'],
  ticks: ['tick'],
  events: ['event'],
  receipts: ['receipt'],
  benchmarks: ['benchmark'],
  studies: ['study', 'studies'],
  questions: ['question'],
  answers: ['answer'],
  outcomes: ['outcome'],
  rounds: ['round'],
  forecasts: ['forecast'],
  openings: ['forecast opened', 'forecasts opened'],
  grades: ['grade'],
  prints: ['entry of what is on chain', 'entries of what is on chain'],
  accounts: ['account'],
  blobs: ['blob'],
  api_answers: ['API answer'],
  view_rows: ['view row'],
};

/** What a reader looks for first. */
const MAIN: readonly (keyof Checked)[] = [
  'entries',
  'reports',
  'reads_reexecuted',
  'signatures',
  'statements',
];

/** The counts of all that was checked. */
export function checkedText(checked: Checked): string {
  return listed(checked, Object.keys(NOUNS) as (keyof Checked)[]) || 'nothing';
}

/** The counts that a reader looks for first; all of them where there are few. */
export function mainChecks(checked: Checked): string {
  const all = checkedText(checked);
  const main = listed(checked, MAIN);
  return main === '' || all.split(', ').length <= MAIN.length ? all : main;
}

function listed(checked: Checked, names: readonly (keyof Checked)[]): string {
  return names
    .filter((name) => checked[name] > 0)
    .map((name) => count(checked[name], ...NOUNS[name]).replaceAll(' ', TIE))
    .join(', ');
}
