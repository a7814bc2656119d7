import type { LogReader } from '../reader/log-reader.ts';

/** Of a server, so that one verification stays within an address's requests per minute. */
const OF_SERVER = 1;
/** Of a copy, as far as it has them. */
const OF_COPY = 60;
/** Periods of all indexes together, of a copy that is not on this machine. Each takes two requests. */
const OF_REMOTE_COPY = 500;

/**
 * How many newest periods of each of a log's `indexes` have their answers of the API compared one by one. What is left
 * out is checked in the log all the same.
 */
export function periodsAsked(
  { live, local }: Pick<LogReader, 'live' | 'local'>,
  indexes: number,
): number {
  if (live) return OF_SERVER;
  if (local === true) return OF_COPY;
  const each = Math.floor(OF_REMOTE_COPY / Math.max(indexes, 1));
  return Math.max(OF_SERVER, Math.min(OF_COPY, each));
}
