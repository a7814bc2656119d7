import { formatScaled, parseDecimal, roundScaled } from '../number/rational.ts';
import { clocksOf, lateBounds, lateClocksOf } from '../rule/clocks.ts';
import { governingRule } from '../round/governing.ts';
import type { Rule } from '../rule/rule.ts';
import type { Ticker } from '../rule/ticker.ts';
import { type DateText, formatTime, parseDate, parseTime } from '../time/time.ts';
import { reportCosigners } from '../view/cosigner-sets.ts';
import { isComplete, type PeriodRow, periodsBack } from '../view/periods.ts';
import type { ViewState } from '../view/view.ts';
import { currentRule, nextPeriod } from './index.ts';

/** A market on an index's next print, ready to paste. */
export interface Kit {
  readonly ticker: string;
  readonly title: string;
  /** `development` means that nothing may be settled on it. */
  readonly network: string;
  /** `{strike}` is not filled in. */
  readonly question: string;
  readonly period: string;
  readonly unit: string;
  readonly decimals: number;
  /** Around the newest settlement value, ascending, none of them certain; empty where there is none. */
  readonly strikes: readonly string[];
  readonly strike_step: string;
  readonly tie: { readonly op: 'ge' | 'gt'; readonly text: string };
  readonly settlement: {
    /** The source's scheduled release. */
    readonly release_at: string;
    /** No final is signed before this time, because the source may correct itself until then. */
    readonly final_from: string;
    /** What is not final by this time is void. */
    readonly void_after: string;
    readonly on: string;
    readonly if_void: string;
  };
  readonly reference: { readonly period: string; readonly settlement_value: string } | null;
  readonly rule: { readonly version: number; readonly hash: string };
  readonly source: { readonly name: string; readonly attribution: string };
}

/** The kit of an index, or why it offers none. */
export type Listed = { readonly kit: Kit } | { readonly no_kit: string };

/** Where the files that a kit names are served. This is the node's statement, not the log's. */
export interface KitPlaces {
  /** The report of the period that the kit asks about: 404 until it is signed. */
  readonly report: string;
  /** The index of the newest settlement files, which will hold that period. */
  readonly settlement_index: string;
  /** The same index on another host. */
  readonly mirror: string | null;
  /** The newest settlement file, which holds the kit's reference; it never changes. */
  readonly reference_file: string | null;
  readonly proof: string | null;
  /** Who recounts the print, and what they state about it; null where the log names nobody, or cannot be read. */
  readonly recount: string | null;
  readonly rule: string;
}

/** The kit of an index as it is offered: none of its strikes is certain. */
export function listingOf(state: ViewState, ticker: Ticker): Listed {
  const listed = closedListingOf(state, ticker);
  if ('no_kit' in listed) return listed;
  const { format } =
    governingRule(state, ticker, nextPeriod(state, ticker))?.rule ??
    currentRule(state, ticker).rule;
  return { kit: withOpenStrikes(listed.kit, format) };
}

/** What the strikes of a kit follow from. */
type StruckKit = Pick<Kit, 'strikes' | 'strike_step' | 'decimals' | 'reference'>;

/**
 * A kit whose strikes are open. A count or an amount is never below 0, so that "at least 0" is always a yes. Where the newest
 * value is small beside the rule's step, strikes by that step would begin far above it, and each would be a no.
 * The step is then the largest of 1, 2 and 5 times a power of ten by which as many strikes as the rule asks for lie between
 * 0 and the value. The kits in settlement files have the rule's step, and may begin at 0.
 */
export function withOpenStrikes<K extends StruckKit>(kit: K, format: Rule['format']): K {
  if (format === 'percent') return kit;
  const { decimals, reference } = kit;
  const scaled = (text: string): bigint => roundScaled(parseDecimal(text), decimals, 'half_away');
  const text = (strikes: readonly bigint[]): readonly string[] =>
    strikes.filter((strike) => strike > 0n).map((strike) => formatScaled(strike, decimals));
  const strikes = kit.strikes.map((each) => scaled(each));
  const last = strikes.at(-1);
  const value = reference == null ? 0n : scaled(reference.settlement_value);
  if (last === undefined || value <= 0n) return { ...kit, strikes: text(strikes) };
  const step = scaled(kit.strike_step);
  const count = (last - nearest(value, step)) / step;
  if (value >= (count + 1n) * step) return kit;
  const finer = roundStep(value / (count + 1n));
  if (finer >= step) return { ...kit, strikes: text(strikes) };
  return {
    ...kit,
    strikes: text(multiplesAround(value, finer, Number(count))),
    strike_step: formatScaled(finer, decimals),
  };
}

/** The largest of 1, 2 and 5 times a power of ten that is not above `most`; 1 where there is none. */
function roundStep(most: bigint): bigint {
  let power = 1n;
  while (power * 10n <= most) power *= 10n;
  const factor = [5n, 2n].find((each) => each * power <= most) ?? 1n;
  return factor * power;
}

function nearest(value: bigint, step: bigint): bigint {
  return roundScaled({ n: value, d: step }, 0, 'half_away') * step;
}

/** The multiple of a step that is nearest to a value, and `count` on each side of it, ascending. */
function multiplesAround(value: bigint, step: bigint, count: number): readonly bigint[] {
  const near = nearest(value, step);
  return Array.from({ length: 2 * count + 1 }, (_, i) => near + BigInt(i - count) * step);
}

/**
 * The kit of an index as settlement files have it. A signed Close names the hash of those files and the verifier makes
 * them again, so these bytes never change: strikes may begin at 0.
 */
export function closedListingOf(state: ViewState, ticker: Ticker): Listed {
  const current = currentRule(state, ticker);
  const next = nextPeriod(state, ticker);
  // The market is on the next print, so it settles by the rule of that period.
  const { rule, hash } = governingRule(state, ticker, next) ?? current;
  if (rule.listing.no_kit !== null) return { no_kit: rule.listing.no_kit };
  const settled = newestSettled(state, ticker);
  const value = settled?.[1].settlement_value ?? null;
  const clocks = clocksOf(rule, parseDate(next));
  return {
    kit: {
      ticker: rule.display,
      title: rule.title,
      network: rule.network,
      question: rule.listing.question.replaceAll('{period}', next),
      period: next,
      unit: rule.unit,
      decimals: rule.decimals,
      strikes: value === null ? [] : strikesAround(rule, BigInt(value)),
      strike_step: rule.listing.strike_step,
      tie: rule.tie,
      settlement: {
        release_at: formatTime(clocks.release),
        final_from: formatTime(clocks.frozen),
        void_after: formatTime(lastDeadline(rule, parseDate(next))),
        on:
          `settlement_value of ${rule.display} for ${next}: the first final under rule version ` +
          `${rule.version}, signed by the publisher${cosigned(state, clocks.release)}. Later revisions and ` +
          'corrections do not change it. It settles from when `settleable` of that period is true.',
        if_void:
          'Where the source publishes no number by its deadline the period is void: a signed ' +
          'report says so, and the market has no number to settle on.' +
          (rule.release.late?.kind === 'from_publication' ? LATE_WORDS : ''),
      },
      reference:
        settled === undefined || value === null
          ? null
          : {
              period: settled[0],
              settlement_value: formatScaled(BigInt(value), settled[1].decimals),
            },
      rule: { version: rule.version, hash },
      source: { name: rule.source, attribution: rule.rights.attribution },
    },
  };
}

const LATE_WORDS =
  ' A number that the source publishes late settles as well, by clocks that run from when a quorum of co-signers saw it.';

/**
 * The last time at which a period may still be open, in Unix seconds; for a late number, that of one seen in the last
 * second.
 */
function lastDeadline(rule: Rule, period: number): number {
  const bounds = lateBounds(rule, period);
  if (bounds === undefined) return clocksOf(rule, period).deadline;
  return Math.max(bounds.voidFrom, lateClocksOf(rule, period, bounds.seenBy).deadline);
}

/** Unix seconds from which a kit is no longer offered, because the number that it asks about may be public then. */
export function kitUntil(kit: ReleasedKit): number {
  return parseTime(kit.settlement.release_at);
}

/** The members of a kit that are about its print. */
type ReleasedKit = Pick<Kit, 'ticker' | 'period'> & {
  readonly settlement: Pick<Kit['settlement'], 'release_at'>;
};

/** Why a kit is not offered from its release on. */
export function overdueReason({ ticker, period, settlement }: ReleasedKit): string {
  return `The print of ${ticker} ${period} was due at ${settlement.release_at} and is not there yet.`;
}

/** A text that names who else must have signed a print of the release, at a time in Unix seconds. */
function cosigned(state: ViewState, release: number): string {
  const { required } = reportCosigners(state, release);
  return required === 0 ? '' : ` and by ${required} of its co-signers`;
}

/** The newest complete period with a settlement value. */
function newestSettled(
  state: ViewState,
  ticker: Ticker,
): readonly [DateText, PeriodRow] | undefined {
  for (const each of periodsBack(state, ticker)) {
    if (isComplete(each[1]) && each[1].settlement_value !== null) return each;
  }
  return undefined;
}

/** Multiples of the step around a value; none below 0 where the number is a count or an amount. */
function strikesAround({ decimals, format, listing }: Rule, value: bigint): readonly string[] {
  const step = roundScaled(parseDecimal(listing.strike_step), decimals, 'half_away');
  return multiplesAround(value, step, listing.strikes)
    .filter((strike) => format === 'percent' || strike >= 0n)
    .map((strike) => formatScaled(strike, decimals));
}

/** The answer of `/indices/{ticker}/listing.json`. */
export interface ListingPayload extends Kit {
  readonly where: KitPlaces;
}

export function listingPayload(kit: Kit, where: KitPlaces): ListingPayload {
  return { ...kit, where };
}
