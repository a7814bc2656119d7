import type { AccountFacts, NumberFacts } from '../verdict/verdict.ts';
import { type Fact, fact } from './fact.ts';
import { count, TIE } from './words.ts';

/** Who recounted a number, and where it is on chain. */
export function quorumFacts(number: NumberFacts): readonly Fact[] {
  const { account, policy } = number;
  return [
    fact('recounted', recountText(number)),
    ...(policy.required === 0 ? [] : [fact('of them', policyText(policy))]),
    ...(account === null ? [] : [fact('on chain', accountText(account))]),
  ];
}

/** Whom the auditor's own policy lists among those who agreed. */
function policyText({ required, operators }: NumberFacts['policy']): string {
  const named = operators.length === 0 ? '' : `: ${operators.join(', ')}`;
  return `${count(operators.length, 'operator')} of the policy, ${required} required${named}`;
}

function recountText({ quorum, corrections }: NumberFacts): string {
  const { required, have, cosigners, dissents } = quorum;
  if (required === 0) {
    const isBundle = corrections === null;
    const unseen = isBundle ? '; the bundle cannot show whether any were in force then' : '';
    return `by nobody: it names no co-signers${unseen}`;
  }
  const names = cosigners.map(({ name }) => name).join(', ');
  const signed = `by ${count(have, 'co-signer')}${names === '' ? '' : ` (${names})`}`;
  return [
    `${signed}; a settlement needs ${required}`,
    ...(dissents === 0 ? [] : [`${count(dissents, 'co-signer')} counted another number`]),
  ].join('; ');
}

function accountText(facts: AccountFacts): string {
  const { chain, page, written, cosigners, dissents, dissent, slot } = facts;
  const against =
    dissents > 0
      ? `, ${count(dissents, 'dissent')}`
      : dissent
        ? ', a dissent from a print of this period'
        : '';
  return (
    `page ${page} of ${chain}, written at slot${TIE}${written}, ` +
    `${count(cosigners.length, 'co-signer')}${against} there: according to an RPC node at slot${TIE}${slot}`
  );
}
