import type { Loose } from '../../src/verifier/fixture/forge.ts';
import { DAY_S, type Moments, momentsOf, type RuleTerms, secondsOf } from './calendar.ts';

/** The log before some entry, as far as the clocks of a period rest on it: read as JSON, in its order. */
export interface Behind {
  readonly entries: readonly { readonly kind: string; readonly body: Loose }[];
  /** The members and the threshold of a set, by its hash; undefined where the log has no such set. */
  readonly set: (hash: string) => Loose | undefined;
  /** The hash of a report, or of a rule. */
  readonly digest: (value: unknown) => string;
}

export interface LateMoments extends Moments {
  /** When a quorum of co-signers saw a late publication, from which the clocks run; null where they run from the release. */
  readonly seen: number | null;
}

/**
 * The clocks of a report that is published at `now`, unix seconds, by docs/spec/rule.md (Late publications), a second time:
 * nothing of core is used.
 */
export function lateMoments(
  rule: RuleTerms & Loose,
  period: string,
  now: number,
  { entries, set, digest }: Behind,
): LateMoments {
  const usual: LateMoments = { ...momentsOf(rule, period), seen: null };
  const { late } = rule.release;
  if (late?.kind !== 'from_publication' || now <= usual.firstPrint) return usual;
  const own = digest(rule);
  const ends = usual.release + (late.within_s as number);
  const provisionals = new Map<string, Loose>();
  const first = new Set<string>();
  const seen = new Map<string, Map<string, number>>();
  let decided: number | undefined;
  for (const { kind, body } of entries) {
    if (kind === 'report/1') {
      const report = body['report'] as Loose;
      const { ticker, rule: named, status, reason } = report;
      if (ticker !== rule['ticker'] || report['period'] !== period || named.hash !== own) continue;
      const inTime = secondsOf(report['published_at'] as string) <= usual.firstPrint;
      if (inTime && (status !== 'provisional' || reason === 'freeze_window')) return usual;
      if (status === 'provisional') provisionals.set(digest(report), report);
    } else if (kind === 'cosign/1' || kind === 'dissent/1') {
      const { report: of, cosigner, own: count } = body['statement'] as Loose;
      const word = `${of} ${cosigner}`;
      if (first.has(word)) continue;
      first.add(word);
      const report = provisionals.get(of as string);
      const hash = report?.['cosigners'].set as string | null | undefined;
      const members = hash == null ? undefined : set(hash);
      if (decided !== undefined || report === undefined || members === undefined) continue;
      if (!(members['cosigners'] as Loose[]).some(({ key }) => key === cosigner)) continue;
      const at = sightedAt(rule, (count?.reads ?? []) as Loose[], usual.release, ends - DAY_S);
      const isOver = secondsOf(report['published_at'] as string) >= ends;
      const those = seen.get(hash as string) ?? new Map<string, number>();
      seen.set(hash as string, those);
      if (at === undefined || isOver || those.has(cosigner as string)) continue;
      those.set(cosigner as string, at);
      if (those.size >= (members['threshold'] as number)) decided = Math.max(...those.values());
    }
  }
  if (decided === undefined) {
    const frozen = Number.POSITIVE_INFINITY;
    return { release: usual.release, frozen, firstPrint: ends - DAY_S, deadline: ends, seen: null };
  }
  if (decided <= usual.firstPrint) return usual;
  const moved = decided - usual.release;
  return {
    release: usual.release,
    frozen: usual.frozen + moved,
    firstPrint: usual.firstPrint + moved,
    deadline: usual.deadline + moved,
    seen: decided,
  };
}

/** The time of the latest of these reads where they show one figure with its quorum; undefined where they do not. */
function sightedAt(
  rule: Loose,
  reads: readonly Loose[],
  release: number,
  until: number,
): number | undefined {
  const times = reads.map(({ read_at: at }) => secondsOf(at as string));
  if (times.length === 0 || Math.min(...times) < release || Math.max(...times) > until) {
    return undefined;
  }
  const roles = new Map((rule['providers'] as Loose[]).map(({ id, role }) => [id, role]));
  const values = reads
    .filter(({ provider, value }) => roles.get(provider) !== 'check' && value !== null)
    .map(({ value }) => value as string);
  const isOne = values.every((each) => each === values[0]);
  return isOne && values.length >= rule['aggregate'].quorum ? Math.max(...times) : undefined;
}
