import type { ArenaRule, RefereeRule } from '@assay/core/arena/rule/arena-rule';
import type { EventOpen } from '@assay/core/kind/event';
import { eventId } from '@assay/core/kind/event-id';
import type { KnownBody } from '@assay/core/kind/kinds';
import { toHashHex, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { formatTime, parseTime, toTime } from '@assay/core/time/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { sha256 } from '../fixture/fixture.ts';

/** The rule of the Referee as it is run: four hours for answers, and a day until the tick that decides. */
export const REFEREE: RefereeRule = {
  class: 'crypto',
  threshold: 40,
  horizon_s: 86_400,
  window_s: 14_400,
  tolerance_s: 3600,
  least_group: 2,
};

export function arenaRule(referee: RefereeRule | null = REFEREE, version = 1): ArenaRule {
  return { type: 'assay-arena-rule/1', version, referee, arena: null };
}

export const OPENED = toTime('2026-03-01T00:00:00Z');

/** An event of `symbol`, so many seconds after the first. */
export function eventOf(symbol: string, after = 0, change: Partial<EventOpen> = {}): EventOpen {
  const opened = parseTime(OPENED) + after;
  return {
    id: eventId(sha256, symbol, opened),
    symbol,
    class: 'crypto',
    opened_at: formatTime(opened),
    score: 80,
    move_24h: 700,
    vol_mult: 300,
    breadth: { up: 1, down: 0, of: 20 },
    price: toHashHex('5a'.repeat(32)),
    rule: toHashHex('7c'.repeat(32)),
    ...change,
  };
}

/** The rows of a log that is made entry by entry. */
export class Rows {
  readonly views = new MemoryViews();
  #seq = 0;

  /** Appends an entry that claims to be written so many seconds after the first event. */
  add(known: KnownBody, after = 0): void {
    const at = formatTime(parseTime(OPENED) + after);
    const entry = { ...known, seq: this.#seq, at, log: ZERO_HASH_HEX };
    this.views.write(foldEntry(entry, this.views, sha256));
    this.#seq += 1;
  }

  list(symbol: string, listed = true): void {
    const about = { name: symbol, class: 'crypto', decimals: 2, display: true } as const;
    this.add({ kind: 'asset/1', body: { symbol, ...about, listed } });
  }
}
