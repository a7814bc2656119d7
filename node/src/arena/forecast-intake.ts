import { randomBytes } from 'node:crypto';
import { roundTerms } from '@assay/core/arena/round-times';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { SubmissionReceipt } from '@assay/core/intake/submission-receipt';
import type { Forecast } from '@assay/core/kind/forecast';
import { parseTime, type TimeText } from '@assay/core/time/time';
import {
  forecastAt,
  forecastCount,
  type ForecastRow,
  forecastsOf,
} from '@assay/core/view/forecasts';
import { isOpen, type RoundRow, roundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { Concern } from '../health/concern.ts';
import type { ProblemCode } from '../http/problem.ts';
import { WindowTable } from '../http/window-table.ts';
import { submissionReceipt } from '../intake/submission-receipts.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { EntryDraft, Ledger, LogTip } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import { type ForecastBody, scaledForecast } from './forecast-body.ts';
import { ForecastPlan, type Planned, sealedHash } from './forecast-plan.ts';
import type { ForecastPrivate, ForecastRows } from './forecast-rows.ts';
import { RequestHashes } from './request-hashes.ts';
import type { HandleStore } from './handle-store.ts';

/** How many forecasts one address may send in a minute. */
export const FORECASTS_PER_MINUTE = 20;

/** How many seconds after the close of a round a request of before is still answered as it was. */
export const REPEATS_S = 1800;

/** The most forecasts that are written together. */
const MAX_GROUP = 512;
const WINDOW_S = 60;
/** The characters of an Idempotency-Key: enough of them that nobody guesses one. */
const IDEMPOTENCY_KEY = /^[!-~]{16,128}$/;

export interface ForecastIntakeParts {
  readonly ledger: Pick<Ledger, 'tip' | 'end' | 'log' | 'published' | 'blocked' | 'write'>;
  readonly handles: HandleStore;
  readonly rows: ForecastRows;
  /** Signs receipts. */
  readonly signer: ReportSigner;
  readonly sha256: Sha256;
  /** Seconds of a clock without steps. */
  readonly elapsed: Clock;
  /** Forecasts per minute of one address; the default is `FORECASTS_PER_MINUTE`. */
  readonly perMinute?: number;
  /** Called with an error that no client is told about. */
  readonly onError: (error: unknown) => void;
}

/** A forecast that is in the log. */
export interface AcceptedForecast {
  readonly kind: 'accepted';
  readonly receipt: SubmissionReceipt;
  readonly handle_id: string;
  /** The salt of a plain forecast, hex. */
  readonly salt: string | null;
  /** The secret that the handle was issued, hex. */
  readonly secret: string | null;
}

/** Why a forecast is not taken. */
export interface RefusedForecast {
  readonly kind: Extract<
    ProblemCode,
    | 'invalid_forecast'
    | 'not_found'
    | 'closed'
    | 'bad_secret'
    | 'bad_signature'
    | 'handle_taken'
    | 'counter_used'
    | 'idempotency_reused'
    | 'rate_limited'
    | 'halted'
  >;
  /** For a reader. */
  readonly detail: string;
  /** Seconds until another may be sent; of `rate_limited` alone. */
  readonly retryAfterS?: number;
}

export type ForecastAnswer = AcceptedForecast | RefusedForecast;

/** What somebody sends, and from where. */
export interface Submission {
  readonly body: ForecastBody;
  /** The address, as limits count it. It is not stored. */
  readonly client: string;
  readonly idempotencyKey: string | undefined;
}

/** A forecast that waits for its group. */
interface Waiting {
  readonly submission: Submission;
  readonly value: bigint | null;
  readonly request: Requested | undefined;
  readonly resolve: (answer: ForecastAnswer) => void;
}

/** A request that has an Idempotency-Key. */
interface Requested {
  readonly id: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly hashes: RequestHashes;
}

/** A request with an Idempotency-Key that was answered, or is being answered. */
interface Known {
  readonly body: string;
  readonly answer: Promise<ForecastAnswer> | undefined;
  /** What was accepted, as far as it is stored. */
  readonly stored: { readonly row: ForecastPrivate; readonly ordinal: number } | undefined;
}

/**
 * Takes forecasts. Those that come at the same time are written together, in this order: what opens them and the names of new
 * handles are synced, the entries are written, the receipts are signed and given. A crash in between leaves private rows that no
 * entry names; nobody has a receipt for them, and the client asks again.
 */
export class ForecastIntake {
  readonly #parts: ForecastIntakeParts;
  readonly #limit: WindowTable;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;
  #hashes: Promise<RequestHashes> | undefined;
  /** Why the newest group could not be stored; undefined if it could. */
  #failed: string | undefined;
  /** Groups that are being committed. */
  readonly #writing = new Set<Promise<void>>();
  /** By round, the requests that had an Idempotency-Key. */
  readonly #known = new Map<string, Promise<Map<string, Known>>>();

  constructor(parts: ForecastIntakeParts) {
    this.#parts = parts;
    this.#limit = new WindowTable(parts.perMinute ?? FORECASTS_PER_MINUTE, WINDOW_S, randomBytes);
  }

  /** Takes a forecast, or says why not. Never rejects. */
  async submit(submission: Submission): Promise<ForecastAnswer> {
    try {
      return await this.#submit(submission);
    } catch (error) {
      this.#parts.onError(error);
      return HALTED;
    }
  }

  /** Takes nothing more, and waits until nothing is being written. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#draining !== undefined || this.#writing.size > 0) {
      await Promise.all([this.#draining, ...this.#writing]);
    }
  }

  /** What is wrong with it, for readers, until a forecast is stored again. */
  concerns(): readonly Concern[] {
    return this.#failed === undefined ? [] : [{ level: 'degraded', reason: this.#failed }];
  }

  /** Forgets the requests of rounds that nothing is repeated of any more. */
  forgetClosed(): void {
    const { tip, end } = this.#parts.ledger;
    for (const id of this.#known.keys()) {
      const row = roundRow(tip, id);
      if (row === undefined || !repeatsRequests(row, end.at)) this.#known.delete(id);
    }
  }

  async #submit(submission: Submission): Promise<ForecastAnswer> {
    const { ledger } = this.#parts;
    const { body, idempotencyKey } = submission;
    if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
      return refused('invalid_forecast', 'Idempotency-Key: 16 to 128 visible ASCII characters.');
    }
    if (this.#closed || ledger.blocked !== undefined) return HALTED;
    const row = roundRow(ledger.tip, body.question);
    if (row === undefined) return refused('not_found', 'There is no question with that id.');
    const value = body.value === null ? null : scaledForecast(body.value, row.body.decimals);
    if (typeof value === 'object' && value !== null) {
      return refused('invalid_forecast', `${value.at}: ${value.expected}.`);
    }
    if (idempotencyKey === undefined || !repeatsRequests(row, ledger.end.at)) {
      return this.#isOpen(row) ? this.#queue(submission, value, undefined) : closed(row);
    }
    const request = await this.#requested(body, idempotencyKey);
    const known = await this.#knownOf(row.body.id);
    const before = this.#standing(known, row.body.id, request.id);
    // Before the close is looked at: who lost an answer asks again, however late that is.
    // Whoever tries out keys or bodies is limited like who tries out secrets.
    if (before !== undefined) {
      return this.#spent(submission.client) ?? this.#again(before, request, submission);
    }
    if (!this.#isOpen(row)) return closed(row);
    const answer = this.#queue(submission, value, request);
    known.set(request.id, { body: request.body, answer, stored: undefined });
    const given = await answer;
    // A secret that was given is nowhere in memory afterwards.
    if (given.kind === 'accepted') {
      const stored = await this.#storedRequest(row.body.id, request.id, given);
      known.set(request.id, { body: request.body, answer: undefined, stored });
    } else {
      // The log may have it although the answer failed: its receipt is signed after the entry is written.
      const again = given === HALTED && (await this.#readKnown(row.body.id)).get(request.id);
      if (again) known.set(request.id, again);
      else known.delete(request.id);
    }
    return given;
  }

  #isOpen(row: RoundRow): boolean {
    const { at, views } = this.#parts.ledger.end;
    return takesForecasts(views, row, at);
  }

  async #storedRequest(
    round: string,
    id: string,
    { receipt: { ordinal } }: AcceptedForecast,
  ): Promise<NonNullable<Known['stored']>> {
    const row = (await this.#parts.rows.of(round)).findLast(({ request }) => request?.id === id);
    if (row === undefined) throw new TypeError('a request that was not stored');
    return { row, ordinal };
  }

  async #requested(body: ForecastBody, idempotencyKey: string): Promise<Requested> {
    this.#hashes ??= this.#parts.rows.requestKey().then((key) => new RequestHashes(key));
    const hashes = await this.#hashes;
    return { id: hashes.id(body, idempotencyKey), body: hashes.body(body), idempotencyKey, hashes };
  }

  /** The answer to a request that was made before. */
  #again(
    before: Known,
    { body, idempotencyKey, hashes }: Requested,
    { body: sent }: Submission,
  ): Promise<ForecastAnswer> {
    if (before.body !== body) {
      const detail = 'That Idempotency-Key came with another body before.';
      return Promise.resolve(refused('idempotency_reused', detail));
    }
    if (before.answer !== undefined)
      return before.answer.then((answer) => givenAgain(answer, sent));
    if (before.stored === undefined) throw new TypeError('a request without an answer');
    const { row, ordinal } = before.stored;
    const found = this.#forecastOf(row, sent.question, ordinal);
    if (found === undefined) throw new TypeError('a request without its forecast');
    const { hidden = null } = row.request ?? {};
    return this.#accepted(found.seq, found.leaf, found.body, {
      salt: row.opening?.salt ?? null,
      secret: hidden === null ? null : hashes.padded(hidden, sent, idempotencyKey),
    });
  }

  /**
   * What is known of a request. One whose write failed is known from the tip of that moment, which still had its
   * forecast. Where the log went on without it, the request is a new one, and its ordinal may be another's.
   */
  #standing(known: Map<string, Known>, round: string, id: string): Known | undefined {
    const found = known.get(id);
    if (found?.stored === undefined) return found;
    const { row, ordinal } = found.stored;
    if (this.#forecastOf(row, round, ordinal) !== undefined) return found;
    known.delete(id);
    return undefined;
  }

  /** The forecast at a place in the log, if it is the one that a private row is of. */
  #forecastOf(row: ForecastPrivate, round: string, ordinal: number): ForecastRow | undefined {
    const { ledger, sha256 } = this.#parts;
    const found = forecastAt(ledger.tip, round, ordinal);
    const isOf = found?.body.handle === row.handle && sealedHash(sha256, found.body) === row.of;
    return isOf ? found : undefined;
  }

  #queue(
    submission: Submission,
    value: bigint | null,
    request: Waiting['request'],
  ): Promise<ForecastAnswer> {
    return new Promise((resolve) => {
      this.#waiting.push({ submission, value, request, resolve });
      this.#draining ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // What is sent in the same turn of the event loop goes into the first group.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_GROUP);
      try {
        const planned = this.#planned(group);
        await this.#keep(planned);
        this.#failed = undefined;
        // The entries are in the tip as soon as this returns, so the next group is prepared while they are committed.
        const writing = this.#write(planned)
          .catch((error: unknown) => this.#fail(group, error))
          .finally(() => this.#writing.delete(writing));
        this.#writing.add(writing);
      } catch (error) {
        this.#fail(group, error);
      }
    }
    // At once, so that whoever comes next finds either this loop or none.
    this.#draining = undefined;
  }

  /** Whoever has an answer keeps it. */
  #fail(group: readonly Waiting[], error: unknown): void {
    this.#failed = 'No forecast could be stored: the error is in the log of the operator.';
    for (const { resolve } of group) resolve(HALTED);
    this.#parts.onError(error);
  }

  async #write(planned: readonly GroupPlan[]): Promise<void> {
    if (planned.length === 0) return;
    const written: { readonly of: GroupPlan; readonly body: Forecast }[] = [];
    const receipts = await this.#parts.ledger.write(function* (tip): Generator<EntryDraft> {
      for (const each of planned) {
        const body = entryAt(tip, each.plan);
        if (body === undefined) continue;
        written.push({ of: each, body });
        yield { kind: 'forecast/1', body };
      }
    });
    for (const [i, { of, body }] of written.entries()) {
      const { seq } = receipts[i] as { readonly seq: number };
      const found = forecastAt(this.#parts.ledger.tip, body.round, body.ordinal);
      if (found === undefined) throw new TypeError('a forecast that its round does not have');
      const { salt, secret } = of.plan;
      of.waiting.resolve(await this.#accepted(seq, found.leaf, body, { salt, secret }));
    }
    // What was there in time and would be written after the close is not taken.
    for (const { waiting } of planned) waiting.resolve(refused('closed', CLOSED));
  }

  /** What is to be written of a group. Whoever is refused is answered at once. */
  #planned(group: readonly Waiting[]): readonly GroupPlan[] {
    const begun = new ForecastPlan(this.#parts);
    const planned: GroupPlan[] = [];
    for (const waiting of group) {
      const { submission, value } = waiting;
      const plan = begun.plan(submission.body, value);
      const refusal = this.#limited(submission.client, plan);
      if (refusal !== undefined) waiting.resolve(refusal);
      else if ('forecast' in plan) {
        begun.take(plan);
        planned.push({ waiting, plan });
      }
    }
    return planned;
  }

  /** The refusal of a forecast; each that is accepted, or whose secret or signature is wrong, counts for its address. */
  #limited(client: string, plan: Planned | RefusedForecast): RefusedForecast | undefined {
    const isRefused = 'kind' in plan;
    if (isRefused && plan.kind !== 'bad_secret' && plan.kind !== 'bad_signature') return plan;
    return this.#spent(client) ?? (isRefused ? plan : undefined);
  }

  /** Counts a request of an address; the refusal if it has no more in this minute. */
  #spent(client: string): RefusedForecast | undefined {
    if (this.#limit.take(client, this.#parts.elapsed()) >= 0) return undefined;
    const retryAfterS = this.#limit.resetS;
    const detail = `Another forecast may be sent from this address in ${retryAfterS} s.`;
    return { kind: 'rate_limited', detail, retryAfterS };
  }

  /** Makes everything durable that the receipts of a group rest on and the log does not have. */
  async #keep(planned: readonly GroupPlan[]): Promise<void> {
    const { handles, rows } = this.#parts;
    const byRound = new Map<string, ForecastPrivate[]>();
    for (const { plan, waiting } of planned) {
      const row = privateRow(plan, waiting);
      if (row === null) continue;
      const { round } = plan.forecast;
      const others = byRound.get(round);
      if (others === undefined) byRound.set(round, [row]);
      else others.push(row);
    }
    await Promise.all([
      handles.add(planned.flatMap(({ plan }) => plan.registered ?? [])),
      ...[...byRound].map(([round, each]) => rows.add(round, each)),
    ]);
  }

  async #accepted(
    seq: number,
    leaf: HashHex,
    { round, ordinal, nonce, handle }: Forecast,
    { salt, secret }: Pick<AcceptedForecast, 'salt' | 'secret'>,
  ): Promise<AcceptedForecast> {
    const { ledger, signer, sha256 } = this.#parts;
    const { log } = ledger;
    if (log === undefined) throw new TypeError('a forecast in a log without genesis');
    const place = { log, subject: round, ordinal, leaf, nonce, seq };
    const receipt = await submissionReceipt(sha256, signer, ledger, place);
    return { kind: 'accepted', receipt, handle_id: handle, salt, secret };
  }

  #knownOf(round: string): Promise<Map<string, Known>> {
    let known = this.#known.get(round);
    if (known === undefined) {
      known = this.#readKnown(round);
      this.#known.set(round, known);
      void known.catch(() => this.#known.delete(round));
    }
    return known;
  }

  /** The requests that were answered before a restart. A row that no entry names was never acknowledged. */
  async #readKnown(round: string): Promise<Map<string, Known>> {
    const { rows, ledger, sha256 } = this.#parts;
    const stored = await rows.of(round);
    const ordinals = new Map<string, number>();
    if (stored.some(({ request }) => request !== null)) {
      for (const { body } of forecastsOf(ledger.tip, round)) {
        ordinals.set(`${body.handle} ${sealedHash(sha256, body)}`, body.ordinal);
      }
    }
    const known = new Map<string, Known>();
    for (const row of stored) {
      const ordinal = ordinals.get(`${row.handle} ${row.of}`);
      if (row.request === null || ordinal === undefined) continue;
      const { id, body } = row.request;
      known.set(id, { body, answer: undefined, stored: { row, ordinal } });
    }
    return known;
  }
}

/** A forecast that is to be written, with whoever waits for it. */
interface GroupPlan {
  readonly waiting: Waiting;
  readonly plan: Planned;
}

/** An answer that is still being made, as another request with the same key and body gets it. */
function givenAgain(answer: ForecastAnswer, { nonce }: ForecastBody): ForecastAnswer {
  return answer.kind === 'accepted' && nonce === null ? { ...answer, secret: null } : answer;
}

const CLOSED = 'The question takes no forecasts any more.';
const HALTED: RefusedForecast = {
  kind: 'halted',
  detail: 'Nothing is written now: /status says why.',
};

function refused(kind: RefusedForecast['kind'], detail: string): RefusedForecast {
  return { kind, detail };
}

function closed({ body }: RoundRow): RefusedForecast {
  return refused('closed', `${CLOSED} It closed at ${body.closes_at}.`);
}

/**
 * Whether a request about a round that was answered is answered again at this time, so that its private rows are kept: until it
 * is frozen, and in any case for `REPEATS_S` after its close.
 */
export function repeatsRequests({ body, freeze }: RoundRow, at: TimeText): boolean {
  return freeze === null || parseTime(at) < parseTime(body.closes_at) + REPEATS_S;
}

/** Whether a forecast whose entry has this time would count. */
export function takesForecasts(views: ViewState, row: RoundRow, at: TimeText): boolean {
  const terms = roundTerms(views, row);
  return terms !== undefined && isOpen(row, at) && parseTime(at) < terms.counts;
}

/** The body of a planned forecast on top of the log; undefined where its round takes none any more. */
function entryAt({ views, at }: LogTip, { forecast }: Planned): Forecast | undefined {
  const row = roundRow(views, forecast.round);
  if (row === undefined || !takesForecasts(views, row, at)) return undefined;
  return { ...forecast, ordinal: forecastCount(views, forecast.round) };
}

/** What is kept of a forecast: how it opens, if it is plain, and its request, if it has an Idempotency-Key. */
function privateRow(
  { forecast, of, salt, value, secret }: Planned,
  { request, submission }: Waiting,
): ForecastPrivate | null {
  const opening = salt === null || value === null ? null : { salt, value: value.toString() };
  if (request === undefined) {
    return opening && { of, handle: forecast.handle, opening, request: null };
  }
  const { id, body, hashes, idempotencyKey } = request;
  const hidden = secret === null ? null : hashes.padded(secret, submission.body, idempotencyKey);
  return { of, handle: forecast.handle, opening, request: { id, body, hidden } };
}
