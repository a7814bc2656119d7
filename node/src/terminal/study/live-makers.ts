import type { Sha256 } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Steps } from '@assay/core/steps';
import { EdgeStudyMaker } from '@assay/core/terminal/edge/edge-study-maker';
import { monthOf } from '@assay/core/terminal/edge/study-spending';
import { type ScoreRule, studyVersion } from '@assay/core/terminal/rule/score-rule';
import { isSampled } from '@assay/core/terminal/study/ordinary-sample';
import { type MadeStudy, StudyMaker } from '@assay/core/terminal/study/study-maker';
import type { GoodLeaves, PricedTick } from './live-ticks.ts';

/** A tick of the class, of which no more is read than a study asks for. */
export interface LiveTick {
  /** Unix seconds, and the count of the class's grid. */
  readonly ts: number;
  readonly index: number;
  /** The rule that it names. */
  readonly rule: ScoreRule;
  readonly leaves: () => Promise<GoodLeaves>;
  readonly priced: () => Promise<PricedTick>;
}

/** Makes a study from the entries of a live log and from what opens some of its ticks. */
export interface LiveMaker {
  /** Takes the next tick of the class. */
  readonly tick: (tick: LiveTick) => Promise<void>;
  /** Takes any other entry of the range that bears on ticks. */
  readonly take: (known: KnownBody) => Promise<void>;
  /** Makes the study of the first `to` entries. `from` is the time of the tick that begins its month. */
  readonly steps: (to: number, from: number | undefined) => Steps<MadeStudy>;
}

/** Makes a `study/1`, which rests on prices of the ticks on the hour. */
export class FirstLiveMaker implements LiveMaker {
  readonly #maker: StudyMaker;

  constructor(sha256: Sha256, rule: ScoreRule) {
    this.#maker = new StudyMaker(sha256, rule);
  }

  async tick({ ts, index, rule, priced }: LiveTick): Promise<void> {
    this.#maker.under(rule);
    if (!isSampled(ts)) return;
    const { leaves, price } = await priced();
    const scored = (): readonly string[] =>
      [...leaves.values()].flatMap(({ symbol, score }) => (score === null ? [] : symbol));
    this.#maker.tick({ ts, index, good: leaves, scored, price });
  }

  take(known: KnownBody): Promise<void> {
    this.#maker.take(known);
    return Promise.resolve();
  }

  steps(to: number): Steps<MadeStudy> {
    return this.#maker.steps(0, to);
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Makes a `study/2`. It rests on prices of the ticks on the hour and of those at which somebody enters, and on
 * the scores at openings; and on nothing before the first tick whose rule names it, because no event is studied
 * that opened before.
 */
export class SecondLiveMaker implements LiveMaker {
  readonly #maker: EdgeStudyMaker;
  #newest: LiveTick | undefined;
  #begun = false;

  constructor(sha256: Sha256, rule: ScoreRule) {
    this.#maker = new EdgeStudyMaker(sha256, rule);
  }

  async tick(tick: LiveTick): Promise<void> {
    const { ts, index, rule, priced } = tick;
    this.#maker.under(rule);
    this.#newest = tick;
    if (studyVersion(rule) === 2) this.#begun = true;
    if (this.#begun && this.#maker.wants(ts)) {
      const { leaves, price } = await priced();
      this.#maker.tick({ ts, index, good: () => leaves, price });
    } else {
      this.#maker.tick({ ts, index, good: () => NOTHING, price: () => Number.NaN });
    }
  }

  async take(known: KnownBody): Promise<void> {
    if (known.kind !== 'event/1') {
      this.#maker.take(known);
      return;
    }
    const { rule, leaves } = this.#newest ?? {};
    if (rule?.class !== known.body.class || leaves === undefined || !this.#begun) return;
    const quiet = [...(await leaves()).values()].flatMap(({ symbol, score }) =>
      score !== null && score < rule.event.close ? [symbol] : [],
    );
    this.#maker.open(known.body, quiet);
  }

  steps(to: number, from: number | undefined): Steps<MadeStudy> {
    return this.#maker.steps(0, to, from === undefined ? undefined : monthOf(from));
  }
}
