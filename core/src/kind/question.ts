import { formatUuid8, uuidBytes } from '../bytes/uuid.ts';
import { type HashHex, type Sha256, taggedBytes } from '../hash/hash.ts';
import { parseSymbol } from '../terminal/tick/asset-symbol.ts';
import { parseTime, type TimeText } from '../time/time.ts';
import {
  hashHex,
  integer,
  literal,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  time,
} from '../wire/schema.ts';
import { wire } from '../wire/wire.ts';
import { type EventGroup, BREADTHS, BUCKETS } from './event-group.ts';
import { parseEventId } from './event-id.ts';

/** Forecasts that need no knowledge of the event. Whole percent of yes. */
export interface NullForecasts {
  /** The score is what it is at the opening, which is above the threshold. */
  readonly persistence: 100;
  /** The score always falls below the threshold. */
  readonly always_under: 0;
  /** The share of yes among all outcomes before the question; 50 where there is none. */
  readonly climatology: number;
}

/** Which earlier outcomes the service's answer is made of: those of the event's group, all, or none. */
export const SERVICE_BASES = ['group', 'all', 'none'] as const;
export type ServiceBasis = (typeof SERVICE_BASES)[number];

/** The service's own answer. */
export interface ServiceAnswer {
  /** Whole percent of yes. */
  readonly p: number;
  readonly basis: ServiceBasis;
  /** The group of the event; null where it has none. */
  readonly group: EventGroup | null;
  /** The outcomes that the answer is made of: how many are yes, of how many. */
  readonly yes: number;
  readonly of: number;
}

/** Whether the score of an asset is at the threshold or above, some time after its event opened. */
export interface Question {
  readonly id: string;
  /** The event that it is about. */
  readonly event: string;
  readonly symbol: string;
  readonly opened_at: TimeText;
  /** Answers are taken before this time. */
  readonly closes_at: TimeText;
  /** The first good tick at this time or later decides. */
  readonly resolves_at: TimeText;
  readonly threshold: number;
  /** How many seconds after `resolves_at` a tick can decide. */
  readonly tolerance_s: number;
  /** Hash of the arena rule. */
  readonly rule: HashHex;
  /** Hash of the score rule that the event names. */
  readonly score_rule: HashHex;
  readonly nulls: NullForecasts;
  readonly service: ServiceAnswer;
}

const percent = integer(0, 100);
const outcomes = integer(0, Number.MAX_SAFE_INTEGER);

const parseShape: Parse<Question> = object<Question>({
  id: parseEventId,
  event: parseEventId,
  symbol: parseSymbol,
  opened_at: time,
  closes_at: time,
  resolves_at: time,
  threshold: percent,
  tolerance_s: integer(1, 31_622_400),
  rule: hashHex,
  score_rule: hashHex,
  nulls: object<NullForecasts>({
    persistence: literal(100),
    always_under: literal(0),
    climatology: percent,
  }),
  service: object<ServiceAnswer>({
    p: percent,
    basis: oneOf(SERVICE_BASES),
    group: nullable(object<EventGroup>({ bucket: oneOf(BUCKETS), breadth: oneOf(BREADTHS) })),
    yes: outcomes,
    of: outcomes,
  }),
});

/** A question's body, or `malformed`: its times rise, and its answer is made of outcomes if it says so. */
export const parseQuestion: Parse<Question> = (value, at) => {
  const question = parseShape(value, at);
  const { opened_at, closes_at, resolves_at, service } = question;
  const [opened, closes, resolves] = [opened_at, closes_at, resolves_at].map(parseTime) as [
    number,
    number,
    number,
  ];
  const { yes, of, basis, group } = service;
  const demands: readonly (readonly [boolean, string, string])[] = [
    [opened < closes, 'closes_at', `after ${opened_at}`],
    [closes < resolves, 'resolves_at', `after ${closes_at}`],
    [yes <= of, 'service.yes', `at most ${of}`],
    [(of === 0) === (basis === 'none'), 'service.basis', 'none exactly where there is no outcome'],
    [basis !== 'group' || group !== null, 'service.group', 'the group that the answer is of'],
  ];
  for (const [holds, place, expected] of demands) {
    if (!holds) throw malformed(`${at}.${place}`, expected, wire(question));
  }
  return question;
};

/** The id of an event's question: a UUIDv8 of the first 16 bytes of `sha256("assay/question/v1" 0x00 || event 16)`. */
export function questionId(sha256: Sha256, event: string): string {
  return formatUuid8(sha256(taggedBytes('assay/question/v1', uuidBytes(event))).subarray(0, 16));
}
