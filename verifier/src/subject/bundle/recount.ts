import { type Hash, hashHex, type HashHex, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { ReportEntry } from '@assay/core/kind/report-entry';
import { clockEntries } from '@assay/core/round/period-clocks';
import { quorumOf } from '@assay/core/round/quorum';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { cosignsOf, cosignsView, dissentsOf } from '@assay/core/view/cosigns';
import {
  cosignerSets,
  cosignerSetsView,
  reportCosigners,
  setByHash,
} from '@assay/core/view/cosigner-sets';
import { keyChangesView } from '@assay/core/view/key/key-changes';
import { logView } from '@assay/core/view/log';
import { type Due, dueBack, onchainView } from '@assay/core/view/onchain';
import type { RuleRow } from '@assay/core/view/rules';
import { type ReportRow, reportsOf, reportsView } from '@assay/core/view/reports';
import { rulesView } from '@assay/core/view/rules';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { checkCosignerSet, checkReportSet } from '../../check/cosigner-set-check.ts';
import { firstDifference } from '../../verdict/difference.ts';
import { type BundleClocks, bundleClocks } from './clocks.ts';
import type { Environment } from '../../verdict/environment.ts';
import { checkPrintEntry } from '../../check/print-check.ts';
import { feedAddresses } from '@assay/core/feed/program-address';
import type { CheckContext } from '../../check/read-check.ts';
import {
  checkStatement,
  checkStatementSignatures,
  type LogBeforeStatement,
} from '../../check/statement-check.ts';
import type { QuorumFacts } from '../../verdict/verdict.ts';

/** An entry of a bundle that is in the checkpoint's tree, parsed. */
export interface BundleEntry {
  readonly seq: number;
  readonly at: TimeText;
  readonly leaf: Hash;
  readonly known: KnownBody;
}

/** Kinds of entries that show who recounts a report, what they found, and where it is on chain. */
export const RECOUNT_KINDS: readonly string[] = ['cosigners/1', 'cosign/1', 'dissent/1', 'print/1'];

/** What a bundle's entries, in their order, show about its report. */
export interface Recounting {
  /** The rows of these entries alone. */
  readonly state: ViewState;
  readonly row: ReportRow;
  readonly quorum: QuorumFacts;
  readonly clocks: BundleClocks;
}

const VIEWS = [
  logView,
  rulesView,
  reportsView,
  cosignerSetsView,
  cosignsView,
  keyChangesView,
  onchainView,
];

/** The report's entry. */
export interface ReportedEntry {
  readonly seq: number;
  readonly leaf: Hash;
  readonly body: ReportEntry;
  /** The version of the rule that it names. */
  readonly version: Pick<RuleRow, 'rule' | 'hash'>;
}

/**
 * Checks the entries of a bundle that are about the recount of its report, by the same checks as for a whole log: the
 * sets of co-signers before the report, its members' statements on it with both signatures, and where it is on chain.
 * `entries` are all entries of the bundle, in their order.
 */
export async function checkRecount(
  entries: readonly BundleEntry[],
  reported: ReportedEntry,
  log: HashHex,
  genesis: Genesis,
  environment: Environment,
  context: CheckContext,
): Promise<Recounting> {
  const { sha256 } = environment;
  const { report } = reported.body;
  const state = new MemoryViews();
  const { version } = reported;
  const rows = (): readonly ReportRow[] => reportsOf(state, report.ticker, report.period);
  const rowNow = (): ReportRow | undefined => rows().find(({ seq }) => seq === reported.seq);
  const logBefore: Omit<LogBeforeStatement, 'rootAt'> = {
    log,
    state,
    reported(hash) {
      const row = rows().find((each) => each.hash === hash);
      const entry = entries.find(({ seq }) => seq === row?.seq);
      if (row === undefined || entry === undefined) return undefined;
      return { seq: row.seq, leaf: hashHex(entry.leaf), row };
    },
    clocks(hash) {
      const row = rowNow();
      return row?.hash === hash ? bundleClocks(state, version, row).clocks : undefined;
    },
  };
  const addresses = feedAddresses(sha256, genesis);
  const due = (digest: string): Due | undefined =>
    [...dueBack(state)].find((each) => each.digest === digest);
  for (const { seq, at, known } of entries) {
    const place = `bundle entry ${seq}`;
    switch (known.kind) {
      case 'cosigners/1':
        checkCosignerSet(known.body, at, place, genesis, state, sha256, context.findings);
        break;
      case 'cosign/1':
      case 'dissent/1': {
        // A bundle has no proof between its head and another, so the head that a statement names is taken as it is.
        const { root } = known.body.statement.head;
        const named = { ...logBefore, rootAt: () => toHash(parseHex(root, 32)) };
        const found = checkStatement(known, seq, at, place, named, sha256, context);
        await checkStatementSignatures(known, found, place, environment, context);
        break;
      }
      case 'print/1':
        checkPrintEntry(known.body, at, place, { state, addresses, due }, context);
        break;
      default:
        break;
    }
    for (const view of VIEWS) state.write(view.apply({ ...known, seq, at, log }, state, sha256));
  }
  const row = rowNow();
  if (row === undefined) throw new TypeError('checkRecount: no report among the entries');
  checkNamedSet(reported, state, context);
  for (const { seq, at, known } of entries) {
    if (known.kind !== 'report/1') continue;
    const { report: each } = known.body;
    checkReportSet(each, { seq, at }, `report of bundle entry ${seq}`, state, context.findings);
  }
  checkBeside(entries, row, state, version, context);
  return { state, row, quorum: quorumFacts(state, row), clocks: bundleClocks(state, version, row) };
}

/** Checks that a bundle has exactly those other reports of the period that the clocks of its own report rest on. */
function checkBeside(
  entries: readonly BundleEntry[],
  row: ReportRow,
  state: ViewState,
  version: ReportedEntry['version'],
  { findings }: CheckContext,
): void {
  const needed = new Set(clockEntries(state, version, row));
  for (const { seq, known } of entries) {
    const isOther =
      (known.kind === 'report/1' && seq !== row.seq) ||
      ((known.kind === 'cosign/1' || known.kind === 'dissent/1') &&
        known.body.statement.report !== row.hash);
    if (isOther && !needed.has(seq)) {
      const expected = 'the rule and the report, and what its clocks rest on';
      findings.add('bundle_malformed', `bundle entry ${seq}`, expected, known.kind);
    }
    if (known.kind !== 'report/1' || seq === row.seq) continue;
    const { cosigners, published_at: published } = known.body.report;
    const differs = firstDifference(reportCosigners(state, parseTime(published)), cosigners);
    if (differs === undefined) continue;
    const place = `report of bundle entry ${seq}/cosigners${differs.path}`;
    findings.add('report_not_reproduced', place, differs.expected, differs.found);
  }
}

/** Checks that the report names the newest set before it that was in force. */
function checkNamedSet(
  { seq, body: { report } }: ReportedEntry,
  state: ViewState,
  { findings, notChecked }: CheckContext,
): void {
  const { cosigners, published_at: published } = report;
  const last = cosignerSets(state).at(-1);
  if (cosigners.set !== null && setByHash(state, cosigners.set) === undefined) {
    const expected = `the set ${cosigners.set}`;
    findings.add('bundle_incomplete', 'bundle', expected, last?.hash ?? 'none');
    return;
  }
  const place = `report of bundle entry ${seq}`;
  const differs = firstDifference(reportCosigners(state, parseTime(published)), cosigners);
  if (differs !== undefined) {
    const { path, expected, found } = differs;
    findings.add('report_not_reproduced', `${place}/cosigners${path}`, expected, found);
  }
  if (last !== undefined && last.seq > seq) {
    const expected = 'no set after the report';
    findings.add('bundle_malformed', `bundle entry ${last.seq}`, expected, last.hash);
  }
  if (cosigners.set === null) {
    notChecked.add(
      'quorum',
      'whether co-signers were in force when the report was published: it names none',
      'the whole log shows its sets; verify the URL or the folder for them',
      'whole_log',
    );
    return;
  }
  notChecked.add(
    'quorum',
    'the heads that co-signers name, and sets and statements that the bundle leaves out',
    'the whole log shows them; verify the URL or the folder for them',
    'whole_log',
  );
}

/** Which members of the set that a report names agreed with it, and which dissented. */
export function quorumFacts(state: ViewState, row: ReportRow): QuorumFacts {
  const { required, have } = quorumOf(state, row);
  const { set } = row.report.cosigners;
  const members = (set === null ? undefined : setByHash(state, set))?.cosigners ?? [];
  const isMember = (key: string): boolean => members.some((member) => member.key === key);
  const agreed = cosignsOf(state, row.hash).map(({ statement }) => statement.cosigner);
  const dissents = dissentsOf(state, row.hash).map(({ statement }) => statement.cosigner);
  return {
    required,
    have,
    cosigners: agreed.flatMap((key) => members.filter((member) => member.key === key)),
    dissents: dissents.filter(isMember).length,
  };
}
