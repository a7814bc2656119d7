import { equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex } from '@assay/core/hash/hash';
import { formatTime } from '@assay/core/time/time';
import type { ViewWrite } from '@assay/core/view/view';
import type { ReadClosingHead } from '../trust/closing-head.ts';
import type { KeptClosingHeads } from '../log/closing-heads.ts';
import type { KeptWalk } from '../log/kept-walk.ts';
import type { LogWalk } from '../log/log-walk.ts';
import type { WalkRows } from '../log/walk-rows.ts';
import { ClockCheck } from '../log/clock-check.ts';
import type { KeptReservations, Tally } from '../verdict/verdict.ts';
import { pauseWithin } from '../verdict/limits.ts';
import { VERIFIER_VERSION } from '../verdict/version.ts';
import type { Session } from './session.ts';

/** Raised when `KeptVisit` changes its form, or a check what it finds, within one version of the verifier. */
const FORM = 2;

/** On what the result of a walk rests beside the log. A walk goes on only from one under the same terms. */
interface Terms {
  readonly form: number;
  readonly verifier: string;
  /** The limit of sealed forecasts that are opened. */
  readonly openings: number;
  /** Whether texts are taken from PDF files again. */
  readonly extracts: boolean;
}

/** What a visit without a finding learned, up to the size that it walked to first. It is plain data. */
export interface KeptVisit {
  readonly terms: Terms;
  /**
   * When the first of the visits was on which it rests, and it itself, by the verifier's clock in Unix seconds; undefined
   * without one.
   */
  readonly since: number | undefined;
  readonly made: number | undefined;
  /** What its session held before the first entry, as `gathered` writes it. */
  readonly before: string;
  /** What it held at the end of the walk. */
  readonly tally: Tally;
  readonly reservations: KeptReservations;
  readonly walk: KeptWalk;
}

/** Where the visits to one log keep what they learned. Whoever can write to it decides what the next visit says. */
export interface VisitMemory {
  /** What the visit before left. It belongs to the caller. Undefined for nothing. */
  readonly take: () => Promise<KeptVisit | undefined>;
  /** The rows of that visit, some at a time. Throws where one of them is not as it was kept. */
  readonly rows: () => AsyncIterable<readonly ViewWrite[]>;
  /**
   * Keeps a visit and its rows, which do not change until this resolves. It counts once the verdict is known to be good,
   * which the owner of the memory decides.
   */
  readonly keep: (visit: KeptVisit, views: WalkRows) => Promise<void>;
}

/** Where a walk is to begin, and how far it has to come. */
export interface Start {
  /** The leaf hash of entry 0, as it was served. */
  readonly log: HashHex;
  readonly size: number;
  /** The size of the head that is pinned, at which the walk has to pass; undefined without one. */
  readonly pinned: number | undefined;
  readonly closingHead: ReadClosingHead;
}

/**
 * Has the walk go on where the visit before ended, where everything is as it was: the terms, what the session held before
 * its first entry, a clock that finds none of the times ahead, and the closing heads that the log serves. Returns the visit
 * from which it goes on; undefined where it begins with entry 0.
 */
export async function goOn(
  session: Session,
  walk: LogWalk,
  { log, size, pinned, closingHead }: Start,
): Promise<KeptVisit | undefined> {
  const { memory, tally, notChecked, now, work, environment } = session;
  if (memory === undefined || !canKeep(session)) return undefined;
  const visit = await memory.take();
  if (visit === undefined) return undefined;
  const { walk: kept } = visit;
  const isSame =
    sameTerms(visit.terms, termsOf(session)) &&
    kept.log === log &&
    kept.tree.size <= Math.min(size, pinned ?? size) &&
    visit.before === gathered(session) &&
    (kept.genesis.network !== 'production' || new ClockCheck(now).holds(kept.at)) &&
    (await areServed(kept.closing, closingHead));
  if (!isSame) return undefined;
  for await (const some of memory.rows()) {
    walk.views.load(some);
    await walk.views.flush(kept.foldedBytes);
    await pauseWithin(work, environment);
  }
  walk.resume(kept);
  Object.assign(tally, visit.tally);
  notChecked.resume(visit.reservations);
  return visit;
}

/** Says which entries earlier visits checked, once the state of this one has been kept. */
export function nameEarlier(
  { walk, since, made }: KeptVisit,
  { notChecked }: Pick<Session, 'notChecked'>,
): void {
  const when = (each: number | undefined): string =>
    each === undefined ? 'an unknown time' : formatTime(each);
  notChecked.add(
    'scope',
    `the first ${walk.tree.size} entries once more`,
    `${since === made ? `a visit of ${when(made)}` : `visits from ${when(since)} to ${when(made)}`} checked them, and the root over them is the same`,
    'from_start',
  );
}

/** What a session without findings holds, as a text that is the same for the same. */
export function gathered({ tally, notChecked }: Session): string {
  const { classes, counts } = notChecked.kept;
  const items = [...classes].map(([cls, { items: of, over }]) => [cls, [...of.values()], over]);
  return JSON.stringify([tally, items, counts]);
}

/** Keeps a walk that has come to its first end, where there is a memory and nothing is wrong so far. */
export async function keepVisit(
  session: Session,
  walk: LogWalk,
  before: string,
  earlier: KeptVisit | undefined,
): Promise<void> {
  const { memory, findings, tally, notChecked, now: made } = session;
  if (memory === undefined || findings.count > 0 || !canKeep(session)) return;
  const { kept } = walk;
  if (kept === undefined) return;
  const terms = termsOf(session);
  const reservations = notChecked.kept;
  const since = earlier === undefined ? made : earlier.since;
  const visit = { terms, since, made, before, tally, reservations, walk: kept };
  await memory.keep(visit, walk.views);
}

/** Headers and asked entries change what a walk finds and remembers of each block. */
function canKeep({ headers, entries }: Session): boolean {
  return headers === undefined && entries.length === 0;
}

function termsOf({ limits, environment }: Session): Terms {
  return {
    form: FORM,
    verifier: VERIFIER_VERSION,
    openings: limits.openings,
    extracts: environment.extractText !== undefined,
  };
}

function sameTerms(a: Terms, b: Terms): boolean {
  return (
    a.form === b.form &&
    a.verifier === b.verifier &&
    a.openings === b.openings &&
    a.extracts === b.extracts
  );
}

/** Whether the log serves the closing heads that were found before, and no others of the keys that had ended then. */
async function areServed(
  { found, absent }: KeptClosingHeads,
  read: ReadClosingHead,
): Promise<boolean> {
  for (const number of absent) if ((await read(number)) !== undefined) return false;
  for (const [number, { note }] of found) {
    const served = await read(number);
    if (served === undefined || !equalBytes(served, note)) return false;
  }
  return true;
}
