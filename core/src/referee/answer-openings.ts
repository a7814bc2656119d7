import { Fault } from '../fault.ts';
import { parseEventId } from '../kind/event-id.ts';
import { array, hex, literal, object, oneOf, type Parse } from '../wire/schema.ts';
import { formatWire, parseWire } from '../wire/wire.ts';
import { type AnswerOpening, ANSWERS } from './answer-leaf.ts';

/** The blob that opens every leaf of a question. */
export interface AnswerOpenings {
  readonly type: 'assay-answers/1';
  readonly question: string;
  /** By ordinal. */
  readonly answers: readonly AnswerOpening[];
}

/** The most answers of one question: their openings are one blob, of about 184 bytes an answer. */
export const MAX_ANSWERS = 100_000;

const parseShape: Parse<AnswerOpenings> = object<AnswerOpenings>({
  type: literal('assay-answers/1'),
  question: parseEventId,
  answers: array(
    object<AnswerOpening>({ nonce: hex(32), salt: hex(32), answer: oneOf(ANSWERS) }),
    1,
    MAX_ANSWERS,
  ),
});

/** The canonical bytes of the openings. */
export function formatAnswerOpenings(
  question: string,
  answers: readonly AnswerOpening[],
): Uint8Array {
  return formatWire({ type: 'assay-answers/1', question, answers });
}

/** Throws `not_canonical`, `bad_utf8`, `malformed`, or `too_large`. */
export function parseAnswerOpenings(bytes: Uint8Array): AnswerOpenings {
  if (bytes.length > MAX_OPENINGS_BYTES) {
    throw new Fault('too_large', 'openings', { expected: `at most ${MAX_OPENINGS_BYTES} bytes` });
  }
  return parseShape(parseWire(bytes), 'openings');
}

/** The most bytes of the blob. */
export const MAX_OPENINGS_BYTES: number = 200 * MAX_ANSWERS;
