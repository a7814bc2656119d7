import { messageOf } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import type { Tick } from '@assay/core/kind/tick';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { parseTickLeaves, type TickLeaf, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import type { BlobsAhead } from './blobs-ahead.ts';
import type { Findings } from '../verdict/finding.ts';

/** What the log holds about a tick's class before it. */
export interface LogBeforeTick {
  readonly grid: TickGrid;
  /** The time of the tick before, in Unix seconds. */
  readonly last: number | undefined;
  /** Whether an asset of the class is listed. */
  readonly isListed: (symbol: string) => boolean;
}

/**
 * Checks that a tick is at a time of its grid, after the tick before it and not ahead of its own entry. False with a
 * finding where nothing can follow from the tick.
 */
export function checkTickTime(
  { ts: text }: Tick,
  at: TimeText,
  place: string,
  { grid, last }: LogBeforeTick,
  findings: Findings,
): boolean {
  const ts = parseTime(text);
  if (at < text) findings.add('tick_not_due', place, `a tick of ${at} or before`, text);
  if (grid.indexOf(ts) === undefined) {
    findings.add('tick_not_due', place, 'a time of the grid', text);
    return false;
  }
  if (last === undefined || ts > last) return true;
  findings.add('tick_not_due', place, `a time after ${formatTime(last)}`, text);
  return false;
}

/**
 * The leaves of a tick from its blob. They must have the tick's time, size and root, and be of listed assets of its
 * class. Undefined with a finding where no leaves can be read.
 */
export async function checkTickLeaves(
  tick: Tick,
  place: string,
  { isListed }: LogBeforeTick,
  blobs: BlobsAhead,
  sha256: Sha256,
  findings: Findings,
): Promise<readonly TickLeaf[] | undefined> {
  const bytes = await blobs.take(tick.blob, place);
  if (bytes === undefined) return undefined;
  let leaves: readonly TickLeaf[];
  try {
    leaves = parseTickLeaves(bytes);
  } catch (error) {
    findings.add('tick_malformed', `${place}, blob ${tick.blob}`, 'tick leaves', messageOf(error));
    return undefined;
  }
  const differs = (what: string, expected: string, found: string): void => {
    if (expected !== found) findings.add('tick_differs', `${place}, ${what}`, expected, found);
  };
  differs('size', `${leaves.length}`, `${tick.size}`);
  differs('root', hashHex(tickRoot(sha256, bytes)), tick.root);
  const [{ ts }] = leaves as readonly [TickLeaf];
  differs('ts', `leaves of ${tick.ts}`, `leaves of ${timeText(ts)}`);
  for (const { symbol } of leaves) {
    if (!isListed(symbol)) differs('leaf', `a listed asset of ${tick.class}`, symbol);
  }
  return leaves;
}

/** A time, or its plain seconds where the calendar here cannot express it. */
function timeText(ts: number): string {
  try {
    return formatTime(ts);
  } catch {
    return `${ts} s`;
  }
}
