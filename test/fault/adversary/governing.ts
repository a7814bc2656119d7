import { momentsOf, type Moments, releaseOf, type RuleTerms } from './calendar.ts';

/** A version of a rule in the order of its log, and when it was recorded, unix seconds. */
export interface Version<R extends RuleTerms & { readonly applies_from: string }> {
  readonly rule: R;
  readonly at: number;
}

export interface Governing<V> {
  readonly version: V;
  readonly moments: Moments;
  /** The earliest and the latest release that it and the versions which governed before it gave the period. */
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Which version governs a period (docs/spec/rule.md), a second time: of the versions that cover it the newest that was
 * recorded before the earliest release that it or any version before it gave. From the first that came too late on
 * there is none.
 */
export function governing<
  R extends RuleTerms & { readonly applies_from: string },
  V extends Version<R>,
>(versions: readonly V[], period: string): Governing<V> | undefined {
  let found: V | undefined;
  let earliest = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (const version of versions) {
    if (version.rule.applies_from > period) continue;
    const release = releaseOf(version.rule, period);
    const least = Math.min(earliest, release);
    if (version.at >= least) break;
    found = version;
    earliest = least;
    latest = Math.max(latest, release);
  }
  if (found === undefined) return undefined;
  return { version: found, moments: momentsOf(found.rule, period), earliest, latest };
}
