import type { TimeText } from '../time/time.ts';
import { integer, malformed, nullable, object, oneOf, type Parse, time } from '../wire/schema.ts';
import { wire } from '../wire/wire.ts';
import { parseEventId } from './event-id.ts';

export const OUTCOMES = ['yes', 'no', 'void'] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

/** What became of a question. It is stated once. */
export interface Outcome {
  readonly question: string;
  readonly outcome: OutcomeName;
  /** The score of the tick that decided; null where it is void. */
  readonly score: number | null;
  /** The tick that decided; null where it is void. */
  readonly resolved_at: TimeText | null;
}

const parseShape: Parse<Outcome> = object<Outcome>({
  question: parseEventId,
  outcome: oneOf(OUTCOMES),
  score: nullable(integer(0, 100)),
  resolved_at: nullable(time),
});

/** An outcome's body, or `malformed`: a score with its tick, or neither where it is void. */
export const parseOutcome: Parse<Outcome> = (value, at) => {
  const outcome = parseShape(value, at);
  const isVoid = outcome.outcome === 'void';
  if ((outcome.score === null) !== isVoid || (outcome.resolved_at === null) !== isVoid) {
    const expected = isVoid ? 'neither score nor tick' : 'a score and its tick';
    throw malformed(at, expected, wire(outcome));
  }
  return outcome;
};
