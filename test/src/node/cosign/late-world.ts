import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sightingQuorum } from '@assay/core/round/period-clocks';
import { quorumOf } from '@assay/core/round/quorum';
import type { Rule } from '@assay/core/rule/rule';
import { formatTime, parseDate, parseTime } from '@assay/core/time/time';
import type { ReportRow } from '@assay/core/view/reports';
import { newestRule } from '@assay/core/view/rules';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CalendarReads } from '@assay/node/recounter/poll/calendar-reads';
import { MemoryReadStore } from '@assay/node/recounter/read-store';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { CosignedWorld, said, setOf, SHOWN, type TestRecounter, WEEK } from './cosigner-fixture.ts';

export const DAY = 86_400;
const { [WEEK]: _, ...UNPUBLISHED } = SHOWN;
export const FIRST = { ...UNPUBLISHED, [WEEK]: 197_000 };
export const REVISED = { ...UNPUBLISHED, [WEEK]: 198_000 };

/** Sixty days for a late publication: void from 28 September on, and seen until a day before. */
export const LATE_RULE: Rule = {
  ...CLAIMS_RULE,
  spec: 'assay-rule/2',
  release: {
    ...CLAIMS_RULE.release,
    late: { kind: 'from_publication', within_s: 60 * DAY },
  },
};
export const VOID_FROM = parseTime('2026-09-28T12:30:00Z');
/** Three weeks after the scheduled release, and a week after the time for first prints. */
export const PUBLISHED = parseTime('2026-08-20T12:30:00Z');

export interface Watcher extends TestRecounter {
  readonly look: () => Promise<void>;
}

/** A publisher whose source is closed, and recounters of which two make a quorum, each with reads on the calendar. */
export class LateWorld {
  readonly world: CosignedWorld;
  readonly watchers: readonly Watcher[];

  private constructor(world: CosignedWorld, watchers: readonly Watcher[]) {
    this.world = world;
    this.watchers = watchers;
  }

  /** Looked at in vain at these times, while nothing is published. */
  static async open(
    looks: readonly string[] = [
      '2026-07-30T12:30:00Z',
      '2026-08-13T12:31:00Z',
      '2026-08-20T00:00:00Z',
    ],
  ): Promise<LateWorld> {
    const seeds = [21, 22, 23];
    const set = { ...setOf(seeds), threshold: 2 };
    const world = await CosignedWorld.open(undefined, undefined, LATE_RULE, set);
    const watchers = seeds.map((seed): Watcher => {
      const parts = {
        sha256: nodeSha256,
        now: () => world.clock.now,
        random: randomBytes,
        blobs: new MemoryBlobStore(),
        store: new MemoryReadStore(),
        onFailed: (...failed: readonly string[]) => assert.fail(failed.join(' ')),
      };
      let calendar: CalendarReads | undefined;
      const own = world.recounter(seed, {
        reads: {
          of: (...of) => (calendar as CalendarReads).of(...of),
          read: (...of) => (calendar as CalendarReads).read(...of),
        },
      });
      calendar = new CalendarReads({ ...parts, source: own.source });
      const { signal } = new AbortController();
      return { ...own, look: async () => calendar.poll(world.ledger.shown, signal) };
    });
    const late = new LateWorld(world, watchers);
    late.show(UNPUBLISHED);
    for (const at of looks) {
      world.at(at);
      await late.poll();
      assert.equal(await world.round(), undefined, 'nothing is published, and nothing void');
    }
    return late;
  }

  at(seconds: number): void {
    this.world.at(formatTime(seconds));
  }

  show(weeks: Readonly<Record<string, number>>): void {
    this.world.source.show(weeks);
    for (const { source } of this.watchers) source.show(weeks);
  }

  async poll(watchers = this.watchers): Promise<void> {
    for (const each of watchers) await each.look();
  }

  /** What each says of a report; those whom the publisher does not hide stand in the log. */
  async words(row: ReportRow | undefined, taken = this.watchers): Promise<readonly string[]> {
    assert.ok(row !== undefined, 'a report');
    const words: string[] = [];
    for (const each of this.watchers) {
      const word = await each.cosigner.recount(await this.world.asked(row));
      words.push(said(word));
      if (word !== undefined && word.kind !== 'abstain' && taken.includes(each)) {
        await this.world.bring([each.cosigner], row);
      }
    }
    return words;
  }

  have(row: ReportRow): number {
    return quorumOf(this.world.ledger.tip, row).have;
  }

  seen(): number | undefined {
    const { tip } = this.world.ledger;
    const version = newestRule(tip, CLAIMS_RULE.ticker);
    assert.ok(version !== undefined);
    const quorum = sightingQuorum(tip, version, parseDate(WEEK), Number.POSITIVE_INFINITY);
    return quorum && Math.max(...quorum.map(({ seen }) => seen));
  }
}
