import {
  type EvidenceTie,
  evidenceTie,
  knownAccused,
  type KnownParties,
} from '@assay/verifier/evidence/evidence-tie';
import type { Accused, EvidenceVerdict } from '@assay/verifier/evidence/evidence-verdict';
import { paint, type Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';

const KNOWN_WORDS: Readonly<Record<Accused['role'], string>> = {
  log: 'the checkpoint key of the log that you named',
  witness: 'the witness that you named',
  publisher: 'the report key of the publisher that you named',
  cosigner: 'the co-signer that you named',
  signer: 'the key that you named',
};

/** Comes after the key and before its name. */
const UNKNOWN_WORDS: Readonly<Record<Accused['role'], string>> = {
  log: 'which calls itself log',
  witness: 'which calls itself witness',
  publisher: 'the report key of a log which calls itself',
  cosigner: 'which signs as a co-signer',
  signer: 'which signs prints or receipts',
};

const TIE_WORDS: Readonly<Record<EvidenceTie, string>> = {
  named: 'this is about whom you named',
  unnamed:
    'to nobody whom you named: whoever made these keys gave them these names. --key and --log say whom you know',
  other: 'this is about others than you named',
};

/** The result for a file, as text: who is accused of what, what proves it, and what the reader must know. */
export function evidenceText(
  verdict: EvidenceVerdict,
  known: KnownParties,
  terminal: Terminal,
): readonly string[] {
  if (!verdict.proven) {
    return [
      `${paint(terminal, 'yellow', 'NOT PROVEN')}: ${verdict.says}`,
      ...verdict.faults.flatMap(({ code, message }) => textRows(code, message, terminal)),
    ];
  }
  const { kind, accused, says, shown, log, open } = verdict;
  const ours = knownAccused(verdict, known);
  return [
    `${paint(terminal, 'red', 'PROVEN')}: ${kind}`,
    ...accused.flatMap((each, i) =>
      textRows(i === 0 ? 'accused' : '', accusedText(each, ours.includes(each)), terminal),
    ),
    ...textRows('tied', TIE_WORDS[evidenceTie(verdict, known)], terminal),
    ...textRows('of', says, terminal),
    ...textRows('proof', shown, terminal),
    ...textRows('log', log ?? 'the file does not show its id', terminal),
    ...open.flatMap((each, i) => textRows(i === 0 ? 'know besides' : '', each, terminal)),
  ];
}

function accusedText({ role, name, key }: Accused, isKnown: boolean): string {
  if (isKnown) return `${KNOWN_WORDS[role]}${name === null ? '' : `, ${name}`}: ${key}`;
  return `the key ${key}, ${UNKNOWN_WORDS[role]}${name === null ? '' : ` ${name}`}`;
}
