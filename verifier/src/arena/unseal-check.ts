import { roundTerms, type RoundTerms } from '@assay/core/arena/round-times';
import {
  countWitnesses,
  freezeNote,
  type FreezeNote,
  mayBeVoid,
  signedLines,
  type WitnessLine,
} from '@assay/core/arena/unseal-draft';
import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { messageOf } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import { MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import type { Unseal, UnsealVoid } from '@assay/core/kind/unseal';
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

/** A round that was made void, as far as other entries of the log can refute the reason. */
interface VoidRound {
  readonly id: string;
  readonly place: string;
  readonly reason: UnsealVoid;
  readonly freeze: number;
  readonly terms: RoundTerms;
  /** The drand chain and the round on it. */
  readonly beacon: string;
}

/** What an unsealing of another round shows: a signature of the beacon, and who had signed which checkpoint when. */
interface Shown {
  readonly seq: number;
  /** When it was in the log, in Unix seconds. */
  readonly at: number;
  /** The drand chain and the round whose signature it has; undefined where that does not verify. */
  readonly beacon: string | undefined;
  /** The size of its checkpoint, and the lines on it that verify; undefined where it is not of this log. */
  readonly note: { readonly size: number; readonly lines: readonly WitnessLine[] } | undefined;
}

/** What a log has shown of its rounds: those that were made void, and what others show. */
export interface KeptUnseals {
  readonly voids: VoidRound[];
  readonly shown: Shown[];
}

/** Steps of comparing a void with what another entry shows. */
const COMPARE_STEPS = 64;

/**
 * Checks what opens rounds, or makes them void: the time, the beacon's signature, and that witnesses saw the freeze before the
 * beacon's round was out. A reason for a void is refuted where another entry of the same log shows the opposite.
 */
export class UnsealCheck {
  readonly #environment: Environment;
  readonly #context: CheckContext;
  #state: KeptUnseals = { voids: [], shown: [] };

  constructor(environment: Environment, context: CheckContext) {
    this.#environment = environment;
    this.#context = context;
  }

  /** What a check of the same log needs to go on in the place of this one. It changes with the next entry. */
  get kept(): KeptUnseals {
    return this.#state;
  }

  /** Goes on as the check that was kept. Call it before the first entry. */
  resume(kept: KeptUnseals): void {
    this.#state = kept;
  }

  /** Checks an entry. */
  async check(unseal: Unseal, where: RoundPlace, ground: UnsealGround): Promise<void> {
    const { findings } = this.#context;
    const { at, place } = where;
    const row = roundRow(ground.state, unseal.round);
    const terms = row === undefined ? undefined : roundTerms(ground.state, row);
    if (row === undefined || terms === undefined || row.freeze === null || row.unseal !== null) {
      const before = row?.unseal?.seq;
      const expected =
        before === undefined ? 'a round that is frozen' : `none after that of entry ${before}`;
      findings.add('unseal_not_due', place, expected, unseal.round);
      return;
    }
    const { signature, note, void_reason: reason } = unseal;
    if (reason !== null || signature === null || note === null) {
      if (reason !== null) this.#void(reason, row, row.freeze.seq, terms, where);
      return;
    }
    const now = parseTime(at);
    if (now < terms.unseals || now >= terms.release) {
      const expected = `from ${formatTime(terms.unseals)} to before ${formatTime(terms.release)}`;
      findings.add('unseal_not_due', place, expected, at);
    }
    const shown: Shown = {
      seq: where.seq,
      at: now,
      beacon: await this.#beacon(signature, row, terms, place),
      note: await checkNote(note, where, row, terms, ground, this.#environment, this.#context),
    };
    this.#state.shown.push(shown);
    for (const each of this.#state.voids) this.#refute(each, shown);
  }

  #void(
    reason: UnsealVoid,
    row: RoundRow,
    freeze: number,
    terms: RoundTerms,
    { at, place }: RoundPlace,
  ): void {
    const { findings, notChecked } = this.#context;
    const { id } = row.body;
    if (!mayBeVoid(terms, reason, parseTime(at))) {
      const [unseals, release] = [formatTime(terms.unseals), formatTime(terms.release)];
      const expected =
        reason === 'unwitnessed'
          ? `${reason} from ${unseals} to before ${release}`
          : `${reason} from ${release} on`;
      findings.add('unseal_not_due', place, expected, at);
    }
    notChecked.add(
      'scope',
      `that rounds of the Arena had to be void (${reason})`,
      'the operator states the reason; no other entry of the log refutes it',
      'none',
      id,
    );
    const own = { id, place, reason, freeze, terms, beacon: beaconOf(row, terms) };
    this.#state.voids.push(own);
    for (const shown of this.#state.shown) this.#refute(own, shown);
  }

  /** Reports a void whose reason another entry of the log refutes. */
  #refute({ id, place, reason, freeze, terms, beacon }: VoidRound, shown: Shown): void {
    this.#context.work.charge(COMPARE_STEPS);
    const refuted = (found: string): void =>
      this.#context.findings.add(
        'unseal_void_refuted',
        place,
        `a reason to make ${id} void`,
        found,
      );
    if (reason !== 'unwitnessed') {
      if (shown.beacon !== beacon || shown.at >= terms.release) return;
      refuted(`${reason}, though entry ${shown.seq} has the beacon's signature in time`);
      return;
    }
    if (shown.note === undefined || shown.note.size <= freeze) return;
    const keys = new Set(terms.arena.witnesses.keys);
    const lines = shown.note.lines.filter(
      ({ vkey, time }) => keys.has(vkey) && time < terms.unseals,
    );
    if (countWitnesses(lines) < terms.arena.witnesses.required) return;
    refuted(`${reason}, though the note of entry ${shown.seq} has the lines of its witnesses`);
  }

  /** The round whose signature this is, where it verifies. */
  async #beacon(
    signature: string,
    row: RoundRow,
    terms: RoundTerms,
    place: string,
  ): Promise<string | undefined> {
    this.#context.work.charge(BEACON_STEPS);
    // Only a log with rounds needs the curve.
    const { verifyBeacon } = await import('@assay/core/timelock/beacon-signature');
    const { drand_round: round } = row.body;
    if (verifyBeacon(terms.arena.drand, round, parseHex(signature))) return beaconOf(row, terms);
    const expected = `the signature of round ${round} of ${terms.arena.drand.hash}`;
    this.#context.findings.add('unseal_bad_signature', place, expected, 'one that does not verify');
    return undefined;
  }
}

function beaconOf({ body }: RoundRow, { arena }: RoundTerms): string {
  return `${arena.drand.hash} ${body.drand_round}`;
}

/** Returns what the note shows, with a finding where it does not show that the freeze was witnessed. */
async function checkNote(
  text: string,
  { seq, place }: RoundPlace,
  { body, freeze }: RoundRow,
  terms: RoundTerms,
  { state, rootAt }: UnsealGround,
  { sha256, verifySignature }: Environment,
  { findings, notChecked, tally }: CheckContext,
): Promise<Shown['note']> {
  let isOwn = true;
  const unwitnessed = (expected: string, found: string): void =>
    findings.add('unseal_unwitnessed', `${place}/note`, expected, found);
  const other = (expected: string, found: string): void => {
    isOwn = false;
    unwitnessed(expected, found);
  };
  let note: FreezeNote;
  try {
    note = freezeNote(sha256, text, terms);
  } catch (error) {
    unwitnessed('a signed checkpoint', messageOf(error));
    return undefined;
  }
  const { origin, size, root } = note.checkpoint;
  const from = (freeze?.seq ?? 0) + 1;
  const expected = logRow(state)?.origin ?? '';
  if (origin !== expected) other(`a checkpoint of ${expected}`, origin);
  const own = size <= seq ? rootAt(size) : undefined;
  if (size < from || size > seq) {
    other(`a checkpoint of ${from} to ${seq} entries`, `one of ${size}`);
  } else if (own === undefined) {
    isOwn = false;
    notChecked.add(
      'completeness',
      'that the notes of rounds of the Arena are of this log',
      `their checkpoints are over ${MAX_ANCHOR_LAG} entries back, further than a verifier keeps the tree`,
      'none',
      body.id,
    );
  } else if (!equalBytes(own, root)) {
    other(`the root of this log at ${size} entries`, 'another');
  }
  const { required } = terms.arena.witnesses;
  tally.signatures += note.lines.length;
  const lines = await signedLines(note.lines, verifySignature);
  if (countWitnesses(lines) < required) {
    const by = `lines of ${required} witnesses of the rule before ${formatTime(terms.unseals)}`;
    unwitnessed(by, 'fewer that verify');
  }
  return isOwn ? { size, lines } : undefined;
}
