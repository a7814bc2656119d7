import type { AccountFacts, NumberFacts, QuorumFacts } from '@assay/verifier/verdict';
import type { Terminal } from './terminal.ts';
import { count, textRows, TIE } from './text-rows.ts';

/** What the first line must say of a number's recount and of its account: nothing where all is well. */
export function quorumReservations({
  settleable,
  quorum,
  account,
}: NumberFacts): readonly string[] {
  const lines: string[] = [];
  if (settleable && quorum.required === 0) lines.push('not recounted');
  if (settleable && quorum.have < quorum.required) {
    lines.push(`not settled: ${quorum.have} of ${quorum.required} co-signers`);
  }
  if (quorum.dissents > 0) lines.push(count(quorum.dissents, 'dissent'));
  else if (account?.dissent === true) lines.push('a dissent on chain');
  return lines;
}

/** Who recounted a number, and where it stands on chain. */
export function quorumRows(number: NumberFacts, terminal: Terminal): readonly string[] {
  const { quorum, account } = number;
  return [
    ...textRows('recounted', recountWords(quorum), terminal),
    ...(account === null ? [] : textRows('on chain', accountWords(account), terminal)),
  ];
}

function recountWords({ required, have, cosigners, dissents }: QuorumFacts): string {
  if (required === 0) {
    return 'by nobody: it names no co-signers; whether any were in force then, the bundle cannot show';
  }
  const names = cosigners.map(({ name }) => name).join(', ');
  const signed = `by ${have} of the ${count(required, 'co-signer')} that a settlement needs`;
  return [
    names === '' ? signed : `${signed}: ${names}`,
    ...(dissents === 0 ? [] : [`${count(dissents, 'co-signer')} counted another number`]),
  ].join('; ');
}

function accountWords(facts: AccountFacts): string {
  const { chain, page, written, cosigners, dissents, dissent, slot } = facts;
  const against =
    dissents > 0
      ? `, ${count(dissents, 'dissent')}`
      : dissent
        ? ', a dissent from a print of this period'
        : '';
  return (
    `page ${page} of ${chain}, written at slot${TIE}${written}, ` +
    `${count(cosigners.length, 'co-signer')}${against} there: in the words of an RPC node at slot${TIE}${slot}`
  );
}
