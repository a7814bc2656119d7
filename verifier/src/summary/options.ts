import type { NotChecked, Verdict } from '../verdict/verdict.ts';
import { kindOf, type OptionRemedy } from '../verdict/remedy.ts';

/** Something else that could be checked. */
export interface CheckOption {
  readonly code: OptionRemedy | 'number' | 'cosigners' | 'complete';
  /** The option or the command that does it. */
  readonly how: string;
  /** What it does, as the end of a sentence that begins with `how`. */
  readonly text: string;
  /** What it would lift, from the verdict. */
  readonly lifts: readonly NotChecked[];
}

type Shown = Omit<CheckOption, 'lifts'>;

const ORDER: readonly CheckOption['code'][] = [
  'number',
  'whole_log',
  'from_start',
  'cosigners',
  'witnesses',
  'complete',
  'headers',
  'accounts',
  'program',
  'extract',
  'market',
  'watch',
  'clock',
  'later',
];

/** What else could be checked of what was verified; empty where it was not. */
export function optionsOf(verdict: Verdict): readonly CheckOption[] {
  if (verdict.outcome !== 'verified') return [];
  const { not_checked: items, demands, subject, bitcoin, words } = verdict;
  const open = items.filter(({ remedy }) => kindOf(remedy) === 'option');
  const codes = new Set<CheckOption['code']>(open.map(({ remedy }) => remedy as OptionRemedy));
  const isPublishers = words === null;
  if (isPublishers && subject !== 'bundle') {
    if (demands.index === null) codes.add('number');
    if (!demands.complete) codes.add('complete');
  }
  if (isPublishers && demands.cosigners === 0) codes.add('cosigners');
  if (demands.witnesses === 0) codes.add('witnesses');
  if (bitcoin?.network === 'bitcoin' && !demands.headers) codes.add('headers');
  const shown = textsOf(verdict);
  return ORDER.filter((code) => codes.has(code)).map((code) => ({
    code,
    ...shown[code],
    lifts: open.filter(({ remedy }) => remedy === code),
  }));
}

type Texts = Readonly<Record<CheckOption['code'], Omit<Shown, 'code'>>>;

function textsOf({ subject }: Extract<Verdict, { readonly outcome: 'verified' }>): Texts {
  const isBundle = subject === 'bundle';
  return {
    number: { how: '--index TICKER', text: 'says whether one number may be settled on' },
    whole_log: {
      how: 'assay verify URL',
      text: isBundle ? 'checks what this file leaves out' : 'checks what the server answers',
    },
    from_start: { how: '--from-start', text: 'checks again what an earlier visit checked' },
    cosigners: { how: '--cosigner NAME=KEY', text: 'asks for co-signers whom you know' },
    witnesses: { how: '--witness NAME=KEY', text: 'asks for witnesses whom you know' },
    complete: { how: '--complete', text: 'asks that nothing due is missing' },
    headers: { how: '--headers FILE', text: "compares its blocks with Bitcoin's headers" },
    accounts: { how: '--chain-rpc URL', text: 'compares the accounts on chain' },
    program: { how: 'assay chain verify-program', text: 'compares the program on chain' },
    extract: { how: '--extract', text: 'takes texts from PDF files again' },
    market: { how: 'assay receipts check', text: 'recomputes scores from the prices' },
    watch: { how: 'assay watch URL', text: "follows it and its co-signers' logs" },
    clock: { how: 'now', text: 'gives the verifier a clock' },
    later: {
      how: isBundle ? 'assay bundle, later' : 'the same, later',
      text: 'shows what is pending now',
    },
  };
}
