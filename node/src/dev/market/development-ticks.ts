import { join } from 'node:path';
import type { Asset } from '@assay/core/kind/asset';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { LIVE_RULES } from '@assay/core/terminal/rule/score-rules';
import type { Sha256 } from '@assay/core/hash/hash';
import { DAY_SECONDS, parseTime, type TimeText } from '@assay/core/time/time';
import type { DataFolder } from '../../platform/data-folder.ts';
import { filesIn } from '../../platform/files-in.ts';
import type { NodeTicks } from '../../terminal/node-ticks.ts';
import { TickOpenings } from '../../terminal/tick/tick-openings.ts';
import { openTickSeed } from '../../terminal/tick/tick-seed.ts';
import { marketSources } from './market-source.ts';
import { MARKET_FROM, SYNTHETIC_ASSETS, SyntheticMarket } from './synthetic-market.ts';

export interface DevelopmentTicksParts {
  readonly folder: DataFolder;
  readonly sha256: Sha256;
  /** Milliseconds of real time between two polls for a tick that is due. */
  readonly everyMs: number;
  /** Called after each poll, with the time up to which nothing can be missed, in unix seconds. */
  readonly onPolled: (until: number) => void;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Milliseconds of real time that the invented vendors have for an answer, which they have at once. */
const READ_MS = 1000;

/** The ticks of the invented market, made by the code of a production node under the rule of one. */
export async function developmentTicks(parts: DevelopmentTicksParts): Promise<NodeTicks> {
  const { folder, sha256, everyMs, onPolled, now } = parts;
  const isNew = (await filesIn(folder.tickOpenings)) === 0;
  const seed = await openTickSeed(join(folder.keys, 'tick-seed'), isNew);
  const openings = await TickOpenings.open(join(folder.tickOpenings, LIVE_RULES.crypto.class), {
    sha256,
    thinFrom: null,
    sync: false,
  });
  const sources = marketSources(new SyntheticMarket());
  return {
    classes: [{ rule: LIVE_RULES.crypto, sources, openings }],
    seed,
    listing: {
      assets: SYNTHETIC_ASSETS.map((each) => ({ asset: assetOf(each), names: {} })),
      splits: [],
    },
    everyMs,
    readMs: READ_MS,
    onPolled: () => onPolled(nothingMissedUntil(now())),
  };
}

function assetOf({ symbol, name, decimals }: (typeof SYNTHETIC_ASSETS)[number]): Asset {
  return { symbol, name, class: 'crypto', decimals, listed: true, display: true };
}

/** Seconds from the time of a tick in which the clock waits for the poll that makes it, of the 300 that there are. */
const WAIT_S = 120;

/** If every tick up to `now` is made, the next one is not missed before the returned time. */
function nothingMissedUntil(now: number): number {
  return now - (now % GRID_SECONDS) + GRID_SECONDS + WAIT_S;
}

/** From when on the history has a tick each hour, and each quarter of an hour. Before that it has one each day. */
const HOURLY_FROM = parseTime('2026-07-06T00:00:00Z' as TimeText);
const QUARTERLY_FROM = parseTime('2026-07-18T06:00:00Z' as TimeText);

/**
 * When the history has ticks, in unix seconds, up to `to`. That is as many as the rule needs and few more: a score wants
 * the returns of 14 days of hours, and the volumes of 14 days at the same quarter hour; a study wants 60 days from the
 * first tick to the first of the month.
 */
export function historyTimes(to: number): readonly number[] {
  const times: number[] = [];
  for (let ts = MARKET_FROM; ts <= to; ts += stepAt(ts)) times.push(ts);
  return times;
}

function stepAt(ts: number): number {
  if (ts >= QUARTERLY_FROM) return GRID_SECONDS;
  return ts >= HOURLY_FROM ? 4 * GRID_SECONDS : DAY_SECONDS;
}
