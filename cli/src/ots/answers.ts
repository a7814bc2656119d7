import { faultCode, messageOf } from '@assay/core/fault';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { formatTimestamp, type Timestamp } from '@assay/core/ots/timestamp';

/** What a calendar made of a message. */
export interface Answer {
  readonly calendar: string;
  readonly timestamp: Timestamp;
}

export interface Failure {
  readonly calendar: string;
  readonly reason: string;
}

export interface Merged {
  readonly merged: Timestamp;
  /** Answers that are in it. */
  readonly used: number;
  /** Those given, and the calendars whose answer leaves no room for what is there. */
  readonly failures: readonly Failure[];
}

/**
 * The answers of calendars on one message as one, each by itself: one that is too deep or too long is
 * its calendar's failure and nobody else's. `format` throws where a tree does not fit into its proof.
 */
export function mergeAnswers(
  {
    answers,
    failures,
  }: { readonly answers: readonly Answer[]; readonly failures: readonly Failure[] },
  format: (merged: Timestamp) => unknown,
): Merged {
  let merged: Timestamp = { items: [] };
  let used = 0;
  const failed = [...failures];
  for (const { calendar, timestamp } of smallestFirst(answers)) {
    const grown = mergeTimestamps(merged, timestamp);
    const reason = whyTooMuch(() => format(grown));
    if (reason === undefined) {
      merged = grown;
      used += 1;
    } else {
      failed.push({ calendar, reason });
    }
  }
  return { merged, used, failures: failed };
}

/** In the order in which they are merged: a long answer takes the room of no other. */
export function smallestFirst<T extends { readonly timestamp: Timestamp }>(
  answers: readonly T[],
): readonly T[] {
  return answers
    .map((answer) => ({ answer, size: formatTimestamp(answer.timestamp).length }))
    .toSorted((a, b) => a.size - b.size)
    .map(({ answer }) => answer);
}

/** Why an answer does not go into a proof with what is there, where `format` throws for a limit. */
export function whyTooMuch(format: () => unknown): string | undefined {
  try {
    format();
    return undefined;
  } catch (error) {
    const code = faultCode(error);
    if (code !== 'bad_proof' && code !== 'too_large') throw error;
    return `its answer does not fit: ${messageOf(error)}`;
  }
}
