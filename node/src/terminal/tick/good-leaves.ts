import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { formatTime } from '@assay/core/time/time';
import { tickRow } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { IsGood } from './event-grounds.ts';

export interface GoodLeavesParts {
  readonly views: ViewState;
  /** The leaves of ticks. */
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly rule: Pick<ScoreRule, 'class'>;
  readonly grid: TickGrid;
}

/** Which assets are good at counts of the grid, as far as their leaves were read. */
export class GoodLeaves {
  readonly isGood: IsGood = (index, symbol) => this.#good.get(index)?.has(symbol) ?? false;
  readonly #parts: GoodLeavesParts;
  readonly #good = new Map<number, ReadonlySet<string>>();

  constructor(parts: GoodLeavesParts) {
    this.#parts = parts;
  }

  /** Reads the leaves from one count to another, both included. */
  async read(from: number, to: number): Promise<void> {
    const { views, blobs, rule, grid } = this.#parts;
    for (let at = Math.max(0, from); at <= to; at += 1) {
      if (this.#good.has(at)) continue;
      const row = tickRow(views, rule.class, formatTime(grid.timeOf(at)));
      const blob = row === undefined ? undefined : await blobs.get(row.blob);
      const leaves = blob === undefined ? [] : parseTickLeaves(blob);
      this.#good.set(at, new Set(leaves.flatMap((leaf) => (leaf.good ? [leaf.symbol] : []))));
    }
  }
}
