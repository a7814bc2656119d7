import { contentHash, hashHex, type Sha256 } from '../../hash/hash.ts';
import type { EventOpen } from '../../kind/event.ts';
import type { KnownBody } from '../../kind/kinds.ts';
import { runSteps, type Steps } from '../../steps.ts';
import { parseTime } from '../../time/time.ts';
import { type ScoreRule, scoreRuleHash, studyVersion } from '../rule/score-rule.ts';
import type { MadeStudy } from '../study/study-maker.ts';
import type { BoardRow, TickStep } from '../terminal.ts';
import { formatEdgeStudy } from './edge-blob.ts';
import { edgeGroupSteps } from './edge-groups.ts';
import { MomentSample, type MomentTick } from './moment-sample.ts';
import { monthOf, studyNumber } from './study-spending.ts';

/**
 * Makes the `study/2` of a class over a range of a log. It must receive the ticks of the class, each before the
 * entries that the tick makes due, its events with who was quiet at their tick, and its splits.
 */
export class EdgeStudyMaker {
  readonly #sha256: Sha256;
  readonly #sample: MomentSample;
  #rule: ScoreRule;
  /** The first tick whose rule has this study, and the newest tick, in unix seconds. */
  #first: number | undefined;
  #newest = 0;

  constructor(sha256: Sha256, rule: ScoreRule) {
    this.#sha256 = sha256;
    this.#rule = rule;
    this.#sample = new MomentSample(rule);
  }

  /** The next tick names a later version of the rule, and so does the study. */
  under(rule: ScoreRule): void {
    this.#rule = rule;
    this.#sample.under(rule);
  }

  /** Whether the tick at `ts` (unix seconds), the next one, has to be given whole. */
  wants(ts: number): boolean {
    return this.#sample.wants(ts);
  }

  /** Takes an entry of the range, except ticks and openings of events. */
  take(entry: KnownBody): void {
    if (entry.kind !== 'split/1') return;
    this.#sample.split(entry.body.symbol, parseTime(entry.body.effective_at), entry.body);
  }

  /** Takes a tick of the range. */
  tick(tick: MomentTick): void {
    if (studyVersion(this.#rule) === 2) this.#first ??= tick.ts;
    this.#newest = tick.ts;
    this.#sample.step(tick);
  }

  /** Takes the opening of an event at the newest tick. `quiet` are the good assets whose score is below `close` then. */
  open(event: EventOpen, quiet: Iterable<string>): void {
    if (event.class === this.#rule.class) this.#sample.open(event, quiet);
  }

  /** Takes a tick of the range as an engine makes it, with everything that it makes due. */
  step(ts: number, index: number, { board, drafts }: Pick<TickStep, 'board' | 'drafts'>): void {
    const prices = this.wants(ts) ? goodPrices(board) : new Map<string, number>();
    this.tick({
      ts,
      index,
      good: () => prices,
      price: (symbol) => prices.get(symbol) as number,
    });
    for (const draft of drafts) {
      if (draft.kind === 'event/1') this.open(draft.body, this.#quiet(board));
      else this.take(draft);
    }
  }

  #quiet(board: TickStep['board']): readonly string[] {
    const { close } = this.#rule.event;
    return [...board].flatMap(([symbol, { good, score }]) =>
      good && score !== null && score < close ? [symbol] : [],
    );
  }

  /**
   * Makes the study of the entries from `from` to before `to`. `month` is that of a live study, counted as
   * `monthOf` does; without one it is the month after the newest tick.
   */
  make(from: number, to: number, month?: number): MadeStudy {
    return runSteps(this.steps(from, to, month));
  }

  /** The same in steps, one for each group. */
  *steps(from: number, to: number, month: number = monthOf(this.#newest) + 1): Steps<MadeStudy> {
    const { class: of } = this.#rule;
    const rule = scoreRuleHash(this.#sha256, this.#rule);
    const number = studyNumber(this.#first ?? this.#newest, month);
    const { moments, left_out } = this.#sample.moments;
    const { later_from, groups } = yield* edgeGroupSteps(this.#sha256, of, number, moments);
    const blob = formatEdgeStudy({
      type: 'assay-study/2',
      class: of,
      rule,
      from,
      to,
      number,
      later_from,
      left_out,
      moments,
      groups,
    });
    const body = { class: of, rule, from, to, blob: hashHex(contentHash(this.#sha256, blob)) };
    return { body, blob };
  }
}

function goodPrices(board: TickStep['board']): ReadonlyMap<string, number> {
  const prices = new Map<string, number>();
  for (const [symbol, { good, price }] of board as ReadonlyMap<string, BoardRow>) {
    if (good) prices.set(symbol, price as number);
  }
  return prices;
}
