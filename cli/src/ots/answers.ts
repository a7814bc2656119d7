import { faultCode, messageOf } from '@assay/core/fault';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { formatTimestamp, type Timestamp } from '@assay/core/ots/timestamp';

/** A calendar's answer for a message. */
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
  /** How many answers are in it. */
  readonly used: number;
  /** The given failures, and the calendars whose answer does not fit. */
  readonly failures: readonly Failure[];
}

/**
 * Merges the answers of calendars for one message, each separately: one that is too deep or too long is only
 * its own calendar's failure. `format` throws if a tree does not fit into its proof.
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

/** The order in which they are merged, so that a long answer does not displace others. */
export function smallestFirst<T extends { readonly timestamp: Timestamp }>(
  answers: readonly T[],
): readonly T[] {
  return answers
    .map((answer) => ({ answer, size: formatTimestamp(answer.timestamp).length }))
    .toSorted((a, b) => a.size - b.size)
    .map(({ answer }) => answer);
}

/** Why an answer does not fit into a proof, if `format` throws for a limit. */
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
