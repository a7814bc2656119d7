import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { formatTime } from '@assay/core/time/time';
import { REFUSED_ALONE } from '../vendor/tick-source.ts';

/** Statistics of the newest reading of a class, for its concerns. */
export interface TickReading {
  /** The tick's time, unix seconds. */
  readonly ts: number;
  /** Listed assets. */
  readonly asked: number;
  /** Assets with a good price. */
  readonly good: number;
  /** For how many assets each provider has a name. */
  readonly named: ReadonlyMap<string, number>;
  /** Assets for which a provider had no price, and why, by provider. */
  readonly missing: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Listed assets for which no provider has a name. */
  readonly unnamed: readonly string[];
  /** The rule's benchmark if it is not listed. */
  readonly noBenchmark: string | undefined;
}

/** How many assets are listed by symbol in one sentence. */
const TOLD_ASSETS = 5;

/** Sentences for readers; none if all is well. */
export function readingConcerns(of: AssetClass, reading: TickReading): readonly string[] {
  const { ts, asked, good, named, missing, unnamed, noBenchmark } = reading;
  if (asked === 0) return [`No asset of ${of} is listed.`];
  const concerns: string[] = [];
  for (const [provider, names] of named) {
    const why = missing.get(provider) ?? new Map<string, string>();
    if (names === 0) concerns.push(`${provider} has no name for any asset of ${of}.`);
    else if (why.size >= names) {
      concerns.push(`${provider} had no price for ${of}: ${commonest(why)}.`);
    } else if (2 * why.size >= names) {
      const some = `${why.size} of ${names} assets of ${of}`;
      concerns.push(`${provider} had no price for ${some}: ${commonest(why)}.`);
    }
  }
  // If a provider is missing, the sentences before this one say so.
  if (concerns.length === 0 && 2 * good < asked) {
    concerns.push(
      `Of ${asked} assets of ${of} ${good} had a good price at ${formatTime(ts)}: of the others the sources disagree, are too old or too few.`,
    );
  }
  for (const [provider, why] of missing) {
    const refused = [...why].flatMap(([symbol, reason]) =>
      reason === REFUSED_ALONE ? [symbol] : [],
    );
    if (refused.length === 0) continue;
    const some = `${refused.length} of ${named.get(provider) ?? 0} assets of ${of}`;
    concerns.push(`${provider} refuses ${some} by their names: ${namesText(refused)}.`);
  }
  if (unnamed.length > 0) concerns.push(`No source has a name for ${namesText(unnamed)}.`);
  if (noBenchmark !== undefined) {
    concerns.push(`${noBenchmark}, which ${of} is compared with, is not listed.`);
  }
  return concerns;
}

function namesText(symbols: readonly string[]): string {
  const told = symbols.slice(0, TOLD_ASSETS).join(', ');
  const more = symbols.length - TOLD_ASSETS;
  return `${told}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The most common reason. */
function commonest(why: ReadonlyMap<string, string>): string {
  const counts = new Map<string, number>();
  for (const reason of why.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  let [most, found] = [0, 'none'];
  for (const [reason, count] of counts) if (count > most) [most, found] = [count, reason];
  return found;
}
