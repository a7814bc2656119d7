import type { NumberFacts, Verdict } from '../verdict/verdict.ts';
import type { Warning } from './warning.ts';
import { count } from './words.ts';

const WHOLE_LOG = 'Verify the whole log for this number: assay verify URL';

/** What must be known before anybody settles on a number, beside its status, which is in the headline. */
export function numberWarnings(
  number: NumberFacts,
  subject: Verdict['subject'],
): readonly Warning[] {
  return [
    ...recountWarnings(number),
    ...laterWarnings(number),
    ...(subject === 'bundle' ? fileWarnings(number) : []),
  ];
}

function recountWarnings(number: NumberFacts): readonly Warning[] {
  const { settleable, quorum, account, rests_on: restsOn } = number;
  const { have, required, dissents } = quorum;
  const warnings: Warning[] = [];
  if (settleable && required === 0 && restsOn !== 'policy') {
    warnings.push({
      code: 'not_recounted',
      text: 'Nobody but its publisher has counted this number.',
      todo: 'Settle on it only if you trust the publisher alone.',
    });
  }
  if (settleable && have < required) {
    warnings.push({
      code: 'too_few_cosigners',
      text: `${have} of the ${count(required, 'co-signer')} that a settlement needs agreed with this number.`,
      todo: 'Do not settle on it: verify again when they have recounted it.',
    });
  }
  if (settleable && required > 0 && have >= required && restsOn !== 'policy') {
    warnings.push({
      code: 'publishers_cosigners',
      text: 'The publisher chose the co-signers who recounted this number.',
      todo: 'Name those whom you know with --cosigner.',
    });
  }
  if (dissents > 0 || account?.dissent === true) {
    const who = dissents > 0 ? count(dissents, 'co-signer') : 'A co-signer on chain';
    warnings.push({
      code: 'dissent',
      text: `${who} counted another number.`,
      todo: 'Ask them and the publisher why, before you settle on it.',
    });
  }
  return warnings;
}

/** Whether a later report of the period is known. */
export function laterWarnings({ status, index, corrections }: NumberFacts): readonly Warning[] {
  const isCorrected = (corrections ?? 0) > 0 || (index?.followed === true && index.corrected > 0);
  const settled = status === 'provisional' && index?.followed === true ? index.settled : null;
  if (!isCorrected && settled === null) return [];
  return [
    {
      code: 'superseded',
      text: isCorrected
        ? 'This number was corrected since. The first final settles, unless your contract says otherwise.'
        : `This number was superseded: the period has a ${settled} since.`,
      todo: isCorrected
        ? 'Read what your contract says of corrections.'
        : `Get the file of the ${settled}: assay bundle`,
    },
  ];
}

/** What a file does not show of a final, in one warning, because one check lifts all of it. */
function fileWarnings(number: NumberFacts): readonly Warning[] {
  const { settleable, governs, clocks, first_print: first, index, rests_on: restsOn } = number;
  const open = [
    ...(settleable && first === 'not_shown' ? ['that this was the first number printed'] : []),
    ...(settleable && index === null ? ['that it is the only final of its period'] : []),
    ...(settleable && index !== null ? ['that the list of its day is whole'] : []),
    ...(settleable && governs === 'not_shown' ? ['which version of its rule governs'] : []),
    ...(settleable && governs === 'index' ? ['that its rule was recorded in time'] : []),
    ...(settleable && restsOn === 'bundle'
      ? ['that its set of co-signers was still the one in force']
      : []),
    ...(clocks === 'not_shown' ? ['from when the clocks of its period ran'] : []),
  ];
  if (open.length === 0) return [];
  const list =
    open.length === 1 ? open.join('') : `${open.slice(0, -1).join(', ')} and ${open.at(-1)}`;
  return [
    {
      code: 'file_alone',
      text: `A file alone does not show ${list}.`,
      todo: `${WHOLE_LOG} --index ${number.ticker} --period ${number.period}`,
    },
  ];
}
