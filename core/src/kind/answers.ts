import type { HashHex } from '../hash/hash.ts';
import {
  array,
  hashHex,
  integer,
  isObject,
  literal,
  malformed,
  nullable,
  object,
  type Parse,
} from '../wire/schema.ts';
import { wire } from '../wire/wire.ts';
import { parseEventId } from './event-id.ts';

/** Answers to a question that came together, as commitments. What they are is opened when the question closes. */
export interface TakenAnswers {
  readonly type: 'taken';
  readonly question: string;
  /** The ordinal of the first leaf: how many leaves of the question are in the log before this entry. */
  readonly first: number;
  readonly leaves: readonly HashHex[];
}

/** The end of a question's answers: how many they were, and what they were. */
export interface ClosedAnswers {
  readonly type: 'closed';
  readonly question: string;
  /** The number of leaves. */
  readonly count: number;
  readonly yes: number;
  readonly no: number;
  /** RFC 6962 root over the leaves, in the order of their ordinals. */
  readonly root: HashHex;
  /** sha256 of the blob that opens every leaf; null where there is none. */
  readonly openings: HashHex | null;
}

export type Answers = TakenAnswers | ClosedAnswers;

/** The most leaves of one entry, which keeps it below the largest entry. */
export const MAX_TAKEN_LEAVES = 512;

const count = integer(0, Number.MAX_SAFE_INTEGER);

const parseTaken: Parse<TakenAnswers> = object<TakenAnswers>({
  type: literal('taken'),
  question: parseEventId,
  first: count,
  leaves: array(hashHex, 1, MAX_TAKEN_LEAVES),
});

const parseClosed: Parse<ClosedAnswers> = object<ClosedAnswers>({
  type: literal('closed'),
  question: parseEventId,
  count,
  yes: count,
  no: count,
  root: hashHex,
  openings: nullable(hashHex),
});

/** The body of either form, or `malformed`. The counts of a closed one add up. */
export const parseAnswers: Parse<Answers> = (value, at) => {
  if (isObject(value) && value['type'] === 'taken') return parseTaken(value, at);
  const closed = parseClosed(value, at);
  if (closed.yes + closed.no !== closed.count) {
    throw malformed(`${at}.count`, `${closed.yes + closed.no}, of yes and no`, wire(closed));
  }
  if ((closed.openings === null) !== (closed.count === 0)) {
    throw malformed(`${at}.openings`, 'null exactly where there is no answer', wire(closed));
  }
  return closed;
};
