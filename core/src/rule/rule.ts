import { contentHash, type HashHex, hashHex as toHex, type Sha256 } from '../hash/hash.ts';
import { Fault } from '../fault.ts';
import { NETWORKS, type Network } from '../network.ts';
import { canPage } from './paging.ts';
import { parseDecimal, type Rounding, ROUNDINGS } from '../number/rational.ts';
import { parseSourceRequest, type SourceRequest } from '../source/request.ts';
import {
  array,
  date,
  decimal,
  hashHex,
  i64,
  integer,
  isObject,
  literal,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';
import { parseTicker, type Ticker } from './ticker.ts';
import { DAY_SECONDS, type DateText, parseDate } from '../time/time.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { formatWire, parseWire, type WireValue, wire } from '../wire/wire.ts';
import { fillRequest, wrongVariable } from './fill.ts';
import { isPeriod, PERIOD_KINDS, type PeriodKind } from './period.ts';
import { parseRelease, parseReleaseWithLate, type Release } from './release.ts';
import { clocksOf, lateBounds } from './clocks.ts';
import { parseStep, type Step } from './vocabulary.ts';

/** The role of a source for a number. A `check` is compared and shown, and never counts. */
export const ROLES = ['record', 'mirror', 'custody', 'check'] as const;
export type Role = (typeof ROLES)[number];

/** What the terms of a source let the log keep of what was read. */
export const RETAINS = ['bytes', 'hash', 'none'] as const;
export type Retain = (typeof RETAINS)[number];

/**
 * What turns an answer into text before the rule begins: nothing, the text layer of a PDF, or the instructions of the
 * Solana transactions that the answer lists.
 */
export const TEXTS = ['none', 'pdf', 'solana_instructions'] as const;
export type TextKind = (typeof TEXTS)[number];

export const GRADES = ['A', 'B', 'C'] as const;
export type Grade = (typeof GRADES)[number];

export interface Provider {
  readonly id: string;
  readonly name: string;
  /** Providers of one population. Reads are compared within a group. */
  readonly group: string;
  readonly role: Role;
  readonly retain: Retain;
  readonly request: SourceRequest;
  readonly text: TextKind;
  readonly extract: readonly Step[];
  /** Other places in the same document that must have the same number. */
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
  /** `sum`: each group is a population of its own, and the number is their sum. */
  readonly across: 'single' | 'sum';
  /** How many reads of each group must agree. */
  readonly quorum: number;
  /** The largest read of a group minus the smallest, in scaled units. */
  readonly max_dispersion: string;
}

export interface Revision {
  readonly settles: 'first_published';
  /** Seconds after the release in which the source may still correct its first print. */
  readonly freeze_after_s: number;
  /** The provider whose series shows later figures: its extract without the last `pick`. Null if none does. */
  readonly provider: string | null;
}

/** What z is computed from: the newest `window` settlement values before the period. */
export interface Baseline {
  readonly window: number;
  readonly min: number;
  /** `weekday`: only those of the same day of the week. */
  readonly split: 'none' | 'weekday';
}

export interface Band {
  readonly name: string;
  /** The smallest z in this band, with one decimal. */
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

/** How a question of "at least" or "more than" a strike treats a print equal to it. */
export interface Tie {
  readonly op: 'ge' | 'gt';
  readonly text: string;
}

/** A market on the next print, ready to paste, or the reason why none is offered. */
export interface Listing {
  readonly no_kit: string | null;
  /** Holds `{period}` and `{strike}`. */
  readonly question: string;
  /** Distance between two strikes, in units. */
  readonly strike_step: string;
  /** Strikes on each side of the one nearest to the newest value. */
  readonly strikes: number;
}

/** The versions of the rule format. */
export const RULE_SPECS = ['assay-rule/1', 'assay-rule/2'] as const;

/** The complete definition of how a number is made. Its hash is in every report, and on chain. */
export interface Rule {
  /** The two differ only in `release.late`, which only the second has. */
  readonly spec: (typeof RULE_SPECS)[number];
  /** A development rule is void on a production log, because the rights to its data are not established. */
  readonly network: Network;
  readonly ticker: Ticker;
  /** The name by which the API shows and addresses it: `LAYOFFS`, or `jobs`. */
  readonly display: string;
  readonly slug: string;
  readonly version: number;
  /** The first period under this version. */
  readonly applies_from: DateText;
  readonly title: string;
  readonly unit: string;
  readonly format: 'count' | 'usd' | 'percent';
  readonly decimals: number;
  /** The smallest step that the source publishes, in units. It spaces strikes and never rounds. */
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
  readonly listing: Listing;
}

const identifier = string(1, 64, /^[a-z0-9][a-z0-9-]*$/);
const words = string(1, 400);
/** A band's name, in a rule and in a report. */
export const bandName: Parse<string> = string(1, 32, /^[a-z][a-z_]*$/);
const steps = array(parseStep, 1, 32);

const SHAPE = {
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
      group: identifier,
      role: oneOf(ROLES),
      retain: oneOf(RETAINS),
      request: parseSourceRequest,
      text: oneOf(TEXTS),
      extract: steps,
      checks: array(object<Check>({ name: identifier, extract: steps }), 0, 8),
    }),
    1,
    16,
  ),
  aggregate: object<Aggregate>({
    round: oneOf(ROUNDINGS),
    within: oneOf(['equal', 'median']),
    across: oneOf(['single', 'sum']),
    quorum: integer(1, 16),
    max_dispersion: i64,
  }),
  revision: object<Revision>({
    settles: literal('first_published'),
    freeze_after_s: integer(0, 30 * DAY_SECONDS),
    provider: nullable(identifier),
  }),
  baseline: object<Baseline>({
    window: integer(1, 1000),
    min: integer(1, 1000),
    split: oneOf(['none', 'weekday']),
  }),
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
  listing: object<Listing>({
    no_kit: nullable(words),
    question: words,
    strike_step: decimal,
    strikes: integer(0, 20),
  }),
};

const parseFirstShape: Parse<Rule> = object<Rule>(SHAPE);
const parseSecondShape: Parse<Rule> = object<Rule>({
  ...SHAPE,
  spec: literal('assay-rule/2'),
  release: parseReleaseWithLate,
});

const parseShape: Parse<Rule> = (value, at) => {
  const isSecond = isObject(value) && value['spec'] === 'assay-rule/2';
  return (isSecond ? parseSecondShape : parseFirstShape)(value, at);
};

/**
 * Whether `name` names the index: its ticker, in any letter case. A slug is not accepted here, because whoever sees
 * less than the whole log cannot tell whether it is the ticker of another index.
 */
export function isNamed({ ticker }: Pick<Rule, 'ticker'>, name: string): boolean {
  return name.toUpperCase() === ticker;
}

/**
 * Parses a rule. Throws `malformed` with the place. Beyond its shape a rule must be consistent. The ticker is
 * the display name in capitals, the first period is one of the index, every group has its record and its
 * quorum, the revision provider exists, bands rise from the bottom, and the clause has its hash. What its terms
 * withhold is not stored, revised or settled anywhere.
 */
export function parseRule(sha256: Sha256, value: WireValue, at = 'rule'): Rule {
  const rule = parseShape(value, at);
  const demands = [
    ...timeDemands(rule),
    ...providerDemands(rule),
    ...valueDemands(rule),
    ...rightsDemands(rule, sha256),
  ];
  for (const [holds, place, expected] of demands) {
    if (!holds) throw new Fault('malformed', 'rule', { at: `${at}.${place}`, expected });
  }
  return rule;
}

/** What must hold of a rule: whether it does, where, and what is expected there. */
type Demand = readonly [holds: boolean, place: string, expected: string];

/** Demands on the names, the periods and the times of a rule. */
function timeDemands(rule: Rule): readonly Demand[] {
  const { release, revision, rights } = rule;
  const withheld = rights.level === 'withhold';
  const moved = release.exceptions.map(({ period }) => period);
  const first = parseDate(rule.applies_from);
  const late = lateBounds(rule, first);
  return [
    [rule.display.toUpperCase() === rule.ticker, 'display', `${rule.ticker} in any case`],
    [rule.slug !== 'close', 'slug', 'not close, which names the daily freeze'],
    [isPeriod(rule.period, parseDate(rule.applies_from)), 'applies_from', `a ${rule.period}`],
    [parseDecimal(rule.precision).n > 0n, 'precision', 'above 0'],
    [new Set(moved).size === moved.length, 'release.exceptions', 'each period once'],
    [
      release.first_print_within_s >= revision.freeze_after_s,
      'release.first_print_within_s',
      'at least the freeze window',
    ],
    [
      late === undefined || late.seenBy > clocksOf(rule, first).firstPrint,
      'release.late.within_s',
      'at least a day more than the time for first prints',
    ],
    [
      late === undefined || late.voidFrom >= clocksOf(rule, first).deadline,
      'release.late.within_s',
      'at least the deadline',
    ],
    [
      late === undefined || !withheld,
      'release.late',
      'void where the level is withheld, for nobody else can say when it was published',
    ],
  ];
}

/** Demands on who is asked, and how. */
function providerDemands(rule: Rule): readonly Demand[] {
  const ids = rule.providers.map(({ id }) => id);
  const groups = [...providerGroups(rule).values()];
  const first = parseDate(rule.applies_from);
  const wrong = firstWrongVariable(wire(rule.providers));
  return [
    [new Set(ids).size === ids.length, 'providers', 'each id once'],
    [wrong === undefined, 'providers', `a variable that there is, not ${wrong}`],
    [
      rule.providers.every(({ request }) => canPage(fillRequest(request, first, rule))),
      'providers',
      'paging that the request can carry',
    ],
    [
      rule.providers.every(
        ({ text, request: { paging } }) =>
          text !== 'solana_instructions' || (paging.kind === 'cursor' && paging.until !== null),
      ),
      'providers',
      'solana_instructions of a list that goes back to a time',
    ],
    [
      rule.providers.every(
        ({ text, request: { paging } }) => text !== 'pdf' || paging.kind === 'none',
      ),
      'providers',
      'a PDF on one page',
    ],
    [
      groups.every((group) => group.filter(({ role }) => role === 'record').length === 1),
      'providers',
      'one record in each group',
    ],
  ];
}

/** Demands on how the value follows, how it is revised, and the z and the bands. */
function valueDemands(rule: Rule): readonly Demand[] {
  const { aggregate, baseline, revision } = rule;
  const ids = rule.providers.map(({ id }) => id);
  const groups = [...providerGroups(rule).values()];
  const counted = Math.min(
    ...groups.map((group) => group.filter(({ role }) => role !== 'check').length),
  );
  const bands = rule.bands.map(({ from_z: from }) => Number(from.replace('.', '')));
  return [
    [
      (aggregate.across === 'sum') === groups.length > 1,
      'aggregate.across',
      'sum exactly where there are several groups',
    ],
    [aggregate.quorum <= counted, 'aggregate.quorum', `at most ${counted}`],
    [!aggregate.max_dispersion.startsWith('-'), 'aggregate.max_dispersion', 'at least 0'],
    [
      revision.provider === null || ids.includes(revision.provider),
      'revision.provider',
      'the id of a provider, or null',
    ],
    [
      revision.provider === null || aggregate.across === 'single',
      'revision.provider',
      'null where groups are summed',
    ],
    [
      rule.providers.every(({ id, role }) => id !== revision.provider || role !== 'custody'),
      'revision.provider',
      'no custody copy',
    ],
    [baseline.min <= baseline.window, 'baseline.min', 'at most the window'],
    [
      baseline.split === 'none' || rule.period === 'utc_day',
      'baseline.split',
      'none where periods are no days',
    ],
    [bands[0] === -999, 'bands[0].from_z', '-99.9, the lowest z'],
    [bands.every((z, i) => i === 0 || z > (bands[i - 1] as number)), 'bands', 'rising from_z'],
  ];
}

/** Demands on what the terms allow, and on the market that is offered. */
function rightsDemands(rule: Rule, sha256: Sha256): readonly Demand[] {
  const { listing, revision, rights } = rule;
  const withheld = rights.level === 'withhold';
  return [
    [
      toHex(contentHash(sha256, formatUtf8(rights.clause))) === rights.clause_sha256,
      'rights.clause_sha256',
      'the sha256 of the clause',
    ],
    [
      !withheld || (rule.grade === 'C' && rights.settlement === 'no' && listing.no_kit !== null),
      'rights.level',
      'withheld with grade C, no settlement and no kit',
    ],
    [
      !withheld || (revision.provider === null && revision.freeze_after_s === 0),
      'revision',
      'no provider and no freeze window where the level is withheld',
    ],
    [
      !withheld || rule.providers.every(({ retain }) => retain === 'none'),
      'providers',
      'nothing kept where the level is withheld',
    ],
    [
      rule.providers.every(({ role, retain }) => role !== 'custody' || retain !== 'none'),
      'providers',
      'a custody copy whose manifest can be compared',
    ],
    [
      parseDecimal(listing.strike_step).n > 0n &&
        10n ** BigInt(rule.decimals) % parseDecimal(listing.strike_step).d === 0n,
      'listing.strike_step',
      `above 0, of at most ${rule.decimals} decimals`,
    ],
    [
      listing.question.includes('{strike}') && listing.question.includes('{period}'),
      'listing.question',
      '{strike} and {period}',
    ],
  ];
}

/** The first text in a request or a step that looks like a variable and is not one. */
function firstWrongVariable(value: WireValue): string | undefined {
  if (typeof value === 'string') return wrongVariable(value);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const each of Object.values(value)) {
    const wrong = firstWrongVariable(each);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** The providers of each population, in the order of the rule. */
export function providerGroups({ providers }: Rule): ReadonlyMap<string, readonly Provider[]> {
  const groups = new Map<string, Provider[]>();
  for (const provider of providers) {
    const group = groups.get(provider.group);
    if (group === undefined) groups.set(provider.group, [provider]);
    else group.push(provider);
  }
  return groups;
}

/** Whether the terms keep the level out of everything that is published. */
export function isWithheld({ rights }: Rule): boolean {
  return rights.level === 'withhold';
}

/** The exact bytes of a rule, which are hashed, stored and served as `canonical`. */
export function formatRule(rule: Rule): Uint8Array {
  return formatWire(rule);
}

/** A rule from its exact bytes. Throws `not_canonical`, `malformed`. */
export function readRule(sha256: Sha256, bytes: Uint8Array): Rule {
  return parseRule(sha256, parseWire(bytes));
}

/** `sha256(canonical rule)`. */
export function ruleHash(sha256: Sha256, rule: Rule): HashHex {
  return toHex(contentHash(sha256, formatRule(rule)));
}
