import type { Clocks } from '@assay/core/rule/clocks';
import { decide, formatValue, type Decision } from '@assay/core/report/decide';
import { requirePeriod } from '@assay/core/rule/period';
import { providerGroups, type Rule } from '@assay/core/rule/rule';
import type { ReadFailure } from '@assay/core/rule/value';
import { type DateText, parseDate } from '@assay/core/time/time';
import { systemClock } from '@assay/node/platform/clock';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { parseConfig } from '@assay/node/production/config';
import { makeLogger } from '@assay/node/production/logger';
import { sourceOf } from '@assay/node/production/production';
import { readProviders, type SourceRead } from '@assay/node/round/snapshot-reader';
import { AddressGuard } from '@assay/node/source/address-guard';
import type { Environment } from '../command/command.ts';

/** What the sources of a rule gave, and what the rule makes of it. */
export interface RuleTrial {
  /** A row for each source. */
  readonly rows: readonly (readonly [string, string])[];
  readonly number: { readonly isMade: boolean; readonly text: string };
}

/** Asks the sources of a rule once for a period. Throws `malformed` for a day that is none. */
export async function tryRule(
  rule: Rule,
  day: DateText,
  contact: string,
  environment: Environment,
): Promise<RuleTrial> {
  const period = requirePeriod(rule.period, parseDate(day), rule.display);
  const config = parseConfig({ data: '.', contact }, {}, '.');
  const addresses = new AddressGuard({ network: rule.network, privateHosts: [] });
  const reads = await readProviders(rule, period, {
    source: sourceOf(config, environment, makeLogger('silent'), { addresses }),
    sha256: nodeSha256,
    now: systemClock,
    salt: new Uint8Array(32),
  });
  return { rows: reads.map((each) => rowOf(rule, each)), number: numberOf(rule, day, reads) };
}

function rowOf(rule: Rule, { provider, read, pages }: SourceRead): readonly [string, string] {
  const bytes = pages.reduce((sum, page) => sum + page.bytes.length, 0);
  const came = `${pages.length} page${pages.length === 1 ? '' : 's'}, ${bytes} bytes`;
  const value = read.value === null ? '' : ` ${formatValue(rule, BigInt(read.value))}`;
  const why = read.outcome === 'ok' ? '' : `: ${FAILURES[read.outcome]}`;
  return [provider.id, `${read.outcome}${value}${why} (${provider.role}; ${came})`];
}

/** Why a source gave no number, for people. */
const FAILURES: Readonly<Record<ReadFailure, string>> = {
  malformed: 'what it sent is not what the rule reads',
  not_published: 'it does not have this period, or not yet',
  no_source: 'it says that it has no value for this period',
  superseded: 'it shows a later period already',
  copy_differs: 'the copy is another one than the record',
  check_failed: 'two places of one document disagree',
  out_of_range: 'its value is too large',
  bad_status: 'it answered with an HTTP error',
  unreachable: 'nobody answered',
  timeout: 'it took too long',
  too_large: 'its answer is too large',
  redirect_refused: 'it redirects to a host that the rule does not allow',
};

/** A time at which every clock has run but the deadline, so that the reads alone decide. */
const CLOCKS: Clocks = {
  release: 0,
  frozen: 0,
  firstPrint: 0,
  deadline: Number.POSITIVE_INFINITY,
  seen: null,
};

function numberOf(rule: Rule, period: DateText, reads: readonly SourceRead[]): RuleTrial['number'] {
  const counted = reads.map(({ provider, read }) => ({
    group: provider.group,
    role: provider.role,
    outcome: read.outcome,
    value: read.value === null ? null : BigInt(read.value),
  }));
  const decision = decide(rule, CLOCKS, counted, 1, null);
  if (decision.status === 'final' && decision.value !== null) {
    return { isMade: true, text: `${formatValue(rule, decision.value)}, by the rule` };
  }
  const gave = counted.filter(({ value, role }) => value !== null && role !== 'check').length;
  return { isMade: false, text: `none: ${whyNone(rule, period, decision, gave)}` };
}

function whyNone(rule: Rule, period: DateText, decision: Decision, gave: number): string {
  if (gave === 0) return `no source gave a number for ${period}`;
  const reason = 'reason' in decision ? decision.reason : null;
  if (reason === 'dispersion') return 'the sources differ by more than the rule allows';
  if (reason === 'no_source') return `the sources say that they have no value for ${period}`;
  if (reason === 'out_of_range') return 'the value is too large';
  const { quorum } = rule.aggregate;
  const came = `${gave} source${gave === 1 ? '' : 's'} gave a number for ${period}`;
  const where = providerGroups(rule).size > 1 ? ' in each group' : '';
  return `${came}, and the rule asks for ${quorum}${where}`;
}
