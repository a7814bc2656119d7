import { contentHash, type HashHex, hashHex as toHex, type Sha256 } from '../hash.ts';
import { Fault } from '../fault.ts';
import { NETWORKS, type Network } from '../network.ts';
import { parseDecimal, type Rounding, ROUNDINGS } from '../rational.ts';
import { parseSourceRequest, type SourceRequest } from '../request.ts';
import {
  array,
  date,
  decimal,
  hashHex,
  i64,
  integer,
  literal,
  object,
  oneOf,
  type Parse,
  string,
} from '../schema.ts';
import { parseTicker, type Ticker } from '../ticker.ts';
import { DAY_SECONDS, type DateText, parseDate } from '../time.ts';
import { formatUtf8 } from '../utf8.ts';
import { formatWire, parseWire, type WireObject, type WireValue } from '../wire.ts';
import { isPeriod, PERIOD_KINDS, type PeriodKind } from './period.ts';
import { parseRelease, type Release } from './release.ts';
import { parseStep, type Step } from './vocabulary.ts';

/** What a source is to a number: `check` is compared and shown, and never counts. */
export const ROLES = ['record', 'mirror', 'custody', 'check'] as const;
export type Role = (typeof ROLES)[number];

/** What a source's terms let the log keep of what was read. */
export const RETAINS = ['bytes', 'hash', 'none'] as const;
export type Retain = (typeof RETAINS)[number];

export const GRADES = ['A', 'B', 'C'] as const;
export type Grade = (typeof GRADES)[number];

export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly retain: Retain;
  readonly request: SourceRequest;
  readonly extract: readonly Step[];
  /** Other places of the same document that must give the same number. */
  readonly checks: readonly Check[];
}

export interface Check {
  readonly name: string;
  readonly extract: readonly Step[];
}

/** How the reads of one period become one integer. */
export interface Aggregate {
  readonly round: Rounding;
  /** `equal`: the record's value, all within `max_dispersion`. `median`: of the reads that count. */
  readonly within: 'equal' | 'median';
  /** Reads that must agree. */
  readonly quorum: number;
  /** Largest less smallest read, in scaled units. */
  readonly max_dispersion: string;
}

export interface Revision {
  readonly settles: 'first_published';
  /** Seconds after the release in which the source may still correct its first print. */
  readonly freeze_after_s: number;
  /** The provider whose series shows later figures: its extract without the last `pick`. */
  readonly provider: string;
}

/** What z is measured against: settlement values before the period, newest `window` of them. */
export interface Baseline {
  readonly window: number;
  readonly min: number;
}

export interface Band {
  readonly name: string;
  /** The smallest z, one decimal, that this band holds. */
  readonly from_z: string;
}

export interface Rights {
  readonly terms_url: string;
  readonly clause: string;
  readonly clause_sha256: HashHex;
  readonly retrieved: DateText;
  readonly level: 'publish' | 'withhold';
  readonly settlement: 'yes' | 'no';
  readonly attribution: string;
}

/** How a question "at least" or "more than" a strike reads a print equal to it. */
export interface Tie {
  readonly op: 'ge' | 'gt';
  readonly text: string;
}

/** The whole of how a number is made. Its hash stands in every report, and on chain. */
export interface Rule {
  readonly spec: 'assay-rule/1';
  /** A development rule is void on a production log: its rights are not established. */
  readonly network: Network;
  readonly ticker: Ticker;
  /** As the API shows and addresses it: `LAYOFFS`, or `jobs`. */
  readonly display: string;
  readonly slug: string;
  readonly version: number;
  /** The first period under this version. */
  readonly applies_from: DateText;
  readonly title: string;
  readonly unit: string;
  readonly format: 'count' | 'usd' | 'percent';
  readonly decimals: number;
  /** The smallest step that the source publishes, in units: spacing for strikes, never a rounding. */
  readonly precision: string;
  readonly period: PeriodKind;
  readonly release: Release;
  readonly source: string;
  readonly providers: readonly Provider[];
  readonly aggregate: Aggregate;
  readonly revision: Revision;
  readonly baseline: Baseline;
  readonly bands: readonly Band[];
  readonly grade: Grade;
  readonly rights: Rights;
  readonly tie: Tie;
}

const identifier = string(1, 64, /^[a-z0-9][a-z0-9-]*$/);
const words = string(1, 400);
/** A band's name, in a rule and in a report. */
export const bandName: Parse<string> = string(1, 32, /^[a-z][a-z_]*$/);
const steps = array(parseStep, 1, 32);

const parseShape: Parse<Rule> = object<Rule>({
  spec: literal('assay-rule/1'),
  network: oneOf(NETWORKS),
  ticker: parseTicker,
  display: string(1, 16, /^[A-Za-z0-9]+$/),
  slug: string(1, 32, /^[a-z0-9-]+$/),
  version: integer(1, 1_000_000),
  applies_from: date,
  title: words,
  unit: string(1, 32),
  format: oneOf(['count', 'usd', 'percent']),
  decimals: integer(0, 18),
  precision: decimal,
  period: oneOf(PERIOD_KINDS),
  release: parseRelease,
  source: words,
  providers: array(
    object<Provider>({
      id: identifier,
      name: words,
      role: oneOf(ROLES),
      retain: oneOf(RETAINS),
      request: parseSourceRequest,
      extract: steps,
      checks: array(object<Check>({ name: identifier, extract: steps }), 0, 8),
    }),
    1,
    16,
  ),
  aggregate: object<Aggregate>({
    round: oneOf(ROUNDINGS),
    within: oneOf(['equal', 'median']),
    quorum: integer(1, 16),
    max_dispersion: i64,
  }),
  revision: object<Revision>({
    settles: literal('first_published'),
    freeze_after_s: integer(0, 30 * DAY_SECONDS),
    provider: identifier,
  }),
  baseline: object<Baseline>({ window: integer(1, 1000), min: integer(1, 1000) }),
  bands: array(
    object<Band>({
      name: bandName,
      from_z: string(3, 6, /^-?(0|[1-9][0-9]{0,2})\.[0-9]$/),
    }),
    1,
    16,
  ),
  grade: oneOf(GRADES),
  rights: object<Rights>({
    terms_url: string(8, 2048, /^https?:\/\/[^\s]+$/),
    clause: string(1, 4000),
    clause_sha256: hashHex,
    retrieved: date,
    level: oneOf(['publish', 'withhold']),
    settlement: oneOf(['yes', 'no']),
    attribution: words,
  }),
  tie: object<Tie>({ op: oneOf(['ge', 'gt']), text: words }),
});

/**
 * A rule, or `malformed` with the place. Beyond the shape it must make sense: the ticker is the
 * display name in capitals, the first period is one, quorum and revision provider exist, bands rise
 * from the bottom, and the clause has its hash.
 */
export function parseRule(sha256: Sha256, value: WireValue, at = 'rule'): Rule {
  const rule = parseShape(value, at);
  const ids = rule.providers.map(({ id }) => id);
  const counted = rule.providers.filter(({ role }) => role !== 'check').length;
  const bands = rule.bands.map(({ from_z: from }) => Number(from.replace('.', '')));
  const moved = rule.release.exceptions.map(({ period }) => period);
  const demands: readonly (readonly [boolean, string, string])[] = [
    [rule.display.toUpperCase() === rule.ticker, 'display', `${rule.ticker} in any case`],
    [isPeriod(rule.period, parseDate(rule.applies_from)), 'applies_from', `a ${rule.period}`],
    [parseDecimal(rule.precision).n > 0n, 'precision', 'above 0'],
    [new Set(moved).size === moved.length, 'release.exceptions', 'each period once'],
    [new Set(ids).size === ids.length, 'providers', 'each id once'],
    [
      rule.providers.filter(({ role }) => role === 'record').length === 1,
      'providers',
      'one record',
    ],
    [rule.aggregate.quorum <= counted, 'aggregate.quorum', `at most ${counted}`],
    [!rule.aggregate.max_dispersion.startsWith('-'), 'aggregate.max_dispersion', 'at least 0'],
    [ids.includes(rule.revision.provider), 'revision.provider', 'the id of a provider'],
    [rule.baseline.min <= rule.baseline.window, 'baseline.min', 'at most the window'],
    [bands[0] === -999, 'bands[0].from_z', '-99.9, the lowest z'],
    [bands.every((z, i) => i === 0 || z > (bands[i - 1] as number)), 'bands', 'rising from_z'],
    [
      toHex(contentHash(sha256, formatUtf8(rule.rights.clause))) === rule.rights.clause_sha256,
      'rights.clause_sha256',
      'the sha256 of the clause',
    ],
  ];
  for (const [holds, place, expected] of demands) {
    if (!holds) throw new Fault('malformed', 'rule', { at: `${at}.${place}`, expected });
  }
  return rule;
}

/** The exact bytes of a rule: what is hashed, stored and served as `canonical`. */
export function formatRule(rule: Rule): Uint8Array {
  return formatWire(rule as unknown as WireObject);
}

/** A rule from its exact bytes. Throws `not_canonical`, `malformed`. */
export function readRule(sha256: Sha256, bytes: Uint8Array): Rule {
  return parseRule(sha256, parseWire(bytes));
}

/** `sha256(canonical rule)`. */
export function ruleHash(sha256: Sha256, rule: Rule): HashHex {
  return toHex(contentHash(sha256, formatRule(rule)));
}
