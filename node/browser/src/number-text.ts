/** What `<assay-number>` says of a number that it verified. */
import type { NumberFacts } from '@assay/verifier/verdict/verdict';

/** The number with its unit; of a period without one, that there is none. */
export function numberText({ ticker, status, value, unit }: NumberFacts): string {
  if (value !== null) return `${ticker}: ${value}${unit === '' ? '' : ` ${unit}`}`;
  return `${ticker}: ${status === 'void' ? 'void, there is no value' : 'no value is published'}`;
}

/** Its period, who recounted it and who did not agree, and what keeps money from settling on it. */
export function settlementText(facts: NumberFacts, isDevelopment: boolean): string {
  const { period, status } = facts;
  const open = openText(facts);
  const parts = [
    ...(isDevelopment ? ['DEVELOPMENT: settle nothing on it.'] : []),
    `${period}, ${status}, ${recountText(facts)}.`,
    ...(open === '' ? [] : [`${open}.`]),
    'Verified in this browser.',
  ];
  return parts.join(' ');
}

function recountText({ quorum: { required, have, dissents }, account }: NumberFacts): string {
  const agreed =
    required === 0 ? 'recounted by nobody' : `${have} of ${required} recounters agreed`;
  if (dissents > 0) return `${agreed}, ${dissents} counted another number`;
  return account?.dissent === true ? `${agreed}, one on chain counted another number` : agreed;
}

function openText({ status, settleable, settled }: NumberFacts): string {
  if (status !== 'final') return 'Nothing settles on it';
  if (!settleable) return 'Its rule lets no contract settle on it';
  return settled ? '' : 'It is not settled yet';
}
