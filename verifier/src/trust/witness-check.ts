import {
  type Cosignature,
  cosignatureMessage,
  parseCosignature,
} from '@assay/core/log/cosignature';
import type { Genesis } from '@assay/core/kind/genesis';
import type { NoteKey } from '@assay/core/log/note';
import { formatTime, LAST_SECOND } from '@assay/core/time/time';
import type { OpenCheckpoint } from './checkpoint-check.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { type Policy, type PolicyWitness, witnessKey } from '../verdict/policy.ts';
import type { NotCheckedList, Witnessed, WitnessFacts } from '../verdict/verdict.ts';

/** Seconds by which a witness's clock may be ahead of the verifier's. */
export const MAX_WITNESS_AHEAD_S = 120;

/** What the policy and the clock require of a checkpoint's witnesses. */
export interface WitnessTerms {
  readonly policy: Policy;
  readonly genesis: Genesis;
  /** Unix seconds; undefined without a clock. */
  readonly now: number | undefined;
}

/**
 * Checks the lines of the witnesses that the policy lists (C2SP tlog-cosignature, type 0x04). A line of a listed key
 * must verify, whether or not it is needed. Lines count once for each operator. There is a finding where fewer
 * operators than the policy requires have signed, recently enough where the policy says so, because a head that few
 * have seen may be one that is shown to this verifier alone.
 */
export async function checkWitnesses(
  open: OpenCheckpoint,
  terms: WitnessTerms,
  environment: Environment,
  findings: Findings,
): Promise<WitnessFacts> {
  const { policy, now } = terms;
  const { witnesses_required: required, witness_max_age_s: maxAge } = policy;
  const newest = new Map<string, Witnessed>();
  let stale = 0;
  for (const witness of policy.witnesses) {
    const key = witnessKey(environment.sha256, witness.vkey);
    const good = await goodLines(open, key, terms, environment, findings);
    for (const { time } of good) {
      if (maxAge !== null && (now === undefined || time < now - maxAge)) stale += 1;
      else keep(newest, witness, key, time);
    }
  }
  const witnesses = [...newest.values()];
  if (witnesses.length < required) {
    const age = maxAge === null ? '' : `, at most ${maxAge} s old`;
    const old = stale === 0 ? '' : now === undefined ? ', and no clock' : `, ${stale} too old`;
    findings.add(
      'witnesses_missing',
      'checkpoint',
      `cosignatures of ${required} operators that the policy lists${age}`,
      `of ${witnesses.map(({ operator }) => operator).join(', ') || 'none'}${old}`,
    );
  }
  return { required, witnesses };
}

function keep(
  newest: Map<string, Witnessed>,
  { operator }: PolicyWitness,
  { name }: NoteKey,
  seconds: number,
): void {
  const time = formatTime(seconds);
  const known = newest.get(operator);
  if (known === undefined || known.time < time) newest.set(operator, { operator, name, time });
}

/** The lines of one witness that verify and are not ahead of the clock. */
async function goodLines(
  { note, checkpoint: { origin } }: OpenCheckpoint,
  key: NoteKey,
  { genesis, now }: WitnessTerms,
  environment: Environment,
  findings: Findings,
): Promise<readonly Cosignature[]> {
  const good: Cosignature[] = [];
  const bad = (found: string): void =>
    findings.add('witness_bad_line', 'checkpoint', `a cosignature by ${key.name}`, found);
  for (const { name, keyId, signature: line } of note.signatures) {
    if (name !== key.name || keyId !== key.keyId) continue;
    const cosignature = parseCosignature(line);
    if (cosignature === undefined || cosignature.time > LAST_SECOND) {
      bad(`${line.length} bytes that are none`);
      continue;
    }
    const { time, signature } = cosignature;
    const message = cosignatureMessage(note.text, time);
    if (!(await environment.verifySignature(key.publicKey, message, signature))) {
      bad(`one of ${origin} that does not verify`);
    } else if (genesis.network === 'production' && now !== undefined && isAhead(time, now)) {
      bad(`one of ${formatTime(time)}, over ${MAX_WITNESS_AHEAD_S} s ahead of this clock`);
    } else {
      good.push(cosignature);
    }
  }
  return good;
}

function isAhead(time: number, now: number): boolean {
  return time > now + MAX_WITNESS_AHEAD_S;
}

/**
 * Names what was left out: witnesses that a log promises to a reader who requires none, and times that nothing bounds.
 */
export function nameWitnessTerms(
  { policy, genesis, now }: WitnessTerms,
  notChecked: NotCheckedList,
): void {
  const { witnesses_required: promised } = genesis.policies;
  if (promised > 0 && policy.witnesses_required === 0) {
    notChecked.add(
      'trust',
      `the cosignatures of ${promised} witnesses that the log promises on each checkpoint`,
      'the policy requires none: list the witnesses that you know, and how many you ask for',
      'witnesses',
    );
  }
  if (policy.witnesses.length === 0) return;
  if (genesis.network === 'development') {
    notChecked.add(
      'times',
      'that the times of witnesses are not ahead',
      'a development log may run on a simulated clock',
      'none',
    );
  } else if (now === undefined) {
    notChecked.add(
      'times',
      'that the times of witnesses are not ahead',
      'no clock was given',
      'clock',
    );
  }
}
