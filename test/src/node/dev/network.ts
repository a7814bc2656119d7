import { formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { type DevelopmentNetwork, developmentNetwork } from '@assay/node/dev/development-indices';
import { SiteSource } from '@assay/node/dev/site/site-source';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { readProviders, type SourceRead } from '@assay/node/round/snapshot-reader';
import type { Rule } from '@assay/core/rule/rule';

export const NETWORK: DevelopmentNetwork = await developmentNetwork(nodeSha256);

/** A rule of the development network. */
export function ruleOf(display: string, version: number): Rule {
  const rules = NETWORK.indices.flatMap((index) => index.rules);
  const found = rules.find((rule) => rule.display === display && rule.version === version);
  if (found === undefined) throw new TypeError(`no version ${version} of ${display}`);
  return found;
}

/** What all providers of a rule say for a period at a time, through the rule. */
export function readAt(rule: Rule, period: string, time: string): Promise<readonly SourceRead[]> {
  const now = (): number => parseTime(time);
  const source = new SiteSource(NETWORK.sites, now);
  return readProviders(rule, parseDate(period), {
    source,
    sha256: nodeSha256,
    now,
    salt: new Uint8Array(32),
  });
}

export async function said(
  display: string,
  version: number,
  period: string,
  time: string,
): Promise<readonly string[]> {
  const reads = await readAt(ruleOf(display, version), period, time);
  return reads.map(({ read }) => `${read.provider} ${read.outcome} ${read.value ?? ''}`.trim());
}

/** The day after a day, as text. */
export function dayAfter(day: string): string {
  return formatDate(parseDate(day) + 1);
}
