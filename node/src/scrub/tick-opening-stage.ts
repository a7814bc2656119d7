import { equalBytes } from '@assay/core/bytes/bytes';
import { faultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { isSampled } from '@assay/core/terminal/study/ordinary-sample';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { tickCommitment } from '@assay/core/terminal/tick/tick-values';
import { DAY_SECONDS, formatDate, parseDate, parseTime, formatTime } from '@assay/core/time/time';
import { ticksBack, type TickRow } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../blob/blob-store.ts';
import type { DayOfTicks, TickOpenings } from '../terminal/tick/tick-openings.ts';
import type { DamageLog } from './damage-log.ts';
import type { ScrubStage, ScrubStep } from './scrub-stage.ts';

export interface TickOpeningStageParts {
  readonly of: AssetClass;
  readonly openings: Pick<TickOpenings, 'days' | 'day'>;
  /** The rows of the log. */
  readonly views: () => ViewState;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly sha256: Sha256;
  readonly damage: DamageLog;
}

/**
 * Checks what opens the leaves of a class's ticks, day by day: each opening against the commitment in its leaf,
 * and whether there is one for every leaf of a day that was not thinned. Days before the first that has a file
 * are not considered.
 */
export function tickOpeningStage(parts: TickOpeningStageParts): ScrubStage {
  return {
    name: `tick openings of ${parts.of}`,
    steps: (place) => daySteps(parts, place),
    recheck: {
      part: 'tick-opening',
      copyOf: null,
      check: async (name) => {
        const [of, day = ''] = name.split('/');
        if (of === parts.of) await checkDay(parts, day);
      },
    },
  };
}

/** `place` is the newest day that is done. */
async function* daySteps(parts: TickOpeningStageParts, place: string): AsyncGenerator<ScrubStep> {
  const [first] = await parts.openings.days();
  if (first === undefined) return;
  const newest = newestDay(parts) ?? first;
  const [from, to] = [parseDate(first), parseDate(newest)];
  for (let day = from; day <= to; day += 1) {
    const name = formatDate(day);
    if (name <= place) continue;
    const bytes = await checkDay(parts, name);
    yield { place: name, share: (day - from + 1) / (to - from + 1), bytes };
  }
}

function newestDay({ views, of }: TickOpeningStageParts): string | undefined {
  for (const [ts] of ticksBack(views(), of)) return ts.slice(0, 10);
  return undefined;
}

/** Checks a day's file and records the result. Returns the number of bytes that were read. */
async function checkDay(parts: TickOpeningStageParts, day: string): Promise<number> {
  const { openings, damage, of } = parts;
  const name = `${of}/${day}`;
  // What is in the log was stored before it was appended. What is stored meanwhile is not considered.
  const ticks = ticksOf(parts, day);
  let found: DayOfTicks | undefined;
  try {
    found = await openings.day(day);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    damage.note('tick-opening', name);
    return 0;
  }
  if (found === undefined) {
    if (ticks.length > 0) damage.note('tick-opening', name, 'missing');
    else damage.whole('tick-opening', name);
    return 0;
  }
  // A log that was restored without its openings has none from before.
  const [first] = await openings.days();
  const begun = day === first ? Math.min(...found.ticks.keys()) : 0;
  let isSound = true;
  for (const [ts, row] of ticks.filter(([at]) => at >= begun))
    isSound = (await fits(parts, ts, row, found)) && isSound;
  if (isSound) damage.whole('tick-opening', name);
  else damage.note('tick-opening', name);
  return found.bytes;
}

function ticksOf(
  { views, of }: TickOpeningStageParts,
  day: string,
): (readonly [number, TickRow])[] {
  const end = formatTime((parseDate(day) + 1) * DAY_SECONDS);
  const ticks: (readonly [number, TickRow])[] = [];
  for (const [ts, row] of ticksBack(views(), of, end)) {
    if (!ts.startsWith(day)) break;
    ticks.push([parseTime(ts), row]);
  }
  return ticks;
}

/** Whether the openings of a tick are those of its leaves; undefined if its leaves are damaged. */
async function fits(
  { blobs, sha256 }: TickOpeningStageParts,
  ts: number,
  { blob }: TickRow,
  { ticks, isWhole }: DayOfTicks,
): Promise<boolean> {
  const opened = ticks.get(ts)?.openings ?? [];
  // A day that was thinned still has complete samples.
  const isComplete = isWhole || isSampled(ts);
  if (opened.length === 0) return !isComplete;
  const bytes = await blobs.get(blob).catch((error: unknown) => {
    // The stage of blobs reports it.
    if (faultCode(error) === 'blob_differs') return undefined;
    throw error;
  });
  if (bytes === undefined) return true;
  const leaves = new Map(parseTickLeaves(bytes).map((leaf) => [leaf.symbol, leaf.commitment]));
  if (isComplete && opened.length !== leaves.size) return false;
  return opened.every(({ symbol, salt, bytes: values }) => {
    const commitment = leaves.get(symbol);
    return commitment !== undefined && equalBytes(tickCommitment(sha256, salt, values), commitment);
  });
}
