import { roundTerms, type RoundTerms } from '@assay/core/arena/round-times';
import { freezeNote, type FreezeNote, isWitnessed, voidFrom } from '@assay/core/arena/unseal-draft';
import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { messageOf } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import type { Unseal } from '@assay/core/kind/unseal';
import { formatTime, parseTime } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { type RoundRow, roundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';
import type { Environment } from '../verdict/environment.ts';
import type { RoundPlace } from './round-check.ts';

/** Steps of the check of a beacon's signature: two pairings. */
const BEACON_STEPS = 8_388_608;

/** What a check of an unsealing needs of the log before it. */
export interface UnsealGround {
  readonly state: ViewState;
  /** The root of the log's tree at a size; undefined where it is too far back. */
  readonly rootAt: (size: number) => Hash | undefined;
}

/**
 * Checks what opens a round, or makes it void: the time, the beacon's signature, and that witnesses saw the freeze before the
 * beacon's round was out.
 */
export async function checkUnseal(
  unseal: Unseal,
  { seq, at, place }: RoundPlace,
  { state, rootAt }: UnsealGround,
  environment: Environment,
  context: CheckContext,
): Promise<void> {
  const { findings } = context;
  const row = roundRow(state, unseal.round);
  const terms = row === undefined ? undefined : roundTerms(state, row);
  if (row === undefined || terms === undefined || row.freeze === null || row.unseal !== null) {
    const before = row?.unseal?.seq;
    const expected =
      before === undefined ? 'a round that is frozen' : `none after that of entry ${before}`;
    findings.add('unseal_not_due', place, expected, unseal.round);
    return;
  }
  const { signature, note, void_reason: reason } = unseal;
  const now = parseTime(at);
  if (reason !== null || signature === null || note === null) {
    const from = reason === null ? terms.unseals : voidFrom(terms, reason);
    if (now < from) {
      findings.add('unseal_not_due', place, `${formatTime(from)} or later, ${reason}`, at);
    }
    return;
  }
  if (now < terms.unseals || now >= terms.release) {
    const expected = `from ${formatTime(terms.unseals)} to before ${formatTime(terms.release)}`;
    findings.add('unseal_not_due', place, expected, at);
  }
  context.work.charge(BEACON_STEPS);
  // Only a log with rounds needs the curve.
  const { verifyBeacon } = await import('@assay/core/timelock/beacon-signature');
  const { drand_round: round } = row.body;
  if (!verifyBeacon(terms.arena.drand, round, parseHex(signature))) {
    const expected = `the signature of round ${round} of ${terms.arena.drand.hash}`;
    findings.add('unseal_bad_signature', place, expected, 'one that does not verify');
  }
  await checkNote(note, seq, place, row, terms, { state, rootAt }, environment, context);
}

async function checkNote(
  text: string,
  seq: number,
  place: string,
  { freeze }: RoundRow,
  terms: RoundTerms,
  { state, rootAt }: UnsealGround,
  { sha256, verifySignature }: Environment,
  { findings, tally }: CheckContext,
): Promise<void> {
  const unwitnessed = (expected: string, found: string): void =>
    findings.add('unseal_unwitnessed', `${place}/note`, expected, found);
  let note: FreezeNote;
  try {
    note = freezeNote(sha256, text, terms);
  } catch (error) {
    unwitnessed('a signed checkpoint', messageOf(error));
    return;
  }
  const { origin, size, root } = note.checkpoint;
  const from = (freeze?.seq ?? 0) + 1;
  const expected = logRow(state)?.origin ?? '';
  if (origin !== expected) unwitnessed(`a checkpoint of ${expected}`, origin);
  if (size < from || size > seq) {
    unwitnessed(`a checkpoint of ${from} to ${seq} entries`, `one of ${size}`);
  } else {
    const own = rootAt(size);
    if (own === undefined || !equalBytes(own, root)) {
      unwitnessed(`the root of this log at ${size} entries`, 'another');
    }
  }
  const { required } = terms.arena.witnesses;
  tally.signatures += note.lines.length;
  if (await isWitnessed(note, terms, verifySignature)) return;
  const by = `lines of ${required} witnesses of the rule before ${formatTime(terms.unseals)}`;
  unwitnessed(by, 'fewer that verify');
}
