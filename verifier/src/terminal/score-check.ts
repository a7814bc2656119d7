import type { EventOpen } from '@assay/core/kind/event';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { scoreWeigher, type Weigher } from '@assay/core/terminal/score/score-weigher';
import type { TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import type { Findings } from '../verdict/finding.ts';
import { type KeptHistory, LeafHistory } from './leaf-history.ts';

/** What a check of scores knows between two ticks. */
export interface KeptScores {
  readonly rule: ScoreRule;
  /** By symbol. */
  readonly histories: ReadonlyMap<string, KeptHistory>;
  /** The assets that are good at the last tick. */
  readonly good: readonly string[];
}

/**
 * Checks scores against the public leaves, over all ticks of a class: that there can be a score, which an asset's
 * earlier good ticks decide, and that an event's figures can make the score. The scores themselves depend on vendor
 * values.
 */
export class ScoreCheck {
  #rule: ScoreRule;
  #weigh: Weigher;
  readonly #histories = new Map<string, LeafHistory>();
  #good: readonly string[] = [];

  constructor(rule: ScoreRule) {
    this.#rule = rule;
    this.#weigh = scoreWeigher(rule.parts);
  }

  /** What a check needs to go on in the place of this one. It changes with the next tick. */
  get kept(): KeptScores {
    const histories = new Map<string, KeptHistory>();
    for (const [symbol, history] of this.#histories) histories.set(symbol, history.kept);
    return { rule: this.#rule, histories, good: this.#good };
  }

  /** Goes on as the check that was kept. Call it before the first tick. */
  resume({ rule, histories, good }: KeptScores): void {
    this.under(rule);
    this.#good = good;
    for (const [symbol, kept] of histories) {
      const history = new LeafHistory(rule);
      history.resume(kept);
      this.#histories.set(symbol, history);
    }
  }

  /** Ticks from now on are under a later version. Earlier ticks stay good as they were. */
  under(rule: ScoreRule): void {
    this.#rule = rule;
    this.#weigh = scoreWeigher(rule.parts);
  }

  /** Records the leaves of the tick at `index`, which must be after the last one. */
  tick(index: number, leaves: readonly TickLeaf[], place: string, findings: Findings): void {
    const good: string[] = [];
    for (const { symbol, score, good: isGood } of leaves) {
      if (!isGood) continue;
      let history = this.#histories.get(symbol);
      if (history === undefined) {
        history = new LeafHistory(this.#rule);
        this.#histories.set(symbol, history);
      }
      good.push(symbol);
      history.under(this.#rule);
      history.add(index);
      const lack = score === null ? undefined : history.lack;
      if (lack !== undefined) {
        const expected = `none: the ticks before it have ${lack}`;
        findings.add('score_unfounded', `${place}, ${symbol}`, expected, `a score of ${score}`);
      }
      history.settle();
    }
    this.#good = good;
  }

  /** How many assets have a move: they are good at the last tick and where its long return begins. */
  get moved(): number {
    return this.#good.filter((symbol) => this.moveFrom(symbol) !== undefined).length;
  }

  /**
   * The index of the tick at which an asset's long return to the last tick begins, for an asset that is good at the
   * last tick.
   */
  moveFrom(symbol: string): number | undefined {
    return this.#histories.get(symbol)?.longFrom;
  }

  /** The points of the volume are known, and the other two parts are at most their weights. */
  event({ score, vol_mult: volume }: EventOpen, place: string, findings: Findings): void {
    if (volume === null) return;
    const { long, short } = this.#rule.parts;
    const least = this.#weigh(long.from, volume, short.from);
    const most = this.#weigh(long.to, volume, short.to);
    if (score >= least && score <= most) return;
    const expected = `a volume that makes a score of ${score}`;
    const found = `${volume}, which makes ${least} to ${most}`;
    findings.add('event_differs', `${place}/vol_mult`, expected, found);
  }
}
