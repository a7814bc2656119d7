import type { Fault, FaultCode } from '@assay/core/fault';
import { governingRule } from '@assay/core/round/governing';
import { nextPeriod } from '@assay/core/answer/index';
import { newestClose } from '@assay/core/view/closes';
import { tickers } from '@assay/core/view/rules';
import { DAY_SECONDS, formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { type AnchorRow, anchorRow, anchorsBack, newestAnchor } from '@assay/core/view/anchors';
import { stampRow, stampsBetween } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import type { ProofProgress } from '../ledger/derived/proof.ts';
import type { LogRecord } from '../ledger/record.ts';

/** One thing that is wrong, in a sentence, and its severity. */
export interface Concern {
  readonly level: 'degraded' | 'halted';
  readonly reason: string;
}

/** A part of the service that reports what is wrong with it; empty if all is well. */
export type StatusInput = () => readonly Concern[];

/** When lateness counts, in seconds. */
export interface StatusLimits {
  /** Degraded: an index has no report so long after a release, or a day has no Close. */
  readonly degradedAfterS: number;
  /** Halted: every index is without one for so long, because then the service publishes nothing. */
  readonly haltedAfterS: number;
}

/** When a stamp counts as late, in seconds. */
export interface AnchorLimits {
  /** Degraded: no batch holds a record so long after it was written. */
  readonly unstampedAfterS: number;
  /** Degraded: no Bitcoin block holds a batch so long after it was stamped. */
  readonly pendingAfterS: number;
}

/** A stamp within the hour. A calendar needs hours for a block, and days when fees are high. */
export const ANCHOR_LIMITS: AnchorLimits = {
  unstampedAfterS: 3600,
  pendingAfterS: 3 * DAY_SECONDS,
};

/** Concerns about the record: whether there is one to read, and whether it accepts entries. */
export function recordConcerns(ledger: LogRecord): readonly Concern[] {
  if (ledger.published === undefined) {
    const { blocked } = ledger;
    const reason =
      blocked === undefined
        ? 'No head of the log is published yet.'
        : `The record cannot be read: ${publicCause(blocked)}.`;
    return [{ level: 'halted', reason }];
  }
  if (ledger.blocked === undefined || ledger.held !== undefined) return [];
  const { code } = ledger.blocked;
  const reason =
    code === 'unproven' && ledger.proof !== undefined
      ? provingText(ledger.proof)
      : `Nothing is written: ${publicCause(ledger.blocked)}.`;
  // A log that lost an entry publishes nothing until somebody has restored it.
  return [{ level: code === 'ledger_corrupt' ? 'halted' : 'degraded', reason }];
}

const CAUSES: Readonly<Partial<Record<FaultCode, string>>> = {
  ledger_behind: 'the database has fewer entries than were published',
  ledger_differs: 'the database and what was published share no history',
  ledger_corrupt: 'the database contradicts itself',
  guard_conflict: 'the guard of the newest head holds another head',
  guard_missing: 'the guard of the newest head is missing',
  guard_corrupt: 'the guard of the newest head is damaged',
  storage_failed: 'the disk or the database failed',
  no_room: 'the disk is full or read-only; writing goes on by itself once there is room',
  bad_clock: 'the clock and the newest Bitcoin block are too far apart',
  unproven: 'the entries are still being read again',
  stopped: 'a write failed, and a restart must compare first',
  signer_away:
    'the process that holds the keys does not answer; writing goes on by itself once it does',
  would_fork: 'the checkpoint key has signed another history',
  read_only: 'the newest head could not be compared with mirrors and witnesses',
};

/** Why a record is blocked, for readers. The message of a fault names paths and versions of the machine. */
function publicCause({ code, at }: Fault): string {
  if (code === 'ledger_corrupt' && at !== undefined && /^entry [0-9]+$/.test(at)) {
    return `${at} is damaged or missing, and assay restore brings it back from a copy`;
  }
  return CAUSES[code] ?? 'a fault that is in the log of the operator';
}

function provingText({ done, size }: ProofProgress): string {
  return `Nothing is signed yet: ${done} of ${size} entries have been read again.`;
}

/** The rounds that currently fail, by ticker. */
export function roundConcerns(failures: ReadonlyMap<string, string>): readonly Concern[] {
  return [...failures].map(([ticker, reason]) => ({
    level: 'degraded',
    reason: `The newest round of ${ticker} failed: ${reason}.`,
  }));
}

/** Indexes whose next period was released too long ago and has no report. */
export function latenessConcerns(
  { shown, published }: LogRecord,
  now: number,
  { degradedAfterS, haltedAfterS }: StatusLimits,
): readonly Concern[] {
  if (published === undefined) return [];
  const concerns: Concern[] = [];
  const all = tickers(shown);
  let stopped = 0;
  for (const ticker of all) {
    const period = nextPeriod(shown, ticker);
    const governing = governingRule(shown, ticker, period);
    if (governing === undefined) continue;
    const { rule, release } = governing;
    if (now - release > haltedAfterS) stopped += 1;
    if (now - release <= degradedAfterS) continue;
    const due = formatTime(release);
    const reason = `${rule.display} ${period} was due at ${due} and has no report.`;
    concerns.push({ level: 'degraded', reason });
  }
  if (all.length > 0 && stopped === all.length) {
    const reason = `No index has had a report for ${haltedAfterS} seconds after its release.`;
    concerns.push({ level: 'halted', reason });
  }
  return concerns;
}

/** How many indexes have such a concern. */
export function lateNumbers(ledger: LogRecord, now: number, limits: StatusLimits): number {
  const concerns = latenessConcerns(ledger, now, limits);
  return concerns.filter(({ level }) => level === 'degraded').length;
}

/** A day that ended too long ago and has no Close, in a log that has had one. */
export function closeConcerns(
  { shown, published }: LogRecord,
  now: number,
  { degradedAfterS }: StatusLimits,
): readonly Concern[] {
  const newest = published === undefined ? undefined : newestClose(shown);
  if (newest === undefined) return [];
  const day = Math.floor((now - degradedAfterS) / DAY_SECONDS) - 1;
  if (parseDate(newest) >= day) return [];
  return [{ level: 'degraded', reason: `The Close of ${formatDate(day)} is missing.` }];
}

/** Who is asked now about a batch that waits, or why nobody is, for readers. */
export type Asked = { readonly of: readonly string[] } | { readonly nobody: string };

/** What a node asks its calendars. */
export interface AnchorQuestions {
  /** Batches with a pending calendar. */
  readonly open: () => Iterable<number>;
  readonly asked: (row: AnchorRow) => Asked;
}

/**
 * A record that has waited too long for its stamp, and the newest batch that has waited too long for a block. A
 * calendar is named only if it is really asked.
 */
export function anchorConcerns(
  { shown, published }: LogRecord,
  now: number,
  questions: AnchorQuestions,
  { unstampedAfterS, pendingAfterS }: AnchorLimits = ANCHOR_LIMITS,
): readonly Concern[] {
  if (published === undefined) return [];
  const concerns: Concern[] = [];
  const from = newestAnchor(shown)?.to ?? 0;
  const [oldest] = stampsBetween(shown, from, Number.MAX_SAFE_INTEGER);
  const waiting = oldest === undefined ? undefined : stampRow(shown, oldest);
  if (waiting?.at != null && now - parseTime(waiting.at) > unstampedAfterS) {
    const reason = `The ${waiting.of} of entry ${waiting.seq}, written at ${waiting.at}, has no stamp yet.`;
    concerns.push({ level: 'degraded', reason });
  }
  const late = lateBatch(shown, now - pendingAfterS, questions.open());
  if (late !== undefined) {
    const { batch, stamped_at: at } = late;
    const reason = `Batch ${batch}, stamped at ${at}, is in no Bitcoin block yet: ${textOf(late, questions)}.`;
    concerns.push({ level: 'degraded', reason });
  }
  return concerns;
}

/** The newest batch from before a time that waits for a block, or that waited in vain. */
function lateBatch(
  state: ViewState,
  before: number,
  open: Iterable<number>,
): AnchorRow | undefined {
  const isLate = ({ bitcoin, stamped_at: at }: AnchorRow): boolean =>
    bitcoin.length === 0 && parseTime(at) < before;
  // A batch that every calendar was given up for no longer matters once a later batch is in a block, because
  // that covers the same entries.
  for (const row of anchorsBack(state)) {
    if (row.bitcoin.length > 0) break;
    if (isLate(row)) return row;
  }
  for (const batch of [...open].sort((a, b) => b - a)) {
    const row = anchorRow(state, batch);
    if (row !== undefined && isLate(row)) return row;
  }
  return undefined;
}

function textOf(row: AnchorRow, { asked }: AnchorQuestions): string {
  if (row.calendars.every(({ state }) => state !== 'pending')) {
    return 'every calendar was given up, and is asked once a week';
  }
  const now = asked(row);
  return 'nobody' in now ? `not asked: ${now.nobody}` : `asked of ${now.of.join(', ')}`;
}

/** How many batches are listed by number in one sentence. */
const TOLD_BATCHES = 5;

/** Batches whose stamp cannot be read, so that nobody can be asked about them. */
export function unreadableConcerns(batches: readonly number[]): readonly Concern[] {
  if (batches.length === 0) return [];
  const told = batches.slice(0, TOLD_BATCHES).join(', ');
  const more = batches.length - TOLD_BATCHES;
  const which = more > 0 ? `${told} and ${more} more` : told;
  const one = batches.length === 1;
  const words = `The ${one ? 'stamp of batch' : 'stamps of batches'} ${which}`;
  const them = one ? 'it' : 'them';
  return [{ level: 'degraded', reason: `${words} cannot be read: nobody is asked about ${them}.` }];
}
