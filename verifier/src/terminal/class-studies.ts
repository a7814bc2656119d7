import type { HashHex } from '@assay/core/hash/hash';
import type { EventOpen } from '@assay/core/kind/event';
import { type KeptMoments, MomentSample } from '@assay/core/terminal/edge/moment-sample';
import { firstStudyMonth, monthOf, studyNumber } from '@assay/core/terminal/edge/study-spending';
import type { Due, PublicLeaf } from '@assay/core/terminal/event/event-book';
import { type ScoreRule, studyVersion } from '@assay/core/terminal/rule/score-rule';
import { type KeptOrdinary, OrdinarySample } from '@assay/core/terminal/study/ordinary-sample';
import { STUDY_AFTER_S } from '@assay/core/terminal/study/study-maker';
import type { EdgeRange } from './edge-check.ts';
import { type KeptStated, StatedReturns } from './moment-values.ts';
import { moveOf, type PublicReturn } from './public-returns.ts';
import type { StudyRange } from './study-check.ts';

/** A score rule that ticks name. */
export interface NamedRule {
  readonly rule: ScoreRule;
  readonly hash: HashHex;
}

/** What a study of either version rests on. */
export type DueStudy =
  | { readonly version: 1; readonly range: StudyRange }
  | { readonly version: 2; readonly range: EdgeRange };

/** A tick of a class whose leaves could be read. Indexes count the ticks of the grid. */
export interface LeafTick {
  readonly ts: number;
  readonly index: number;
  readonly leaves: ReadonlyMap<string, PublicLeaf>;
  readonly dues: readonly Due[];
}

/** Which studies a class has had, and what it owes. */
interface Progress {
  named: NamedRule;
  /** The first tick, the first whose rule has studies of version 2, and the newest one, in unix seconds. */
  readonly first: number;
  second: number | undefined;
  newest: number;
  /** The moves of the events that it may study. */
  readonly moves: PublicReturn[];
  /** The study that has been due since the newest month's first tick. */
  due: DueStudy | undefined;
  /** Months that passed without the study that was due in them. */
  skipped: number;
}

/** What the studies of a class know between two entries. */
export interface KeptStudies extends Progress {
  readonly ordinary: KeptOrdinary | undefined;
  readonly moments: KeptMoments | undefined;
  readonly stated: KeptStated;
}

/**
 * Which studies the ticks of a class make due, and what the public leaves show of the moments that these rest on.
 */
export class ClassStudies {
  #state: Progress;
  /** Its ordinary moments, while its studies are of version 1, and its moments from then on. */
  #ordinary: OrdinarySample | undefined;
  #moments: MomentSample | undefined;
  /** What its newest study of version 2 states. */
  readonly stated: StatedReturns = new StatedReturns();

  /** Begins with the class's first tick, at `ts` in unix seconds. */
  constructor(named: NamedRule, ts: number) {
    this.#state = {
      named,
      first: ts,
      second: undefined,
      newest: ts,
      moves: [],
      due: undefined,
      skipped: 0,
    };
    if (studyVersion(named.rule) === 1) this.#ordinary = new OrdinarySample(named.rule);
    else this.#begin(ts);
  }

  /** What studies of the same class need to go on in the place of these. It changes with the next entry. */
  get kept(): KeptStudies {
    return {
      ...this.#state,
      ordinary: this.#ordinary?.kept,
      moments: this.#moments?.kept,
      stated: this.stated.kept,
    };
  }

  /** Goes on as the studies that were kept, of the same class. Call it before the first tick. */
  resume({ ordinary, moments, stated, ...state }: KeptStudies): void {
    this.#state = state;
    const { rule } = state.named;
    this.#ordinary = undefined;
    this.#moments = undefined;
    if (ordinary !== undefined) {
      this.#ordinary = new OrdinarySample(rule);
      this.#ordinary.resume(ordinary);
    }
    if (moments !== undefined) {
      this.#moments = momentsOf(rule);
      this.#moments.resume(moments);
    }
    this.stated.resume(stated);
  }

  /**
   * The study that has been due since the newest month's first tick; undefined where it was made, or where none is due.
   */
  get due(): DueStudy | undefined {
    return this.#state.due;
  }

  /** Months that passed without the study that was due in them. */
  get skipped(): number {
    return this.#state.skipped;
  }

  /**
   * A tick at `ts`, in unix seconds, that is entry `seq` and names this rule. `isLost`: leaves before it could not be
   * read, so that nothing is known of moments.
   */
  tick(named: NamedRule, ts: number, seq: number, isLost: boolean): void {
    const month = monthOf(ts);
    const state = this.#state;
    if (month !== monthOf(state.newest)) {
      if (state.due !== undefined) state.skipped += 1;
      state.due = this.#isDue(ts) ? this.#before(seq, month, isLost) : undefined;
    }
    if (named !== state.named) this.#handOver(named, ts);
    state.newest = ts;
  }

  /** The leaves of the newest tick, and what it makes due. */
  step({ ts, index, leaves, dues }: LeafTick): void {
    let good: ReadonlySet<string> | undefined;
    this.#moments?.step({ ts, index, good: () => (good ??= goodOf(leaves)), price: () => ts });
    // Counting ordinary moments needs no price, so any price will do.
    this.#ordinary?.step({
      ts,
      index,
      good: { has: (symbol) => leaves.get(symbol)?.good === true },
      scored: () => [...leaves].flatMap(([symbol, { score }]) => (score === null ? [] : symbol)),
      price: () => 1,
    });
    for (const due of dues) if (due.kind === 'open') this.#ordinary?.event(due.symbol, ts);
  }

  /**
   * An event that opens at the newest tick, as its entry states it. `from` is the tick at which its move begins, in unix
   * seconds.
   */
  open(event: EventOpen, leaves: ReadonlyMap<string, PublicLeaf>, from: number | undefined): void {
    if (this.#moments === undefined) return;
    const move = moveOf(event, from);
    if (move !== undefined) this.#state.moves.push(move);
    const { close } = this.#state.named.rule.event;
    const isQuiet = ({ good, score }: PublicLeaf): boolean =>
      good && score !== null && score < close;
    this.#moments.open(
      event,
      [...leaves].flatMap(([symbol, leaf]) => (isQuiet(leaf) ? symbol : [])),
    );
  }

  /** The asset has ticks after this. */
  list(symbol: string): void {
    this.#ordinary?.list(symbol);
  }

  /** The asset has no more ticks. */
  delist(symbol: string): void {
    this.#ordinary?.delist(symbol);
  }

  /** What the study of a recorded history rests on, if it is entry `seq`. */
  ending(seq: number, isLost: boolean): DueStudy {
    return this.#before(seq, monthOf(this.#state.newest) + 1, isLost);
  }

  /** The study that was due has been made. */
  settle(): void {
    this.#state.due = undefined;
  }

  /** Whether the month that begins with the tick at `ts` has a study. */
  #isDue(ts: number): boolean {
    const { named, first, second } = this.#state;
    if (studyVersion(named.rule) === 1) return ts >= first + STUDY_AFTER_S;
    return monthOf(ts) >= firstStudyMonth(second ?? ts);
  }

  /** What the study of a month rests on if it is of everything before entry `to`. */
  #before(to: number, month: number, isLost: boolean): DueStudy {
    const { named, second, newest, moves } = this.#state;
    const { rule, hash } = named;
    if (studyVersion(rule) === 1) {
      const counts = isLost ? undefined : this.#ordinary?.counts;
      return { version: 1, range: { to, rule: hash, counts } };
    }
    const made = isLost ? undefined : this.#moments?.moments;
    const number = studyNumber(second ?? newest, month);
    return { version: 2, range: { to, rule: hash, number, made, newest, moves } };
  }

  #handOver(named: NamedRule, ts: number): void {
    this.#state.named = named;
    if (studyVersion(named.rule) === 1) this.#ordinary?.under(named.rule);
    else if (this.#moments === undefined) this.#begin(ts);
    else this.#moments.under(named.rule);
  }

  /** The tick at `ts` is the first whose rule has studies of version 2. */
  #begin(ts: number): void {
    this.#ordinary = undefined;
    this.#moments = momentsOf(this.#state.named.rule);
    this.#state.second = ts;
  }
}

function momentsOf(rule: ScoreRule): MomentSample {
  return new MomentSample(rule, endOf);
}

/** In place of a return, the time at which it ends, where the price of a tick is its own time. */
function endOf(_from: number, to: number): number {
  return to;
}

function goodOf(leaves: ReadonlyMap<string, PublicLeaf>): ReadonlySet<string> {
  const good = new Set<string>();
  for (const [symbol, leaf] of leaves) if (leaf.good) good.add(symbol);
  return good;
}
