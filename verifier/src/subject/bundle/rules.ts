import type { BundleIndexProof } from '@assay/core/proof/bundle';
import { messageOf } from '@assay/core/fault';
import { type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { soleRuleRoot } from '@assay/core/view/completeness-fold';
import { ruleLeaf } from '@assay/core/completeness/leaf';
import { checkIndexProof } from '@assay/core/completeness/proof';
import { seriesId } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import { coveredTooLate, governingRule } from '@assay/core/round/governing';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import { parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import type { IndexRow } from '@assay/core/view/completeness';
import { newestRule, rulesView } from '@assay/core/view/rules';
import { MemoryViews } from '@assay/core/view/state';
import { firstDifference } from '../../verdict/difference.ts';
import { nameMovedRelease } from '../../check/moved-releases.ts';
import type { CheckContext } from '../../check/read-check.ts';

const PLACE = 'bundle index_proofs';

/** A rule entry of a bundle. */
export interface ShownRule {
  readonly seq: number;
  readonly at: TimeText;
  readonly rule: Rule;
}

/** The versions of its report's rule that a bundle has. */
export interface ShownRules {
  readonly report: Report;
  /** In the order of the log. */
  readonly rules: readonly ShownRule[];
  /** The index entry that its proofs are of, where it has one. */
  readonly index: IndexRow | undefined;
  readonly proof: BundleIndexProof | undefined;
}

/**
 * Checks whether the version that a report names governs its period, by all versions that the log had at the index
 * entry. Returns how many those are. Undefined where the bundle does not show them, which is named, or with a finding.
 */
export function checkBundleRules(
  { report, rules, index, proof }: ShownRules,
  sha256: Sha256,
  context: CheckContext,
): number | undefined {
  const { findings, notChecked } = context;
  const isShown = index !== undefined && isAll({ report, rules, index, proof }, sha256, context);
  if (isShown === undefined) return undefined;
  if (isShown && !isNumbered(rules, context)) return undefined;
  const state = versionsOf(rules, report.log, sha256, context);
  const governing = governingRule(state, report.ticker, report.period);
  if (governing?.hash !== report.rule.hash) {
    const expected =
      governing === undefined
        ? `a version of the rule of ${report.ticker} that governs ${report.period}`
        : `${governing.hash} version ${governing.rule.version}`;
    const found = `${report.rule.hash} version ${report.rule.version}`;
    findings.add('rule_mismatch', `bundle report ${report.period}`, expected, found);
    return undefined;
  }
  nameMovedRelease(report.ticker, parseDate(report.period), governing, notChecked);
  if (isShown) {
    notChecked.add(
      'calendar',
      `that the versions of the rule of ${report.ticker} were recorded at the times of their entries`,
      'the bundle does not have the entries around them, whose times show one that was dated back; verify the URL or the folder for them',
      'whole_log',
    );
    return rules.length;
  }
  notChecked.add(
    'calendar',
    `that no other version of the rule of ${report.ticker} governs ${report.period}`,
    index === undefined
      ? 'the bundle has no index entry that covers the report, and so no list of the versions'
      : 'the bundle has no list of the versions that the log had at its index entry',
    'whole_log',
  );
  return undefined;
}

/**
 * Whether these are all versions that the index entry counts; undefined with a finding where they are not the ones that
 * it lists.
 */
function isAll(
  { report, rules, index, proof }: ShownRules & { readonly index: IndexRow },
  sha256: Sha256,
  { findings, tally }: CheckContext,
): boolean | undefined {
  const place = `bundle entry ${index.seq}`;
  const series = hashHex(seriesId(sha256, report.log, report.ticker));
  const leaves = rules.map(({ rule }) => ruleLeaf(series, rule.version, ruleHash(sha256, rule)));
  if (proof === undefined) {
    if (index.rules.count > 1) return false;
    const [only] = rules;
    const { version } = only?.rule ?? report.rule;
    const sole = soleRuleRoot(sha256, { series, version, hash: report.rule.hash });
    const other = firstDifference({ rules: sole }, { rules: index.rules });
    if (other === undefined) return true;
    const expected = `${other.expected}, as the rule of the bundle makes it`;
    findings.add('index_differs', `${place}${other.path}`, expected, other.found);
    return undefined;
  }
  if (proof.seq !== index.seq) {
    findings.add('index_proof_invalid', PLACE, `rules of entry ${index.seq}`, `entry ${proof.seq}`);
    return undefined;
  }
  let listed: readonly string[];
  try {
    listed = checkIndexProof(sha256, 'rules', index.rules, series, proof);
  } catch (error) {
    const expected = `what leads to the rules of entry ${index.seq}`;
    findings.add('index_proof_invalid', PLACE, expected, messageOf(error));
    return undefined;
  }
  tally.proofs += 1;
  const late = rules.find(({ seq }) => seq >= index.seq);
  if (late === undefined && listed.join() === leaves.join()) return true;
  const expected = `the ${listed.length} versions that it lists`;
  findings.add('index_differs', `${place}/rules`, expected, `${leaves.length} others`);
  return undefined;
}

/** Whether the versions that an index entry lists are all there can be: they must be numbered from 1 without a gap. */
function isNumbered(rules: readonly ShownRule[], { findings }: CheckContext): boolean {
  const gap = rules.findIndex(({ rule }, i) => rule.version !== i + 1);
  const other = rules[gap];
  if (other === undefined) return true;
  const found = `version ${other.rule.version}`;
  findings.add('rule_not_allowed', `bundle entry ${other.seq}`, `version ${gap + 1}`, found);
  return false;
}

/** The rows of the versions, each checked against the calendars of those before it. */
function versionsOf(
  rules: readonly ShownRule[],
  log: HashHex,
  sha256: Sha256,
  { findings }: CheckContext,
): MemoryViews {
  const state = new MemoryViews();
  for (const { seq, at, rule } of rules) {
    const late = coveredTooLate(state, rule, parseTime(at));
    if (late !== undefined) {
      const expected = `periods that no version has released by ${at}`;
      findings.add('rule_not_allowed', `bundle entry ${seq}`, expected, late);
    }
    const entry = { kind: 'rule/1' as const, body: { rule }, seq, at, log };
    state.write(rulesView.apply(entry, state, sha256));
    if (newestRule(state, rule.ticker)?.seq === seq) continue;
    const expected = 'a version whose number and first period rise';
    findings.add('rule_not_allowed', `bundle entry ${seq}`, expected, `version ${rule.version}`);
  }
  return state;
}
