import type { AssetClass } from '../tick/asset-symbol.ts';
import type { FirstScoreRule, ScoreRule, SecondScoreRule } from './score-rule.ts';

/**
 * The score rules that Assay has run. A replay of recorded closes has one source, so its rule says so and has
 * another hash; nothing else differs. The rules are frozen: another constant is another version
 * (docs/calibration.md). The rules in force now are at the end.
 */

/**
 * Crypto assets, live, of which two sources must agree, in version 1. Windows are in quarter hours: a day, an
 * hour, 30 days.
 */
export const CRYPTO_RULE: FirstScoreRule = {
  type: 'assay-score-rule/1',
  class: 'crypto',
  version: 1,
  grid: 'utc_15m',
  sources: { required: 2, max_age_s: 1200, max_apart_bp: 500 },
  returns: { long: 96, short: 4, tolerance: 1, sample: 4, window: 2880, min_samples: 336 },
  scale: { numerator: 7413, denominator: 5000, floor_long: 5000, floor_short: 1000 },
  volume: { day: 96, days: 30, min_days: 14 },
  parts: {
    long: { weight: 45, from: 1000, to: 5000 },
    volume: { weight: 40, from: 100, to: 420 },
    short: { weight: 15, from: 1000, to: 6600 },
  },
  event: { open: 70, close: 55, consecutive: 4, max: 288, silent: 24, rearm: 96 },
  receipts: { void_after_s: 604_800, benchmark: 'BTC', benchmark_tolerance_s: 900 },
};

/**
 * US stocks, live. Windows are in quarter hours of the regular session, of which a whole session has 26. The
 * parts are those of crypto, because nobody has calibrated them for stocks.
 */
export const STOCK_RULE: FirstScoreRule = {
  type: 'assay-score-rule/1',
  class: 'stock',
  version: 1,
  grid: 'xnys_15m',
  sources: { required: 2, max_age_s: 1200, max_apart_bp: 100 },
  returns: { long: 26, short: 4, tolerance: 1, sample: 2, window: 780, min_samples: 182 },
  scale: { numerator: 7413, denominator: 5000, floor_long: 5000, floor_short: 1000 },
  volume: { day: 26, days: 20, min_days: 10 },
  parts: {
    long: { weight: 45, from: 1000, to: 5000 },
    volume: { weight: 40, from: 100, to: 420 },
    short: { weight: 15, from: 1000, to: 6600 },
  },
  event: { open: 70, close: 55, consecutive: 4, max: 78, silent: 24, rearm: 26 },
  receipts: { void_after_s: 604_800, benchmark: 'SPY', benchmark_tolerance_s: 900 },
};

/** Crypto assets from one recorded source, in version 1. */
export const CRYPTO_REPLAY_RULE: FirstScoreRule = fromOneSource(CRYPTO_RULE);

/** US stocks from one recorded source. */
export const STOCK_REPLAY_RULE: FirstScoreRule = fromOneSource(STOCK_RULE);

/** The rules in force for live ticks. Crypto has gone over to studies of version 2, and to nothing else. */
export const LIVE_RULES: Readonly<Record<AssetClass, ScoreRule>> = {
  crypto: withSecondStudies(CRYPTO_RULE),
  stock: STOCK_RULE,
};

/** The rules in force for replays. */
export const REPLAY_RULES: Readonly<Record<AssetClass, ScoreRule>> = {
  crypto: fromOneSource(LIVE_RULES.crypto),
  stock: STOCK_REPLAY_RULE,
};

/** The rules that were in force before for live ticks, and for replays. Their logs can be checked still. */
export const FORMER_LIVE_RULES: readonly ScoreRule[] = [CRYPTO_RULE];
export const FORMER_REPLAY_RULES: readonly ScoreRule[] = [CRYPTO_REPLAY_RULE];

function fromOneSource<T extends ScoreRule>(rule: T): T {
  return { ...rule, sources: { ...rule.sources, required: 1 } };
}

/** The next version of a rule, which differs in the version of its studies alone. */
function withSecondStudies(rule: FirstScoreRule): SecondScoreRule {
  return { ...rule, type: 'assay-score-rule/2', study: 2, version: rule.version + 1 };
}
