import { z } from 'zod';
import { deprecated, folded } from './basis.ts';
import { about, dateText, named, timeText } from './field.ts';
import { EVENT_ID_EXAMPLE, eventIdText, score, symbolText } from './terminal-event.ts';

/** An event in a list; `closed` is the word for one that is not open any more. */
function scoreEvent(closed: string): z.ZodType<object> {
  return z.looseObject({
    id: about(eventIdText, "The event's id.", EVENT_ID_EXAMPLE),
    kind: about(z.enum(['open', closed]), `\`open\` or \`${closed}\`.`, closed),
    symbol: about(symbolText, 'The asset.', 'ETH'),
    name: about(z.string(), "The asset's name.", 'Ethereum'),
    opened_at: about(timeText, 'The tick that opened it, UTC.', '2026-09-21T14:15:00Z'),
    score_at_open: about(score, 'The score that opened it.', 72),
    peak_score: about(score, 'The highest score, so far where it is open.', 81),
    peak_heat: deprecated(about(score, 'Use `peak_score`.', 81)),
    heat_at_open: deprecated(about(score, 'Use `peak_score`: it is the peak.', 81)),
  });
}

export const scoreEventItem: z.ZodType<object> = named(
  scoreEvent('closed'),
  'ScoreEventItem',
  'An event that is open or closed.',
);
export const heatEventItem: z.ZodType<object> = named(
  scoreEvent('resolved'),
  'HeatEventItem',
  'The same; one that has closed is `resolved`.',
);

export const changelogAnswer: z.ZodType<object> = named(
  z.looseObject({
    generated_at: about(timeText, 'When this was made, UTC.', '2026-09-21T14:31:00Z'),
    ships: about(
      z.array(
        z.looseObject({
          date: about(dateText, 'When it was shipped.', '2026-09-22'),
          pr: about(z.int(), 'Number of the pull request.', 311),
          title: about(z.string(), 'What it is.', 'Keys say score'),
          summary: about(z.string(), 'What it means to a reader.', 'The old keys stay as aliases.'),
        }),
      ),
      'What was shipped, newest first.',
    ),
    score_events: folded(
      about(z.array(scoreEventItem), 'The events that opened last, newest first.'),
    ),
    heat_events: deprecated(folded(about(z.array(heatEventItem), 'Use `score_events`.'))),
    score_halted: about(
      z.boolean(),
      'Whether the Terminal is halted, as `halted` of the board; also where its record cannot be read, and then no events are listed.',
      false,
    ),
    heat_halted: deprecated(about(z.boolean(), 'Use `score_halted`.', false)),
  }),
  'Changelog',
  'What was shipped, and which events opened and closed lately.',
);
