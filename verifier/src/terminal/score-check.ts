import type { EventOpen } from '@assay/core/kind/event';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { scoreWeigher, type Weigher } from '@assay/core/terminal/score/score-weigher';
import type { TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import type { Findings } from '../verdict/finding.ts';
import { LeafHistory } from './leaf-history.ts';

/**
 * Holds scores against what public leaves say of them, over all ticks of a class: that there can be one, which an
 * asset's earlier good ticks decide, and that an event's figures can make its own. The scores themselves rest on vendor
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

  /** Ticks from now on are under a later version; those before are good as they were. */
  under(rule: ScoreRule): void {
    this.#rule = rule;
    this.#weigh = scoreWeigher(rule.parts);
  }

  /** The leaves of the tick with count `index`, after the last. */
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

  /** Assets that are good at the last tick and where its long return begins: those with a move. */
  get moved(): number {
    return this.#good.filter((symbol) => this.moveFrom(symbol) !== undefined).length;
  }

  /** Count of the tick at which an asset's long return to the last tick begins; of one that is good at that. */
  moveFrom(symbol: string): number | undefined {
    return this.#histories.get(symbol)?.longFrom;
  }

  /** The volume's points are known, and the other two parts have at most their weights. */
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
