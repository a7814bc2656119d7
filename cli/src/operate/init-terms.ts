import type { Policies } from '@assay/core/kind/genesis';
import { networkOf } from '@assay/core/network';
import type { Terminal } from '../command/tty.ts';

/** What entry 0 of a new log holds, which nothing changes afterwards. */
export interface Terms {
  readonly origin: string;
  readonly policies: Policies;
  readonly onchain: { readonly chain: string; readonly program: string } | undefined;
  /** The options that were left out, by their names. */
  readonly omitted: ReadonlySet<'cosigners' | 'witnesses' | 'chain'>;
}

/** What leaving out an option decides. */
const DEFAULTS = {
  cosigners: '--cosigners 0: your word alone settles.',
  witnesses: '--witnesses 0: two histories of the log are possible.',
  chain: 'no --chain: the log never has feeds on a chain.',
} as const;

const ANSWER = 'yes';

/** The choices that hold for good, a line each. */
export function termLines({ origin, policies, onchain }: Terms): readonly string[] {
  const { cosigners_required: cosigners, witnesses_required: witnesses } = policies;
  const { witness_max_age_s: maxAge } = policies;
  const trial = networkOf(origin) === 'development';
  const rows: readonly (readonly [string, string])[] = [
    ['name', origin],
    ...(trial ? ([['', 'a log for trials: nothing may ever settle on it']] as const) : []),
    [
      'co-signers',
      cosigners === 0 ? '0: your word alone settles' : `${cosigners} for a settlement`,
    ],
    [
      'witnesses',
      witnesses === 0
        ? '0: two histories of the log are possible'
        : `${witnesses} for each head; the line of one is stale after ${maxAge} s`,
    ],
    ...(onchain === undefined
      ? ([['chain', 'none: the log never has feeds on a chain']] as const)
      : ([
          ['chain', onchain.chain],
          ['program', onchain.program],
        ] as const)),
    ['checkpoint key', 'made now. Promise the next one early: assay keys promise-checkpoint'],
  ];
  return [
    'These choices are written into the first entry of the log and hold for good:',
    ...rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`),
  ];
}

/** The choices that were made by leaving an option out, a sentence each. */
export function defaultLines({ omitted }: Terms): readonly string[] {
  return [...omitted].map((name) => `Chosen for good, by default: ${DEFAULTS[name]}`);
}

/** Shows the terms and asks whether to begin the log. Only one answer, `yes`, agrees. */
export async function isAgreed(
  terms: Terms,
  ask: NonNullable<Terminal['ask']>,
  out: Terminal['out'],
): Promise<boolean> {
  for (const line of termLines(terms)) out(line);
  return (await ask(`Type ${ANSWER} to begin the log: `)).trim() === ANSWER;
}
