import { z } from 'zod';
import type {
  NoRatePayload,
  RatePayload,
  RateStatistics,
} from '../../terminal/answer/base-rate.ts';
import { NO_RATE_REASONS } from '../../terminal/answer/base-rate-answer.ts';
import { BREADTHS, BUCKETS } from '@assay/core/kind/event-group';
import { folded } from './basis.ts';
import { about, hashText, named } from './field.ts';
import { mergedProblem } from './problem.ts';
import { className, symbolText } from './terminal-event.ts';

const statistics: z.ZodType<RateStatistics> = named(
  z.looseObject({
    n: about(z.int(), 'Returns that there are.', 64),
    up_share: about(z.number().nullable(), 'Share of them above 0, of 1.', 0.5938),
    median_ret_pct: about(z.number().nullable(), 'Median return, percent.', 2.14),
    median_excess_pct: about(
      z.number().nullable(),
      "Median of the return less the benchmark's, percent.",
      1.07,
    ),
  }),
  'RateStatistics',
  'What became of moments at a horizon.',
);

const horizons: z.ZodType<RatePayload['horizons']> = z.looseObject({
  '1d': about(statistics, 'After a day.'),
  '7d': about(statistics, 'After a week.'),
  '30d': about(statistics, 'After 30 days.'),
});

const rate: z.ZodType<RatePayload> = named(
  z.looseObject({
    symbol: folded(about(symbolText, 'The asset.', 'ETH')),
    move_24h: about(z.number().nullable(), 'Its move over a day, percent with two decimals.', 8.42),
    bucket: about(z.enum(BUCKETS), 'How far that is.', 'up_5'),
    breadth: about(
      z.enum(BREADTHS),
      'How many of its class moved the same way by 5 % or more: `alone` under 10 %, `some` under 30 %, `broad` the rest.',
      'alone',
    ),
    coin_in_study: folded(
      about(z.boolean(), 'Whether the asset itself has an event in the study.', true),
    ),
    n: folded(about(z.int(), 'Events of the group with a return after 7 days.', 64)),
    n_dates: folded(
      about(z.int(), 'UTC dates on which they opened: the sample size that counts.', 41),
    ),
    top_date_share: folded(about(z.number(), 'Largest share of them on one date, of 1.', 0.0938)),
    horizons: folded(about(horizons, 'What became of them.')),
    ordinary: folded(about(horizons, 'The same of the moments that were not near an event.')),
    edge_7d_pts: folded(
      about(
        z.number().nullable(),
        'Mean excess return after 7 days less the ordinary one, percentage points with one decimal.',
        2.3,
      ),
    ),
    edge_7d_ci: folded(
      about(
        z.array(z.number()).length(2).nullable(),
        'Its 95 % bootstrap interval, drawn over dates.',
        [0.4, 4.1],
      ),
    ),
    plain: folded(
      about(
        z.string(),
        'The same as a sentence, from a fixed template.',
        'After a rise of 5 % to 15 % in a day ...',
      ),
    ),
    caveat: folded(
      about(
        z.string(),
        'What to know with any rate.',
        'Events cluster by date: the sample size is 41 dates, not 64 events.',
      ),
    ),
    source: folded(
      about(
        z.looseObject({
          seq: about(z.int(), 'The entry of the study.', 5120),
          blob: about(
            hashText,
            'SHA-256 of its groups, to be had at `/blob/{hash}`.',
            '9b74c9897bac770ffc029102a200c5de1b8e7b0a6d3f4c2e8a5b9d1f7c3e6a40',
          ),
          rule: about(
            hashText,
            'Hash of the score rule of its events.',
            '5c1f0a2b3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
          ),
          from: about(z.int(), 'The first entry of the log that it rests on.', 0),
          to: about(z.int(), 'The entry after the last one.', 5119),
        }),
        'The frozen study.',
      ),
    ),
    benchmark: folded(
      about(z.string().optional(), 'What stocks are measured against; on stock rates only.', 'SPY'),
    ),
  }) as unknown as z.ZodType<RatePayload>,
  'BaseRate',
  'What usually happened after moves like this one.',
);

const noRate: z.ZodType<NoRatePayload> = named(
  z.looseObject({
    symbol: folded(about(symbolText, 'The asset.', 'ETH')),
    base_rate: about(z.null(), 'There is none now.', null),
    reason: about(
      z.enum(NO_RATE_REASONS),
      '`below_threshold`: the score is below 70. `group_withheld`: too little is known of moves like this one, or no study is frozen yet. `not_current`: the reading of this asset is not of now, or its move is not known; where that is so of all assets of its class, the answer is a problem. `stock_study`: the study of stocks is not frozen yet.',
      'below_threshold',
    ),
    detail: about(
      z.string(),
      'The same for a reader. Its text may change.',
      'the score is 42, below 70',
    ),
  }),
  'NoBaseRate',
  'Why there is no base rate.',
);

export const baseRateAnswer: z.ZodType<object> = z.union([rate, noRate]);

export const haltedBaseRate: z.ZodType<object> = mergedProblem(
  {
    base_rate: about(z.null(), 'There is none now.', null),
    halted: about(
      z.literal(true),
      'The class of the asset has no good tick of now, or the record or the study cannot be read.',
      true,
    ),
    halted_classes: about(
      z.array(className),
      'Classes whose newest good tick is not of now; none where the record cannot be read.',
      ['stock'],
    ),
  },
  'HaltedBaseRate',
  'The base rate of an asset while its class is halted: a problem, with `base_rate` null beside it.',
);
