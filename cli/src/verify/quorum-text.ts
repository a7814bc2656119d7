import type { AccountFacts, NumberFacts } from '@assay/verifier/verdict/verdict';
import type { Terminal } from '../command/tty.ts';
import { count, textRows, TIE } from '../text/text-rows.ts';

/** What the first line must contain about a number's recount and its account; nothing if all is well. */
export function quorumReservations({
  settleable,
  quorum,
  account,
  rests_on: restsOn,
}: NumberFacts): readonly string[] {
  const lines: string[] = [];
  if (settleable && quorum.required === 0) lines.push('not recounted');
  if (settleable && quorum.required > 0 && restsOn === 'bundle') {
    lines.push('by co-signers of a set that may have been replaced');
  }
  if (settleable && quorum.have < quorum.required) {
    lines.push(`not settled: ${quorum.have} of ${quorum.required} co-signers`);
  }
  if (quorum.dissents > 0) lines.push(count(quorum.dissents, 'dissent'));
  else if (account?.dissent === true) lines.push('a dissent on chain');
  return lines;
}

/** Who recounted a number, and where it is on chain. */
export function quorumRows(number: NumberFacts, terminal: Terminal): readonly string[] {
  const { account, policy } = number;
  return [
    ...textRows('recounted', recountText(number), terminal),
    ...(policy.required === 0 ? [] : textRows('of them', policyText(policy), terminal)),
    ...(account === null ? [] : textRows('on chain', accountText(account), terminal)),
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
