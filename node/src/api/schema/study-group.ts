import { z } from 'zod';
import { BREADTHS, BUCKETS } from '@assay/core/kind/event-group';
import { EDGE_REASONS } from '@assay/core/terminal/edge/edge-groups';
import type {
  GroupPayload,
  JudgedGroup,
  OrdinaryStatistics,
  RateStatistics,
  StudySource,
} from '../../terminal/answer/base-rate-group.ts';
import type { EdgeNumbers } from '../../terminal/answer/edge-numbers.ts';
import { about, hashText, named } from './field.ts';

/** The fields of a group of a study. */

const number = z.number().nullable();
const interval = z.array(z.number()).length(2).nullable();

const ordinaryFields = {
  up_share: about(number, 'Share of the returns above 0, of 1.', 0.5938),
  median_ret_pct: about(number, 'Median return, percent.', 2.14),
};

const statistics: z.ZodType<RateStatistics> = named(
  z.looseObject({
    n: about(z.int(), 'Openings for which that much time has passed.', 64),
    gone: about(z.int(), 'Those of them whose asset has no price any more.', 1),
    ...ordinaryFields,
    mean_excess_pct: about(
      number,
      'Mean of the return less that of the quiet assets on the same days, percent. Like the three after it, with last prices.',
      1.92,
    ),
    quarter_excess_pct: about(number, 'A quarter of them are not above this.', -3.4),
    median_excess_pct: about(number, 'Their median.', 1.07),
    three_quarter_excess_pct: about(number, 'Three quarters of them are not above this.', 5.2),
  }),
  'RateStatistics',
  'What became of the openings at a horizon.',
);

const ordinary: z.ZodType<OrdinaryStatistics> = named(
  z.looseObject(ordinaryFields),
  'OrdinaryStatistics',
  'What the quiet assets returned on the same days.',
);

const edgeFields = {
  n: about(z.int(), 'Openings whose 7 days are over.', 64),
  n_weeks: about(z.int(), 'The weeks that they are of.', 41),
  n_assets: about(z.int(), 'The assets that they are of.', 22),
  edge_7d_ci: about(
    interval,
    '95 % interval of the mean return after 7 days less that of the quiet assets on the same days, percentage points with two decimals. Weeks and assets were left out in turn. It allows for whatever the holders of assets that have no price any more got, from nothing to the last price. Null with fewer than 5 weeks or assets.',
    [0.02, 5.99],
  ),
  edge_7d_low_pts: about(
    number,
    'The mean if all was lost in those assets of the openings that have no price any more, and such quiet assets were paid their last prices.',
    2.9,
  ),
  edge_7d_high_pts: about(number, 'The mean the other way round.', 3.2),
  edge_7d_low_t: about(
    number,
    'How many times its own error the lower mean is away from 0.',
    2.031,
  ),
  edge_7d_high_t: about(number, 'How many times its own error the higher one is.', 2.312),
  t_needed: about(
    number,
    'How many times both would have to be, in the direction of all openings.',
    4.046,
  ),
};

const edge: z.ZodType<EdgeNumbers> = named(
  z.looseObject(edgeFields) as unknown as z.ZodType<EdgeNumbers>,
  'StudyPart',
  'The edge of a part of the openings of a group, with both bounds of what is gone.',
);

const horizons: z.ZodType<GroupPayload['horizons']> = z.looseObject({
  '1d': about(statistics, 'After a day.'),
  '7d': about(statistics, 'After a week.'),
  '30d': about(statistics, 'After 30 days.'),
});

const ordinaryHorizons: z.ZodType<GroupPayload['ordinary']> = z.looseObject({
  '1d': about(ordinary, 'After a day.'),
  '7d': about(ordinary, 'After a week.'),
  '30d': about(ordinary, 'After 30 days.'),
});

/** What a group of a study has, in a rate and elsewhere. */
export const groupFields: { readonly [M in keyof GroupPayload]: z.ZodType } = {
  bucket: about(z.enum(BUCKETS), 'How far the asset had moved over a day.', 'up_5'),
  breadth: about(
    z.enum(BREADTHS),
    'How many of its class moved the same way by 5 % or more: `alone` under 10 %, `some` under 30 %, `broad` the rest.',
    'alone',
  ),
  edge_7d_pts: about(
    number,
    'Mean return after 7 days less that of the quiet assets on the same days, percentage points with two decimals. Every asset that has no price any more counts with its last one.',
    3.1,
  ),
  ...edgeFields,
  n_dates: about(z.int(), 'UTC dates on which they opened.', 41),
  top_date_share: about(z.number(), 'Largest share of them on one date, of 1.', 0.0938),
  horizons: about(horizons, 'What became of them.'),
  ordinary: about(ordinaryHorizons, 'What the quiet assets returned on the same days.'),
  parts: about(
    z.looseObject({
      two_against: about(
        edge,
        'All of them, and two more that went against them by the largest excess of the study, each on an asset and in a week of its own.',
      ),
      chosen: about(edge, 'One half of the assets, in the earlier months.'),
      later: about(edge, 'All assets, in the later months.'),
      other_assets: about(edge, 'The other half of the assets, in the later months.'),
    }) as unknown as z.ZodType<GroupPayload['parts']>,
    'The parts that are judged by themselves. A group holds only if each of them passes.',
  ),
};

const withheld = z.array(
  z.looseObject({
    reason: about(
      z.enum(EDGE_REASONS),
      '`few_weeks`, `few_assets`: too few to say anything. `family`: chance explains it, because so many groups are looked at. `two_against`: two more openings against it could undo it. `not_chosen`, `later`, `other_assets`: that part does not show it.',
      'other_assets',
    ),
    detail: about(
      z.string(),
      'The same as a sentence with its figures.',
      'The other half of the assets in the later months: 3 weeks and 2 assets give no interval, and 5 of each are needed.',
    ),
  }),
);

export const judgedGroup: z.ZodType<JudgedGroup> = named(
  z.looseObject({
    ...groupFields,
    withheld: about(withheld, 'Why no rate of it is given; empty where it holds.'),
  }) as unknown as z.ZodType<JudgedGroup>,
  'StudyGroup',
  'A group of openings in a study, with its interval, whether it holds or not.',
);

export const studySource: z.ZodType<StudySource> = named(
  z.looseObject({
    seq: about(z.int(), 'The entry of the study.', 5120),
    blob: about(
      hashText,
      'SHA-256 of its openings and groups, to be had at `/blob/{hash}`.',
      '9b74c9897bac770ffc029102a200c5de1b8e7b0a6d3f4c2e8a5b9d1f7c3e6a40',
    ),
    rule: about(
      hashText,
      'Hash of the score rule of the newest tick that it rests on.',
      '5c1f0a2b3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
    ),
    from: about(z.int(), 'The first entry of the log that it rests on.', 0),
    to: about(z.int(), 'The entry after the last one.', 5119),
    number: about(z.int(), 'Which monthly study of its class it is, from 1.', 3),
    error_one_in: about(
      z.looseObject({
        group: about(z.int(), 'For the test of one group.', 4320),
        study: about(z.int(), 'For all groups of the study together.', 240),
      }),
      'How often chance alone may be believed: once in so many. All studies together may once in 20.',
    ),
  }) as unknown as z.ZodType<StudySource>,
  'StudySource',
  'A frozen study.',
);
