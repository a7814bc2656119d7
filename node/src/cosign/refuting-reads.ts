import {
  type Recount,
  recount,
  type RecountInput,
  recountUntil,
  restsInside,
} from '@assay/core/round/recount';
import type { Read } from '@assay/core/report/report';
import type { Clocks } from '@assay/core/rule/clocks';
import { parseTime } from '@assay/core/time/time';

/** A recounter's own reads of a period, and what they make of a report. */
export interface LocalRead {
  readonly reads: readonly Read[];
  readonly recount: Recount | undefined;
  /** Whether they may say something against the report, and not for it alone. */
  readonly contradicts: boolean;
}

/**
 * Of sets of own reads the one that a void or a final goes against: a number with its quorum that was read in time for
 * a first print is not made nothing, or another one, by waiting. From inside the freeze window it contradicts; otherwise
 * it keeps a word from being an agreement, no more. Undefined where no set stands against the report.
 */
export function refutingReads(
  sets: readonly (readonly Read[])[],
  of: Omit<RecountInput, 'reads'>,
): LocalRead | undefined {
  const { rule, clocks, report } = of;
  const { status, value } = report;
  if (status !== 'void' && status !== 'final') return undefined;
  const until = recountUntil(of);
  const counted = sets
    .filter((reads) => reads.length > 0 && lastOf(reads) <= until)
    .map((reads): LocalRead => ({ reads, recount: recount({ ...of, reads }), contradicts: true }))
    .filter(({ recount: own }) => own?.quorate === true && own.value !== null)
    .sort((a, b) => lastOf(a.reads) - lastOf(b.reads));
  const frozen = ownFrozen(clocks, rule, counted[0]?.reads);
  const inside = counted.filter(
    ({ reads }) => lastOf(reads) < frozen || (clocks.seen !== null && reads === counted[0]?.reads),
  );
  const last = inside.at(-1);
  if (status === 'void') {
    const late = counted.at(-1);
    return last ?? (late && { ...late, contradicts: false });
  }
  if (last === undefined) return undefined;
  if (!restsInside({ ...clocks, frozen }, report))
    return last.recount?.value === value ? undefined : last;
  if (inside.some(({ recount: own }) => own?.value === value)) return undefined;
  const since = lastOf(report.reads);
  const after = inside.find(({ reads }) => firstOf(reads) >= since);
  return after ?? { ...last, contradicts: false };
}

/**
 * Where the clocks run from a late publication, they do so from when the last of a quorum saw it: the freeze window of whoever
 * saw it before that began earlier, and a publisher that kept the first statements back has no second number by it.
 */
function ownFrozen(
  { frozen, seen }: Clocks,
  { revision }: RecountInput['rule'],
  first: readonly Read[] | undefined,
): number {
  if (seen === null || first === undefined) return frozen;
  return Math.min(frozen, lastOf(first) + revision.freeze_after_s);
}

function lastOf(reads: readonly Read[]): number {
  return Math.max(...reads.map(({ read_at: at }) => parseTime(at)));
}

function firstOf(reads: readonly Read[]): number {
  return Math.min(...reads.map(({ read_at: at }) => parseTime(at)));
}
