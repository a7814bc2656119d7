import type { ArenaNumber } from '@assay/core/arena/forecast/arena-number';
import { draftFreeze, countingForecasts } from '@assay/core/arena/freeze-draft';
import { draftGrades, gradedBy, type OpenedValues } from '@assay/core/arena/grade-draft';
import { formatOpenings } from '@assay/core/arena/openings';
import { dueRounds } from '@assay/core/arena/round-draft';
import { roundTerms, type RoundTerms } from '@assay/core/arena/round-times';
import { draftUnseal, freezeNote, isWitnessed } from '@assay/core/arena/unseal-draft';
import { formatHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { BeaconChain } from '@assay/core/timelock/beacon-chain';
import { parseTime } from '@assay/core/time/time';
import { forecastsOf } from '@assay/core/view/forecasts';
import { pendingRounds, type RoundRow, roundRow } from '@assay/core/view/rounds';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { EntryDraft, Ledger, LogTip } from '../ledger/ledger.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { BeaconSource } from '../timelock/beacon-source.ts';
import { type ForecastIntake, repeatsRequests } from './forecast-intake.ts';
import type { ForecastRows } from './forecast-rows.ts';
import type { FreezeNotes } from './freeze-notes.ts';
import { type OpenAll, openRound, type RoundValues } from './round-values.ts';

/** Seconds after which it is reported that a step of a round is late. */
const LATE_S = 60;
/**
 * Seconds after the beacon's round for which a line that a witness signed before it may still arrive. Until then a round without
 * enough lines is not given up.
 */
const LINES_ARRIVE_S = 60;
/** Milliseconds between two requests for a signature that nobody gave. */
const BEACON_RETRY_MS = 3000;

export interface ArenaLoopParts {
  readonly ledger: Ledger;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly rows: ForecastRows;
  readonly notes: FreezeNotes;
  readonly intake: Pick<ForecastIntake, 'forgetClosed'>;
  /** Where the signatures of a chain come from; undefined for a chain that the node does not know. */
  readonly beaconOf: (chain: BeaconChain) => BeaconSource | undefined;
  readonly openAll: OpenAll;
  readonly sha256: Sha256;
  /** Milliseconds between two polls. */
  readonly everyMs: number;
  readonly events: ArenaEvents;
  /** Called after each poll. */
  readonly onPolled?: () => void;
}

/** What a loop reports. */
export interface ArenaEvents {
  /** An entry of a round was written. */
  readonly onStep: (
    step: 'opened' | 'frozen' | 'unsealed' | 'void' | 'graded',
    round: string,
  ) => void;
  readonly onError: (what: string, reason: string) => void;
}

/** What the process knows of a round that the log does not say. */
interface Progress {
  /** The beacon's signature, hex. */
  signature?: string;
  /** Since when, in Unix seconds of the log's clock, nobody gives the signature. */
  silentSince?: number;
  /** When the beacon may be asked again, in milliseconds without steps. */
  askAfterMs?: number;
  /** The published note whose lines were counted last. */
  looked?: Uint8Array;
  values?: RoundValues;
  isOpening?: boolean;
}

/**
 * Brings the rounds of the Arena forward. At each poll it opens the rounds that are due, freezes those that have closed, keeps
 * the checkpoints with which witnesses confirm that, asks the beacon for its signature, opens the forecasts in a thread, and
 * grades what has its number. Everything that it does follows from the log and from what it has stored, so that after a stop
 * at any point it goes on where it was.
 */
export class ArenaLoop implements Service {
  readonly #parts: ArenaLoopParts;
  readonly #progress = new Map<string, Progress>();
  readonly #lost = new Map<string, number>();
  readonly #failed = new Map<string, string>();
  readonly #abort = new AbortController();
  /** What runs beside the polls: requests to beacons, and openings. */
  readonly #beside = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;

  constructor(parts: ArenaLoopParts) {
    this.#parts = parts;
  }

  /** Polls at once, then `everyMs` after the end of each poll. */
  start(): void {
    if (this.#abort.signal.aborted || this.#polling !== undefined) return;
    this.#polling = this.poll().finally(() => {
      this.#polling = undefined;
      if (this.#abort.signal.aborted) return;
      this.#timer = setTimeout(() => this.start(), this.#parts.everyMs);
    });
  }

  /** Ends what is under way. What was begun and not written is begun again by the next start. */
  async stop(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#timer);
    await this.#polling;
    await Promise.all(this.#beside);
  }

  /** Does everything that is due now and needs no waiting. Never rejects: a failure is reported, and tried again. */
  async poll(): Promise<void> {
    const { ledger, onPolled } = this.#parts;
    if (ledger.blocked === undefined) {
      await this.#step('rounds', () => this.#openDue());
      for (const row of pendingRounds(ledger.tip)) {
        await this.#step(row.body.id, () => this.#advance(row));
      }
      await this.#step('private rows', () => this.#dropFrozen());
    }
    onPolled?.();
  }

  /** Waits for what runs beside the polls. */
  async settled(): Promise<void> {
    while (this.#beside.size > 0) await Promise.all(this.#beside);
  }

  /** The values of the forecasts of a round that has been opened; undefined until they are there. */
  valuesOf(round: string): OpenedValues | undefined {
    return this.#progress.get(round)?.values?.values;
  }

  /** The arena number of a round that has been opened and is not graded; undefined until its forecasts are open. */
  numberOf(round: string): ArenaNumber | undefined {
    return this.#progress.get(round)?.values?.arena;
  }

  concerns(): readonly Concern[] {
    const reasons = [...this.#failed].map(
      ([what, reason]) => `The Arena cannot go on with ${what}: ${reason}.`,
    );
    for (const [round, count] of this.#lost) {
      reasons.push(`What opens ${count} forecasts of ${round} is lost.`);
    }
    const { tip, end } = this.#parts.ledger;
    const now = parseTime(end.at);
    for (const row of pendingRounds(tip)) reasons.push(...this.#lateness(row, now));
    return reasons.map((reason) => ({ level: 'degraded', reason }));
  }

  #lateness({ body, freeze, unseal }: RoundRow, now: number): readonly string[] {
    const { id, closes_at, drand_round } = body;
    if (freeze === null) {
      const isLate = now >= parseTime(closes_at) + LATE_S;
      return isLate ? [`The forecasts of ${id} are not frozen, which closed at ${closes_at}.`] : [];
    }
    const silent = this.#progress.get(id)?.silentSince;
    if (unseal !== null || silent === undefined || now < silent + LATE_S) return [];
    return [
      `The beacon does not give its round ${drand_round}, which opens the forecasts of ${id}.`,
    ];
  }

  async #step(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#abort.signal.aborted) return;
    try {
      await work();
      this.#failed.delete(what);
    } catch (error) {
      // The message may name things of the machine: it is for the operator's log alone.
      this.#failed.set(what, 'an error that is in the log of the operator; it is tried again');
      this.#parts.events.onError(what, messageOf(error));
    }
  }

  /** Work beside the polls, which never rejects. */
  #run(what: string, work: () => Promise<void>): void {
    const running = this.#step(what, work).finally(() => this.#beside.delete(running));
    this.#beside.add(running);
  }

  async #openDue(): Promise<void> {
    const { ledger, sha256, events } = this.#parts;
    const opened: string[] = [];
    await ledger.write(({ views, at }) =>
      dueRounds(views, sha256, parseTime(at)).map((body): EntryDraft => {
        opened.push(body.id);
        return { kind: 'round/1', body };
      }),
    );
    for (const id of opened) events.onStep('opened', id);
  }

  /** The next step of a round, if it is due. */
  async #advance(row: RoundRow): Promise<void> {
    const { ledger } = this.#parts;
    const { id } = row.body;
    if (row.freeze === null) {
      if (ledger.end.at >= row.body.closes_at) await this.#freeze(id);
      return;
    }
    if (row.unseal === null) {
      await this.#keepNote(row);
      this.#askBeacon(row);
      await this.#unseal(id);
      return;
    }
    await this.#grade(row);
  }

  /** The end of a round's forecasts. Its openings are public from then on. */
  async #freeze(id: string): Promise<void> {
    const { ledger, blobs, sha256, events } = this.#parts;
    const openings = await this.#openingsOf(id);
    const hash = openings === undefined ? null : await blobs.put(openings);
    const written = await this.#write(id, ({ views, at }, row) => {
      if (row.freeze !== null || at < row.body.closes_at) return [];
      return [{ kind: 'freeze/1', body: draftFreeze(views, sha256, row, hash) }];
    });
    if (!written) return;
    events.onStep('frozen', id);
    void ledger.askWitnesses();
  }

  /** The blob that opens the plain forecasts of a round, which has closed: none comes any more. */
  async #openingsOf(id: string): Promise<Uint8Array | undefined> {
    const { ledger, rows } = this.#parts;
    const byHash = new Map((await rows.of(id)).map(({ of, opening }) => [of, opening]));
    const plain = [...forecastsOf(ledger.tip, id)].flatMap(({ body: { ordinal, commitment } }) =>
      commitment === null ? [] : [{ ordinal, opening: byHash.get(commitment) ?? null }],
    );
    const openings = plain.flatMap(({ ordinal, opening }) =>
      opening === null ? [] : [{ ordinal, ...opening }],
    );
    const lost = plain.length - openings.length;
    if (lost > 0) this.#lost.set(id, lost);
    if (openings.length === 0) return undefined;
    return formatOpenings({ type: 'assay-openings/1', round: id, openings });
  }

  /** Stores the published checkpoint once enough witnesses have confirmed in time that the round is frozen. */
  async #keepNote(row: RoundRow): Promise<void> {
    const { ledger, notes, sha256 } = this.#parts;
    const { id } = row.body;
    const terms = roundTerms(ledger.tip, row);
    const { published } = ledger;
    const progress = this.#progressOf(id);
    if (terms === undefined || published === undefined || published.note === progress.looked)
      return;
    if (row.freeze === null || published.size <= row.freeze.seq) return;
    if ((await notes.get(id)) !== undefined) return;
    const text = parseUtf8(published.note);
    if (await isWitnessed(freezeNote(sha256, text, terms), terms, nodeVerifySignature)) {
      await notes.put(id, text);
    }
    progress.looked = published.note;
  }

  /** Asks for the signature of a round's beacon once that is out. Nothing waits for the answer. */
  #askBeacon(row: RoundRow): void {
    const { ledger, beaconOf } = this.#parts;
    const { id, drand_round } = row.body;
    const terms = roundTerms(ledger.tip, row);
    const now = parseTime(ledger.end.at);
    const progress = this.#progressOf(id);
    if (terms === undefined || now < terms.unseals || progress.signature !== undefined) return;
    if (performance.now() < (progress.askAfterMs ?? 0)) return;
    progress.askAfterMs = Number.POSITIVE_INFINITY;
    this.#run(`the beacon of ${id}`, async () => {
      try {
        const beacon = beaconOf(terms.arena.drand);
        const signature = await beacon?.signature(drand_round, this.#abort.signal);
        if (signature !== undefined) progress.signature = formatHex(signature);
      } finally {
        if (progress.signature === undefined) progress.silentSince ??= now;
        progress.askAfterMs = performance.now() + BEACON_RETRY_MS;
      }
    });
  }

  /** The entry that opens a round, or makes it void. */
  async #unseal(id: string): Promise<void> {
    const { notes, events } = this.#parts;
    const note = await notes.get(id);
    const { signature } = this.#progressOf(id);
    let isVoid = false;
    const written = await this.#write(id, ({ views, at }, row) => {
      const now = parseTime(at);
      const terms = roundTerms(views, row);
      if (note === undefined && terms !== undefined && now < linesArriveUntil(terms)) return [];
      const body = draftUnseal(views, row, { now, note, signature });
      isVoid = body?.void_reason != null;
      return body === undefined ? [] : [{ kind: 'unseal/1', body }];
    });
    if (!written) return;
    events.onStep(isVoid ? 'void' : 'unsealed', id);
    await notes.drop(id);
  }

  /** Opens the forecasts of a round, and grades them once its number is there. */
  async #grade(row: RoundRow): Promise<void> {
    const { ledger, events } = this.#parts;
    const { id } = row.body;
    const values = row.unseal?.body.void_reason === null ? this.#opened(row) : NO_VALUES;
    if (values === undefined || gradedBy(ledger.tip, row) === undefined) return;
    const written = await this.#write(id, ({ views }, now) => {
      // A part that the log has is not written again.
      const parts = draftGrades(views, now, values)?.slice(now.grade?.seqs.length ?? 0) ?? [];
      return parts.map((body) => ({ kind: 'grade/1', body }));
    });
    if (!written) return;
    events.onStep('graded', id);
    this.#progress.delete(id);
  }

  /** The values of a round's forecasts. Where they are not there, or do not cover what counts now, they are opened first. */
  #opened(row: RoundRow): OpenedValues | undefined {
    const { ledger } = this.#parts;
    const progress = this.#progressOf(row.body.id);
    const { values } = progress;
    if (values !== undefined) {
      const counting = countingForecasts(ledger.tip, row);
      if (counting.every(({ body }) => values.tried.has(body.ordinal))) return values.values;
    }
    if (progress.isOpening !== true) this.#openBeside(row, progress);
    return undefined;
  }

  #openBeside(row: RoundRow, progress: Progress): void {
    const { ledger, blobs, openAll, sha256 } = this.#parts;
    progress.isOpening = true;
    this.#run(`the openings of ${row.body.id}`, async () => {
      try {
        const log = ledger.log as HashHex;
        const { signal } = this.#abort;
        const parts = { blobs, openAll, sha256, log, signal };
        progress.values = await openRound(ledger.tip, row, parts);
      } finally {
        progress.isOpening = false;
      }
    });
  }

  /**
   * Removes the private rows of rounds that are frozen and of which no request is repeated any more, also of those that were
   * frozen before a stop.
   */
  async #dropFrozen(): Promise<void> {
    const { ledger, rows, intake } = this.#parts;
    for (const id of await rows.rounds()) {
      const row = roundRow(ledger.tip, id);
      // Until the entry is under a head that the guard holds, it may not be there after a crash.
      const isFrozen = row?.freeze != null && row.freeze.seq < (ledger.newest?.size ?? 0);
      if (isFrozen && !repeatsRequests(row, ledger.end.at)) await rows.drop(id);
    }
    intake.forgetClosed();
  }

  /** Writes what `draft` makes of a round as it stands; returns whether it was anything. */
  async #write(
    id: string,
    draft: (tip: LogTip, row: RoundRow) => readonly EntryDraft[],
  ): Promise<boolean> {
    const written = await this.#parts.ledger.write((tip) => {
      const row = roundRow(tip.views, id);
      return row === undefined ? [] : draft(tip, row);
    });
    return written.length > 0;
  }

  #progressOf(id: string): Progress {
    let progress = this.#progress.get(id);
    if (progress === undefined) {
      progress = {};
      this.#progress.set(id, progress);
    }
    return progress;
  }
}

const NO_VALUES: OpenedValues = new Map();

/** Until when a line that was signed in time may still arrive, in Unix seconds: well before the number is released. */
function linesArriveUntil({ unseals, release }: RoundTerms): number {
  return unseals + Math.min(LINES_ARRIVE_S, Math.floor((release - unseals) / 2));
}
