import { contentHash, type HashHex, hashHex, type Sha256 } from '../../hash/hash.ts';
import {
  integer,
  isObject,
  literal,
  malformed,
  object,
  oneOf,
  type Parse,
} from '../../wire/schema.ts';
import { DAY_SECONDS } from '../../time/time.ts';
import { formatWire, wire } from '../../wire/wire.ts';
import { ASSET_CLASSES, type AssetClass, parseSymbol } from '../tick/asset-symbol.ts';

/** The grids of quarter hours at which a class can have ticks. */
export const GRIDS = ['utc_15m', 'xnys_15m'] as const;
export type GridName = (typeof GRIDS)[number];

/**
 * A part of the score. It has its whole weight at `to` and above, none at `from` and below, and a share that
 * rises linearly between them.
 */
export interface ScorePart {
  /** Points out of 100. */
  readonly weight: number;
  /** In the unit of what is weighed: thousandths of a robust deviation, or hundredths of a multiple. */
  readonly from: number;
  readonly to: number;
}

/**
 * How a class of assets is scored. It contains every constant, so that anyone who has the ticks gets the same
 * scores and events. Windows are counts of the class's grid (docs/spec/score.md).
 */
export type ScoreRule = FirstScoreRule | SecondScoreRule;

/** A rule whose class has studies of version 1. */
export interface FirstScoreRule extends ScoreConstants {
  readonly type: 'assay-score-rule/1';
}

/** A rule that names the version of its class's studies. */
export interface SecondScoreRule extends ScoreConstants {
  readonly type: 'assay-score-rule/2';
  readonly study: 2;
}

interface ScoreConstants {
  readonly class: AssetClass;
  readonly version: number;
  readonly grid: GridName;
  /** What makes a tick good. */
  readonly sources: {
    /** How many sources must have a price: 2 for live ticks, 1 in a replay. */
    readonly required: number;
    /** How many seconds a source's own timestamp may be before the time of the tick. */
    readonly max_age_s: number;
    /** How many basis points of the lowest price the sources' prices may be apart. */
    readonly max_apart_bp: number;
  };
  readonly returns: {
    readonly long: number;
    readonly short: number;
    /** How many ticks a price may be away from where a return begins. */
    readonly tolerance: number;
    /** A return is a sample at every so many ticks. */
    readonly sample: number;
    /** How many ticks back samples count. */
    readonly window: number;
    readonly min_samples: number;
  };
  /**
   * A robust deviation is `numerator / denominator` times the median absolute deviation, and at least a floor
   * in ppm.
   */
  readonly scale: {
    readonly numerator: number;
    readonly denominator: number;
    readonly floor_long: number;
    readonly floor_short: number;
  };
  /** The volume of a day is compared with that of the `days` days before it. A day is `day` ticks. */
  readonly volume: { readonly day: number; readonly days: number; readonly min_days: number };
  readonly parts: {
    readonly long: ScorePart;
    readonly volume: ScorePart;
    readonly short: ScorePart;
  };
  /** When an event opens, closes and may open again. */
  readonly event: EventRule;
  readonly receipts: {
    /** A receipt is void after this many seconds past its horizon without a good tick. */
    readonly void_after_s: number;
    /** The symbol of the asset that returns are compared with. */
    readonly benchmark: string;
    /**
     * How many seconds after the receipt's tick the benchmark's tick may be: fewer than there are until the
     * next receipt.
     */
    readonly benchmark_tolerance_s: number;
  };
}

/** The scores that open and close an event, and counts of ticks. */
export interface EventRule {
  readonly open: number;
  readonly close: number;
  /** How many good ticks in a row must be below `close`. */
  readonly consecutive: number;
  /** The number of ticks after which an event closes whatever its score is. */
  readonly max: number;
  /** The number of ticks without a good one after which it closes. */
  readonly silent: number;
  /** The least number of ticks from one opening to the next. */
  readonly rearm: number;
}

/** The most ticks of a window, which bounds what is remembered of an asset. */
const MAX_WINDOW = 100_000;
const MAX_TOLERANCE = 96;
const count = integer(1, MAX_WINDOW);
const seconds = integer(0, 31_622_400);

const part = object<ScorePart>({
  weight: integer(0, 100),
  from: integer(0, 1_000_000),
  to: integer(1, 1_000_000),
});

const CONSTANTS: { readonly [K in keyof ScoreConstants]: Parse<ScoreConstants[K]> } = {
  class: oneOf(ASSET_CLASSES),
  version: integer(1, 1_000_000),
  grid: oneOf(GRIDS),
  sources: object<ScoreConstants['sources']>({
    required: integer(1, 2),
    max_age_s: seconds,
    max_apart_bp: integer(0, 10_000),
  }),
  returns: object<ScoreConstants['returns']>({
    long: count,
    short: count,
    tolerance: integer(0, MAX_TOLERANCE),
    sample: count,
    window: count,
    min_samples: count,
  }),
  scale: object<ScoreConstants['scale']>({
    numerator: integer(1, 1_000_000),
    denominator: integer(1, 1_000_000),
    floor_long: integer(1, 1_000_000),
    floor_short: integer(1, 1_000_000),
  }),
  volume: object<ScoreConstants['volume']>({
    day: count,
    days: integer(1, 366),
    min_days: integer(1, 366),
  }),
  parts: object<ScoreConstants['parts']>({ long: part, volume: part, short: part }),
  event: object<EventRule>({
    open: integer(1, 100),
    close: integer(0, 100),
    consecutive: integer(1, 96),
    max: count,
    silent: count,
    rearm: count,
  }),
  receipts: object<ScoreConstants['receipts']>({
    void_after_s: seconds,
    benchmark: parseSymbol,
    benchmark_tolerance_s: integer(0, DAY_SECONDS),
  }),
};

const parseFirst: Parse<FirstScoreRule> = object<FirstScoreRule>({
  type: literal('assay-score-rule/1'),
  ...CONSTANTS,
});

const parseSecond: Parse<SecondScoreRule> = object<SecondScoreRule>({
  type: literal('assay-score-rule/2'),
  study: literal(2),
  ...CONSTANTS,
});

const parseShape: Parse<ScoreRule> = (value, at) =>
  isObject(value) && value['type'] === 'assay-score-rule/2'
    ? parseSecond(value, at)
    : parseFirst(value, at);

/**
 * Parses a score rule. Throws `malformed` unless the parts add up to 100 and the windows hold what is taken
 * from them.
 */
export const parseScoreRule: Parse<ScoreRule> = (value, at) => {
  const rule = parseShape(value, at);
  const { parts, returns, volume, event } = rule;
  const three = [parts.long, parts.volume, parts.short];
  const grid = rule.class === 'crypto' ? 'utc_15m' : 'xnys_15m';
  const demands: readonly (readonly [boolean, string, string])[] = [
    [rule.grid === grid, 'grid', grid],
    [three.reduce((sum, { weight }) => sum + weight, 0) === 100, 'parts', 'weights that make 100'],
    [three.every(({ from, to }) => from < to), 'parts', 'from below to'],
    [returns.short <= returns.long, 'returns.short', `at most ${returns.long}`],
    [returns.tolerance < returns.short, 'returns.tolerance', `below ${returns.short}`],
    [returns.min_samples * returns.sample <= returns.window, 'returns.min_samples', 'what fits'],
    [volume.min_days <= volume.days, 'volume.min_days', `at most ${volume.days}`],
    [volume.day * volume.days <= MAX_WINDOW, 'volume.days', `${MAX_WINDOW} ticks at most`],
    [event.close < event.open, 'event.close', `below ${event.open}`],
  ];
  for (const [holds, place, expected] of demands) {
    if (!holds) throw malformed(`${at}.${place}`, expected, wire(rule));
  }
  return rule;
};

/** The version of the studies of a class while its ticks name this rule (docs/spec/base-rate.md). */
export function studyVersion(rule: ScoreRule): 1 | 2 {
  return rule.type === 'assay-score-rule/2' ? rule.study : 1;
}

/**
 * Why a rule cannot follow `before` in a log (docs/spec/score.md); undefined if it can. Another class would
 * have another grid, studies do not go back to an earlier version, and all versions must treat open events
 * alike.
 */
export function handoverFault(
  before: ScoreRule,
  next: ScoreRule,
): { readonly expected: string; readonly found: string } | undefined {
  const [of, version] = [before.class, before.version + 1];
  if (next.class !== of || next.version !== version) {
    const found = `version ${next.version} of ${next.class}`;
    return { expected: `version ${version} of ${of}`, found };
  }
  if (studyVersion(next) < studyVersion(before)) {
    return { expected: `a rule of the type ${before.type}`, found: next.type };
  }
  const [expected, found] = [receiptsText(before), receiptsText(next)];
  return expected === found ? undefined : { expected, found };
}

/** The receipts of a rule as a text that is the same for equal receipts. */
export function receiptsText({ receipts }: ScoreRule): string {
  const { benchmark, benchmark_tolerance_s, void_after_s } = receipts;
  return `receipts ${JSON.stringify({ benchmark, benchmark_tolerance_s, void_after_s })}`;
}

/** `sha256(canonical rule)`. */
export function scoreRuleHash(sha256: Sha256, rule: ScoreRule): HashHex {
  return hashHex(contentHash(sha256, formatWire(rule)));
}

/** The most that `scoreReach` is for any rule. */
export const MAX_SCORE_REACH: number = 2 * MAX_WINDOW + MAX_TOLERANCE;

/** How many ticks before a tick its score can depend on. */
export function scoreReach({ returns, volume }: ScoreRule): number {
  const { window, long, tolerance } = returns;
  return Math.max(window + long + tolerance, volume.day * volume.days);
}
