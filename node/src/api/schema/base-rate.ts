import { z } from 'zod';
import { MIN_CONTROLS } from '@assay/core/terminal/edge/moment-sample';
import type { NoRatePayload, RatePayload } from '../../terminal/answer/base-rate.ts';
import { NO_RATE_REASONS } from '../../terminal/answer/base-rate-answer.ts';
import type { StudiesPayload } from '../../terminal/answer/base-rates.ts';
import { BASIS_MARK } from '../document/json-schema.ts';
import { folded } from './basis.ts';
import { about, named, timeText } from './field.ts';
import { mergedProblem } from './problem.ts';
import { groupFields, judgedGroup, studySource } from './study-group.ts';
import { className, score, symbolText } from './terminal-event.ts';

/** What stood at the newest good tick of the asset. */
const momentFields = {
  score_now: folded(about(score.nullable(), 'The score at its newest good reading.', 72)),
  threshold: folded(about(score, 'The score at which an event opens.', 70)),
  ts: folded(about(timeText.nullable(), 'The time of that reading, UTC.', '2026-09-21T14:15:00Z')),
  opened_at: folded(
    about(
      timeText.nullable(),
      'When the newest event of the asset opened, UTC.',
      '2026-09-21T14:15:00Z',
    ),
  ),
};

const rate: z.ZodType<RatePayload> = named(
  z.looseObject({
    symbol: folded(about(symbolText, 'The asset.', 'ETH')),
    ...momentFields,
    move_24h: folded(
      about(
        z.number().nullable(),
        'The move over a day with which its event opened, percent with two decimals.',
        8.42,
      ),
    ),
    ...foldedFields(groupFields),
    coin_in_study: folded(
      about(z.boolean(), 'Whether the asset itself has an opening in the study.', true),
    ),
    plain: folded(
      about(
        z.string(),
        'The same as sentences, from a fixed template.',
        'After a rise of 5 % to 15 % in a day ...',
      ),
    ),
    caveat: folded(
      about(
        z.string(),
        'All of `caveats`, one after another.',
        'It says what happened, and not what will.',
      ),
    ),
    caveats: folded(
      about(z.array(z.string()), 'What to know with the rate, from fixed templates.', [
        'It says what happened, and not what will.',
      ]),
    ),
    // One call of `meta`: a second one would repeat the schema where it is referred to.
    source: studySource.meta({ description: 'The frozen study.', [BASIS_MARK]: 'folded' }),
    benchmark: folded(
      about(
        z.string().optional(),
        'What the receipts of stocks are measured against; on stock rates only.',
        'SPY',
      ),
    ),
  }) as unknown as z.ZodType<RatePayload>,
  'BaseRate',
  'What followed openings like this one.',
);

const noRate: z.ZodType<NoRatePayload> = named(
  z.looseObject({
    symbol: folded(about(symbolText, 'The asset.', 'ETH')),
    base_rate: about(z.null(), 'There is none now.', null),
    reason: about(
      z.enum(NO_RATE_REASONS),
      '`not_current`: the reading of this asset is not of now, or no event opened at it; where no asset of its class has one of now, the answer is a problem. `below_threshold`: the score is below that at which an event opens. `group_withheld`: no study is frozen, or it does not hold for moves like this one. `stock_study`: no study of stocks is frozen.',
      'below_threshold',
    ),
    detail: about(
      z.string(),
      'The same as a sentence with its figures, from a fixed template.',
      'The score is 42, and an event opens at 70.',
    ),
    numbers: about(
      z.looseObject({
        ...momentFields,
        study: folded(
          about(
            studySource.nullable(),
            'The newest study of the class; null where none is frozen.',
          ),
        ),
        group: folded(
          about(
            judgedGroup.nullable(),
            'The group of the event, with what is known of it; null where no event opened at that reading, or it is of no group.',
          ),
        ),
      }),
      'What led to this answer.',
    ),
  }) as unknown as z.ZodType<NoRatePayload>,
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

export const baseRatesAnswer: z.ZodType<StudiesPayload> = named(
  z.looseObject({
    studies: about(
      z.array(
        z.looseObject({
          class: about(className, 'The class of assets.', 'crypto'),
          source: about(studySource, 'The frozen study.'),
          later_from: about(
            timeText.nullable(),
            'Where the later months begin, UTC; null without openings.',
            '2026-04-01T00:00:00Z',
          ),
          n: about(z.int(), 'The openings that were studied.', 731),
          left_out: about(
            z.looseObject({
              few_controls: about(
                z.int(),
                `Fewer than ${MIN_CONTROLS} other assets were quiet.`,
                2,
              ),
              no_entry: about(z.int(), 'No price came after the opening.', 1),
              no_exit: about(
                z.int(),
                'More than half of the quiet assets had no price any more after 7 days.',
                0,
              ),
              not_over: about(z.int(), 'The 7 days are not over.', 14),
            }),
            'How many openings were left out, and why.',
          ),
          groups: about(z.array(judgedGroup), 'All 18 groups, in a fixed order.'),
        }),
      ),
      'One for each class that has a frozen study.',
    ),
  }) as unknown as z.ZodType<StudiesPayload>,
  'BaseRates',
  'The newest studies with all their groups.',
);

function foldedFields<T extends Readonly<Record<string, z.ZodType>>>(fields: T): T {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, folded(field)]),
  ) as unknown as T;
}
