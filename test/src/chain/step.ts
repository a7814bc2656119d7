import type { HashHex } from '@assay/core/hash';
import type { Print } from '@assay/core/print';
import fc from 'fast-check';
import { hashOf } from './party.ts';
import { DAY } from './world.ts';

/** What one step of a sequence does; numbers that follow from the state are worked out when it runs. */
export interface Step {
  readonly kind:
    | 'init'
    | 'open'
    | 'publish'
    | 'again'
    | 'dissent'
    | 'rule'
    | 'set'
    | 'rotate'
    | 'cancel'
    | 'close'
    | 'fill'
    | 'wait';
  /** Which feed. */
  readonly lane: number;
  /** Whether the message, or the page or Close, is that of the next feed. */
  readonly cross: 'none' | 'message' | 'account';
  /** Periods from the present one. */
  readonly ahead: number;
  readonly aside: number;
  readonly status: Print['status'];
  readonly issue: 'fits' | 'same' | 'beyond' | 'zero';
  readonly value: bigint;
  readonly flags: 'usual' | 'withheld' | 'both' | 'settleable';
  readonly late: bigint;
  readonly decimals: number;
  readonly log: number;
  readonly rule: 'right' | 0 | 1 | 2;
  /** Whether who should sign does; else the parties of `names`. */
  readonly signers: 'all' | 'enough' | 'few' | 'names';
  readonly names: readonly number[];
  readonly threshold: number;
  readonly bad: boolean;
  readonly seconds: bigint;
  readonly page: number;
}

/** Who acts: publisher, its followers, recovery, co-signers and others. */
export const NAMES: readonly string[] = [
  'publisher',
  'next publisher',
  'publisher 3',
  'publisher 4',
  'recovery',
  'co-signer 0',
  'co-signer 1',
  'co-signer 2',
  'co-signer 3',
  'co-signer 4',
];
/** In the order in which they follow each other. */
export const PUBLISHERS: readonly string[] = NAMES.slice(0, 4);
export const RULES: readonly HashHex[] = ['rule 1', 'rule 2', 'rule 3'].map(hashOf);
export const LOGS: readonly HashHex[] = ['a log', 'another log'].map(hashOf);

/** A wait until the chain's clock cannot be added to. */
export const TO_THE_END: bigint = 2n ** 63n;

const often = <T>(usual: T, ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 24, arbitrary: fc.constant(usual) },
    ...rare.map((each) => ({ weight: 1, arbitrary: fc.constant(each) })),
  );

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...(
      [
        [20, 'init'],
        [40, 'open'],
        [240, 'publish'],
        [80, 'again'],
        [80, 'dissent'],
        [50, 'rule'],
        [50, 'set'],
        [40, 'rotate'],
        [50, 'cancel'],
        [60, 'close'],
        [1, 'fill'],
        [80, 'wait'],
      ] as const
    ).map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind) })),
  ),
  lane: often(0, 1, 2),
  cross: fc.oneof(
    { weight: 30, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constant('message' as const) },
    { weight: 1, arbitrary: fc.constant('account' as const) },
  ),
  ahead: fc.integer({ min: -3, max: 2 }),
  aside: often(0, 1, -1),
  status: fc.constantFrom('provisional', 'final', 'corrected', 'void'),
  issue: often('fits', 'same', 'beyond', 'zero'),
  value: fc.constantFrom(0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)),
  flags: often('usual', 'withheld', 'both', 'settleable'),
  late: often(0n, 121n, 120n, -DAY * 400n),
  decimals: often(0, 1),
  log: often(0, 1),
  rule: often<Step['rule']>('right', 0, 1, 2),
  signers: fc.oneof(
    { weight: 16, arbitrary: fc.constant('all' as const) },
    { weight: 10, arbitrary: fc.constant('enough' as const) },
    { weight: 1, arbitrary: fc.constant('few' as const) },
    { weight: 2, arbitrary: fc.constant('names' as const) },
  ),
  names: fc.array(fc.nat(NAMES.length - 1), { minLength: 1, maxLength: 6 }),
  threshold: fc.integer({ min: 0, max: 7 }),
  bad: often(false, true),
  seconds: fc.oneof(
    {
      weight: 100,
      arbitrary: fc.constantFrom(
        1n,
        DAY,
        7n * DAY - 121n,
        7n * DAY - 120n,
        7n * DAY - 1n,
        7n * DAY,
        40n * DAY,
      ),
    },
    { weight: 1, arbitrary: fc.constant(TO_THE_END) },
  ),
  page: often(0, 1),
});

/** Steps behind a beginning: two feeds, each with a page. */
export const sequences: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { minLength: 15, maxLength: 30, size: 'max' })
  .map((steps) => {
    const [template] = steps as [Step];
    const opening: Partial<Step>[] = [0, 1].flatMap((lane) => [
      { kind: 'init', lane },
      { kind: 'open', lane, ahead: 0 },
    ]);
    const usual: Partial<Step> = {
      cross: 'none',
      aside: 0,
      bad: false,
      decimals: 0,
      issue: 'fits',
      log: 0,
      page: 0,
      signers: 'all',
    };
    return [...opening.map((each) => ({ ...template, ...usual, ...each })), ...steps];
  });
