import { gradedBy } from '@assay/core/arena/grade-draft';
import { roundTerms } from '@assay/core/arena/round-times';
import type { Hash, HashHex } from '@assay/core/hash/hash';
import type { Forecast } from '@assay/core/kind/forecast';
import type { Grade } from '@assay/core/kind/grade';
import { HOUR_SECONDS, parseTime, type TimeText } from '@assay/core/time/time';
import { QUICKNET } from '@assay/core/timelock/beacon-chain';
import { arenaRules } from '@assay/core/view/arena-rules';
import { handleRow } from '@assay/core/view/handles';
import { isNextPart, pendingRounds, type RoundRow, roundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';
import type { Environment } from '../verdict/environment.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { RoundBody } from './arena-kinds.ts';
import { checkForecast, checkForecastSignature } from './forecast-check.ts';
import { checkFreeze } from './freeze-check.ts';
import { dueGrades, openRound, type SealedOpenings } from './grade-check.ts';
import { checkRound, type RoundPlace } from './round-check.ts';
import { missedRounds } from './missed-rounds.ts';
import { type KeptUnseals, UnsealCheck } from './unseal-check.ts';

/** What a check of the Arena needs of the log before an entry. */
export interface ArenaGround {
  readonly log: HashHex;
  readonly state: ViewState;
  /** The root of the log's tree at a size; undefined where it is too far back. */
  readonly rootAt: (size: number) => Hash | undefined;
  /** Runs a check of a signature, a few of them at once. */
  readonly limit: (work: Promise<void>) => Promise<void>;
}

/** What a log has of its rounds, beside their unsealings. */
interface ArenaState {
  /** By round: the values of forecasts that are not sealed, until it is graded. */
  readonly plain: Map<string, ReadonlyMap<number, bigint>>;
  /** By round: the grades that it must have, from its first part to its last. */
  readonly grades: Map<string, readonly Grade[]>;
  /** Rounds whose grades cannot be made again, which has been said: no part of them is tried again. */
  readonly unopened: Set<string>;
  /** Rounds with more sealed forecasts than were left to open. */
  beyond: number;
  hasSecrets: boolean;
  /** Whether a round was opened or made void, which rests on the times of witnesses. */
  hasUnseals: boolean;
}

/** What a check of the Arena knows between two entries. */
export interface KeptArena extends ArenaState {
  /** Sealed forecasts that were opened, which count for the limit. */
  readonly opened: number;
  readonly unseals: KeptUnseals;
}

/** Seconds that an entry of a round may be late before a verdict names it. */
const PATIENCE_S = HOUR_SECONDS;

/**
 * Follows the rounds of a log. Everything about a round is made again from the entries before it: when it is open, who may
 * forecast, what the forecasts open to, the arena number and the points.
 */
export class ArenaCheck {
  readonly #environment: Environment;
  readonly #context: CheckContext;
  readonly #opened: SealedOpenings;
  #state: ArenaState = {
    plain: new Map(),
    grades: new Map(),
    unopened: new Set(),
    beyond: 0,
    hasSecrets: false,
    hasUnseals: false,
  };
  readonly #unseals: UnsealCheck;

  constructor(environment: Environment, context: CheckContext, openings: number) {
    this.#environment = environment;
    this.#context = context;
    this.#opened = { limit: openings, count: 0 };
    this.#unseals = new UnsealCheck(environment, context);
  }

  /**
   * What a check of the same log needs to go on in the place of this one, once `entry` has ended. It changes with the next
   * entry.
   */
  get kept(): KeptArena {
    return { ...this.#state, opened: this.#opened.count, unseals: this.#unseals.kept };
  }

  /** Goes on as the check that was kept. Call it before the first entry. */
  resume({ opened, unseals, ...state }: KeptArena): void {
    this.#state = state;
    this.#opened.count = opened;
    this.#unseals.resume(unseals);
  }

  /** Checks an entry of a round. */
  async entry(known: RoundBody, where: RoundPlace, ground: ArenaGround): Promise<void> {
    const { log, state } = ground;
    const { sha256 } = this.#environment;
    const { tally } = this.#context;
    switch (known.kind) {
      case 'round/1':
        tally.rounds += 1;
        checkRound(known.body, where, state, sha256, this.#context);
        break;
      case 'forecast/1':
        await this.#forecast(known.body, where, ground);
        break;
      case 'freeze/1': {
        const { round } = known.body;
        const isFirst = roundRow(state, round)?.freeze === null;
        const values = await checkFreeze(known.body, where, log, state, sha256, this.#context);
        if (!isFirst) break;
        if (values === undefined) this.#state.unopened.add(round);
        else this.#state.plain.set(round, values);
        break;
      }
      case 'unseal/1':
        this.#state.hasUnseals = true;
        await this.#unseals.check(known.body, where, ground);
        break;
      case 'grade/1':
        await this.#grade(known.body, where, ground);
        break;
    }
  }

  async #forecast(forecast: Forecast, where: RoundPlace, ground: ArenaGround): Promise<void> {
    const { state, log } = ground;
    const { findings, tally } = this.#context;
    tally.forecasts += 1;
    if (forecast.counter === null) this.#state.hasSecrets = true;
    checkForecast(forecast, where, state, this.#environment.sha256, findings);
    const key = handleRow(state, forecast.handle)?.key ?? null;
    await ground.limit(
      checkForecastSignature(forecast, log, key, where.place, this.#environment, {
        ...this.#context,
        findings: findings.later(),
      }),
    );
  }

  async #grade(grade: Grade, { at, place }: RoundPlace, ground: ArenaGround): Promise<void> {
    const { findings, notChecked, tally } = this.#context;
    const { state } = ground;
    tally.grades += grade.results.length;
    const row = roundRow(state, grade.round);
    if (row === undefined || !isNextPart(row, grade)) {
      const expected = 'the next part of the grades of a round that was opened';
      const found = `part ${grade.part} of ${grade.parts} of ${grade.round}`;
      findings.add('grade_not_due', place, expected, found);
      return;
    }
    const printed = gradedBy(state, row)?.report?.report.published_at;
    if (printed !== undefined && parseTime(at) > parseTime(printed) + PATIENCE_S) {
      notChecked.add(
        'completeness',
        'rounds of the Arena that were graded over an hour after their print',
        'the operator was late, and until then nobody had points',
        'ask_publisher',
        grade.round,
      );
    }
    const drafts = this.#state.grades.get(grade.round) ?? (await this.#drafted(row, place, ground));
    if (grade.part + 1 === grade.parts) this.#forget(grade.round);
    if (drafts === undefined) return;
    const draft = drafts[grade.part];
    const difference = firstDifference(draft ?? null, grade);
    if (difference === undefined) return;
    const { path, expected, found } = difference;
    findings.add('grade_differs', `${place}${path}`, expected, found);
  }

  /** The grades of a round; undefined where they cannot be made again, which is a finding or is named at the end. */
  async #drafted(
    row: RoundRow,
    place: string,
    { log, state }: ArenaGround,
  ): Promise<readonly Grade[] | undefined> {
    const { id } = row.body;
    const plain = this.#state.plain.get(id);
    if (plain === undefined || this.#state.unopened.has(id)) return undefined;
    const { sha256 } = this.#environment;
    const values = await openRound(row, plain, log, state, sha256, this.#opened, this.#context);
    if (values === undefined) {
      this.#state.beyond += 1;
      this.#state.unopened.add(id);
      return undefined;
    }
    const drafts = dueGrades(row, place, state, values, this.#context);
    if (drafts === undefined) this.#state.unopened.add(id);
    else this.#state.grades.set(id, drafts);
    return drafts;
  }

  #forget(round: string): void {
    this.#state.plain.delete(round);
    this.#state.grades.delete(round);
    this.#state.unopened.delete(round);
  }

  /** Names what the log's end leaves open, what was too much to open, and what no log shows. `at` is its newest time. */
  finish(state: ViewState, at: TimeText | ''): void {
    const { notChecked } = this.#context;
    if (this.#state.beyond > 0) {
      notChecked.add(
        'completeness',
        `the points of ${this.#state.beyond} rounds with more sealed forecasts than were left to open`,
        `at most ${this.#opened.limit} are opened in one verification, the limit of this one`,
        'limits',
      );
    }
    if (this.#state.hasSecrets) {
      notChecked.add(
        'scope',
        'that each forecast of a handle with a secret is of its holder',
        'it rests on the word of the operator, who issued the secret; a handle with a key signs its own',
        'none',
      );
    }
    const chains = arenaRules(state).flatMap(({ rule }) => rule.arena?.drand.hash ?? []);
    for (const chain of new Set(chains)) {
      if (chain === QUICKNET.hash) continue;
      notChecked.add(
        'scope',
        'that no sealed forecast was opened early by whoever holds the key',
        'the chain is not quicknet; with its key everything that is sealed to it opens at any time',
        'none',
        `drand chain ${chain}`,
      );
    }
    const witnesses = arenaRules(state).flatMap(({ rule }) => rule.arena?.witnesses.keys ?? []);
    for (const witness of this.#state.hasUnseals ? new Set(witnesses) : []) {
      notChecked.add(
        'scope',
        'the independence from the operator',
        'the arena rule names these witnesses, and the operator made the rule; by the times of their lines the forecasts were frozen before they could be opened',
        'none',
        witness,
      );
    }
    const now = at === '' ? 0 : parseTime(at);
    for (const id of missedRounds(state, this.#environment.sha256, now, this.#context.work)) {
      notChecked.add(
        'completeness',
        'rounds of the Arena that were due and were never made',
        'the operator left them out, or was away: nothing could be forecast in them',
        'ask_publisher',
        id,
      );
    }
    for (const row of pendingRounds(state)) {
      const due = dueSince(state, row);
      if (due === undefined || now <= due.since + PATIENCE_S) continue;
      notChecked.add(
        'completeness',
        `rounds of the Arena without their ${due.entry}, though it was due over an hour before the end of the log`,
        'the operator stopped them, or was away: an entry that is missing is no void, and nobody has points',
        'ask_publisher',
        row.body.id,
      );
    }
  }
}

/** The entry that a round needs next, and since when, in Unix seconds; undefined while it waits for a print. */
function dueSince(
  state: ViewState,
  row: RoundRow,
): { readonly entry: string; readonly since: number } | undefined {
  if (row.freeze === null) return { entry: 'freeze', since: parseTime(row.body.closes_at) };
  if (row.unseal === null) {
    const release = roundTerms(state, row)?.release;
    return release === undefined ? undefined : { entry: 'unsealing', since: release };
  }
  const by = gradedBy(state, row);
  if (by === undefined) return undefined;
  const printed = by.report?.report.published_at ?? row.unseal.at;
  return { entry: 'grades', since: Math.max(parseTime(printed), parseTime(row.unseal.at)) };
}
