import type { ArenaRule, RefereeRule, RoundIndex } from '@assay/core/arena/rule/arena-rule';
import { parseTicker } from '@assay/core/rule/ticker';
import type { BeaconChain } from '@assay/core/timelock/beacon-chain';
import { DAY_SECONDS, HOUR_SECONDS } from '@assay/core/time/time';

/** How the Referee asks on the development network: as in production, but that a group answers from five outcomes on. */
export const DEVELOPMENT_REFEREE: RefereeRule = {
  class: 'crypto',
  threshold: 40,
  horizon_s: 86_400,
  window_s: 14_400,
  tolerance_s: 3600,
  least_group: 5,
};

/** The first arena rule of the development network. */
export const DEVELOPMENT_ARENA_RULE: ArenaRule = {
  type: 'assay-arena-rule/1',
  version: 1,
  referee: DEVELOPMENT_REFEREE,
  arena: null,
};

/** Seconds that a daily round is open: ten real minutes at the speed of the demo. */
const WINDOW_S = 8 * HOUR_SECONDS;

/**
 * The daily rounds follow one another through the day, so that there is always one that somebody can take part in. All numbers
 * of a day come out in the night after it, at 02:00 and 06:00 UTC.
 */
const INDICES: readonly RoundIndex[] = [
  daily('GIGS', HOUR_SECONDS),
  { ...daily('LAYOFFS', HOUR_SECONDS), window_s: 2 * DAY_SECONDS },
  daily('MINTS', 5 * HOUR_SECONDS),
  daily('TRENCHES', 13 * HOUR_SECONDS),
  daily('WAGE', HOUR_SECONDS),
];

function daily(ticker: string, closeBeforeS: number): RoundIndex {
  const [window_s, close_before_s] = [WINDOW_S, closeBeforeS];
  return { ticker: parseTicker(ticker, 'ticker'), known: 'release', window_s, close_before_s };
}

/** The second arena rule, with rounds whose witnesses are the recounters. They are known only when these have started. */
export function developmentArenaRule(drand: BeaconChain, witnesses: readonly string[]): ArenaRule {
  return {
    type: 'assay-arena-rule/1',
    version: 2,
    referee: DEVELOPMENT_REFEREE,
    arena: {
      drand,
      // Some 25 real seconds, in which the recounters confirm that the forecasts are frozen.
      seal_margin_s: 1200,
      witnesses: { keys: witnesses.toSorted(), required: 1 },
      zero_points_at: 25,
      ranked_from: 3,
      top: 10,
      shrink: 10,
      streak_points: 50,
      median_window: 8,
      indices: INDICES,
    },
  };
}
