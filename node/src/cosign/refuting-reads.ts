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

/** A recounter's own reads of a period, and the result of the rule on them. */
export interface LocalRead {
  readonly reads: readonly Read[];
  readonly recount: Recount | undefined;
  /** Whether they contradict the report, or only do not support it. */
  readonly contradicts: boolean;
}

/**
 * Of several sets of a recounter's own reads, the one that contradicts a void or a final: if a number was read
 * with its quorum in time for a first print, the publisher cannot turn it into nothing, or into another number,
 * by waiting. Reads from inside the freeze window contradict the report. Other reads only prevent an agreement.
 * Undefined if no set is against the report.
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
 * If the clocks run from a late publication, they run from when the last of a quorum saw it. The freeze window
 * of a co-signer that saw it earlier began earlier, so that a publisher who held back the first statements does
 * not gain a second number.
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
