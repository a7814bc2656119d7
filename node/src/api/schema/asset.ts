import { z } from 'zod';
import { VENUE_GROUPS, type VenueGroup } from '../../terminal/answer/venues.ts';
import { deprecated, folded } from './basis.ts';
import { latest, multipleField, openEvent } from './board.ts';
import { about, linkText, named, timeText } from './field.ts';
import { className, event, score, symbolText } from './terminal-event.ts';

const venue: z.ZodType<object> = named(
  z.looseObject({
    venue: about(z.string(), "The venue's id.", 'kraken'),
    name: about(z.string(), 'Its name.', 'Kraken'),
    url: about(
      linkText,
      'A plain link that nobody pays for.',
      'https://pro.kraken.com/app/trade/eth-usd',
    ),
    us_available: about(
      z.boolean(),
      "Whether it serves customers in the United States, by the operator's list.",
      true,
    ),
    checked_at: about(
      timeText,
      "When the venue's own product list last named it, UTC.",
      '2026-09-21T03:00:00Z',
    ),
  }),
  'Venue',
  'Where an asset trades.',
);

const GROUP_WORDS: Readonly<Record<VenueGroup, string>> = {
  spot: 'Where it is bought and sold itself.',
  perpetuals: 'Where there are contracts on it that do not end.',
  futures: 'Where there are contracts on it that end on a day.',
  prediction_markets: 'Where there are markets on what becomes of it.',
};

const venues: z.ZodType<object> = named(
  z.looseObject(
    Object.fromEntries(
      VENUE_GROUPS.map((group) => [group, about(z.array(venue), GROUP_WORDS[group])]),
    ),
  ),
  'Venues',
  'Where an asset trades, by how it does.',
);

export const assetAnswer: z.ZodType<object> = named(
  z.looseObject({
    asset: folded(
      about(
        z.looseObject({
          symbol: about(symbolText, 'Its symbol.', 'ETH'),
          name: about(z.string(), 'Its name.', 'Ethereum'),
          class: about(className, 'What kind of asset it is.', 'crypto'),
          listed: about(
            z.boolean(),
            'Whether it has ticks: false of an asset that was taken off, whose past stays.',
            true,
          ),
        }),
        'The asset.',
      ),
    ),
    latest: about(
      latest.nullable(),
      'Its newest good reading; null where it has had none in 30 days.',
    ),
    vol_mult: multipleField,
    scores_30d: folded(
      about(
        z.array(
          z.looseObject({
            ts: about(timeText, 'The tick, UTC: a full hour.', '2026-09-21T14:00:00Z'),
            score: about(score.nullable(), 'Its score; null where it has none.', 42),
            heat: deprecated(about(score.nullable(), 'Use `score`.', 42)),
          }),
        ),
        '30 days of readings, every fourth tick, oldest first.',
      ),
    ),
    heat_7d: deprecated(
      folded(
        about(
          z.array(
            z.looseObject({
              ts: about(timeText, 'The tick, UTC.', '2026-09-21T14:00:00Z'),
              heat: deprecated(about(score.nullable(), 'Its score.', 42)),
            }),
          ),
          'Use `scores_30d`: the same readings in the old shape.',
        ),
      ),
    ),
    open_event: folded(about(openEvent.nullable(), 'Its event that is open, if any.')),
    past_events: folded(about(z.array(event), 'Its latest 10 closed events, newest first.')),
    venues: about(venues, 'Where it trades.'),
    venues_checked_at: about(
      timeText.nullable(),
      'When the venues were last checked, UTC; null before the first time.',
      '2026-09-21T03:00:00Z',
    ),
    venues_notice: about(
      z.string().nullable(),
      'What that check did not get, whose venues are those of an earlier one; null where it got everything.',
      null,
    ),
  }),
  'AssetDetail',
  'An asset with its scores, its events and its venues.',
);
