import type { ArenaRule, RefereeRule } from '@assay/core/arena/rule/arena-rule';

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
