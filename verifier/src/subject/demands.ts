import { logRow } from '@assay/core/view/log';
import { heldUntil, nameAge } from '../log/clock-check.ts';
import { checkLogNumber } from './log-number.ts';
import { findGaps, gapsOf, nameGaps, nameUnsettled } from '../check/gaps.ts';
import type { LogWalk } from '../log/log-walk.ts';
import { nameMovedReleases } from '../check/moved-releases.ts';
import { findBelowPolicy } from '../check/policy-quorum.ts';
import type { Session } from './session.ts';
import type { NumberFacts } from '../verdict/verdict.ts';

/**
 * Checks a whole log, followed to its end, against the auditor's demands: the policy's co-signers, completeness, and
 * the number that was asked for. What is demanded and missing is a finding. What is missing and not demanded is named
 * as a reservation and counted for the first line. What is due depends on `heldUntil`; `isCopy` is true of a folder or
 * an export. Returns the facts of the number; null where none was asked for or it is not settled.
 */
export function holdToDemands(
  { policy, asked, findings, notChecked, now: clock }: Session,
  { views, at }: Pick<LogWalk, 'views' | 'at'>,
  isCopy: boolean,
): NumberFacts | null {
  // Where a log itself has findings, it is of no use to ask what else it left open.
  const isSound = findings.count === 0;
  const held = { at, network: logRow(views)?.network, isCopy, now: clock };
  const now = heldUntil(held);
  nameAge(held, notChecked);
  if (isSound || policy.complete) {
    const gaps = gapsOf(views, now);
    if (policy.complete) findGaps(gaps, findings);
    else nameGaps(gaps, notChecked);
    if (isSound) {
      nameUnsettled(views, now, notChecked);
      nameMovedReleases(views, now, notChecked);
    }
  }
  findBelowPolicy(views, policy, now, findings);
  if (asked === undefined) return null;
  return checkLogNumber(asked, { state: views, now, policy, findings }) ?? null;
}
