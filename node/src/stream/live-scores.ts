import type { ChangedTables, LogRecord } from '../ledger/record.ts';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { formatTime } from '@assay/core/time/time';
import { assetRows } from '@assay/core/view/assets';
import type { ScoreFollower } from '../terminal/tick/score-follower.ts';
import type { EventHub } from './event-hub.ts';

/** What live scores are made from. */
export interface LiveScoreParts {
  readonly hub: Pick<EventHub, 'tick'>;
  readonly scores: Pick<ScoreFollower, 'follow' | 'history'>;
  readonly record: Pick<LogRecord, 'shown'>;
}

/** Sends the scores of each new tick to the readers of the stream who want them: a tick's entry has only commitments to them. */
export class LiveScores {
  readonly #parts: LiveScoreParts;
  readonly #sent: Record<AssetClass, number> = { crypto: 0, stock: 0 };

  constructor(parts: LiveScoreParts) {
    this.#parts = parts;
  }

  /** Called after each publication with the tables that changed. */
  async published(tables: ChangedTables): Promise<void> {
    if (tables !== 'all' && !ASSET_CLASSES.some((of) => tables.has(`ticks/${of}`))) return;
    const { hub, scores, record } = this.#parts;
    await scores.follow();
    for (const of of ASSET_CLASSES) {
      const history = scores.history(of);
      const { newest } = history;
      if (newest === undefined || newest <= this.#sent[of]) continue;
      this.#sent[of] = newest;
      const read: Record<string, number | null> = {};
      for (const { symbol, class: its, listed, display } of assetRows(record.shown)) {
        const latest = its === of && listed && display ? history.latest(symbol) : undefined;
        if (latest?.ts === newest) read[symbol] = latest.score;
      }
      hub.tick(of, { class: of, ts: formatTime(newest), scores: read });
    }
  }
}
