import { parseBase64 } from '@assay/core/bytes/base64';
import { type Bundle, parseBundle, type ProvenEntry } from '@assay/core/proof/bundle';
import { scanEntry } from '@assay/core/log/entry';
import { messageOf } from '@assay/core/fault';
import {
  type HashHex,
  hashHex,
  leafHash,
  type Sha256,
  toHash,
  toHashHex,
} from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import type { ReportEntry } from '@assay/core/kind/report-entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatPrint, printOf } from '@assay/core/report/print';
import { formatScaled } from '@assay/core/number/rational';
import { decideAgain, decideReads, reportFigures } from '@assay/core/round/draft';
import { openBefore } from '@assay/core/round/recount';
import { reportHash, type Report } from '@assay/core/report/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import type { Clocks } from '@assay/core/rule/clocks';
import { isPeriod, shiftPeriod } from '@assay/core/rule/period';
import { slugFault, unkeptProvider } from '@assay/core/round/succession';
import { parseDate } from '@assay/core/time/time';
import { verifyInclusion } from '@assay/core/log/tree';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { cosignsOf } from '@assay/core/view/cosigns';
import { keysOf, type ReportKey } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import { bandOf } from '@assay/core/round/z';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { checkAsked } from './asked-number.ts';
import { EvidenceReader } from '../reader/blobs.ts';
import { checkAccounts } from './bundle/accounts.ts';
import { nameBundleClocks } from './bundle/clocks.ts';
import { checkBundleIndex, firstPrintOf } from './bundle/completeness.ts';
import { checkBundleRules, type ShownRule } from './bundle/rules.ts';
import { blockBefore, blockRules, bundleBlocks } from './bundle/blocks.ts';
import { checkBundleKeys, nameCheckpointKey, nameNewestKey } from './bundle/keys.ts';
import { noBundle } from './bundle/no-bundle.ts';
import {
  type BundleEntry,
  checkRecount,
  type Recounting,
  RECOUNT_KINDS,
} from './bundle/recount.ts';
import { openCheckpoint, type OpenCheckpoint } from '../trust/checkpoint-check.ts';
import { checkAfterBlock, checkBeforeBlock } from '../bitcoin/block-time.ts';
import { ClockCheck } from '../log/clock-check.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Findings } from '../verdict/finding.ts';
import type { Environment } from '../verdict/environment.ts';
import type { KnownPin, Policy } from '../verdict/policy.ts';
import { checkPolicyQuorum, operatorsOf } from '../check/policy-quorum.ts';
import { checkReads, type CheckContext } from '../check/read-check.ts';
import {
  checkClaims,
  checkReportSignature,
  checkTimes,
  draftInput,
} from '../check/report-check.ts';
import { conclude, type Session } from './session.ts';
import { checkStamp } from '../bitcoin/stamp-check.ts';
import { readBody } from '../log/entry-body.ts';
import { isRefereeKind } from '../referee/referee-kinds.ts';
import { isTerminalKind } from '../terminal/terminal-kinds.ts';
import { closingHeadsOf } from './bundle/closing-heads.ts';
import { judgeHead } from '../trust/key-path.ts';
import { type TrustedKey, trustLog } from '../trust/trust.ts';
import type { BitcoinFacts, NumberFacts, QuorumFacts, Verdict } from '../verdict/verdict.ts';
import { checkWitnesses } from '../trust/witness-check.ts';

/**
 * Checks one number from one file, offline: each entry's inclusion under the signed checkpoint, the rule's hash, the
 * report's signature, and the rule run again on the kept source bytes. What only the whole log can show is listed as
 * not checked.
 */
export async function verifyBundle(session: Session, bytes: Uint8Array): Promise<Verdict> {
  const { findings, notChecked, environment, policy, work } = session;
  let bundle: Bundle;
  try {
    bundle = parseBundle(bytes, work);
  } catch (error) {
    return noBundle(session, bytes, error);
  }
  const open = openCheckpoint(formatUtf8(bundle.checkpoint), findings);
  if (open === undefined) return conclude(session, undefined);
  const genesisBytes = parseBase64(bundle.genesis.bytes);
  const pin = await session.pins(open.checkpoint.origin);
  const begun = trustLog(genesisBytes, policy, pin, environment, findings);
  if (begun === undefined) return conclude(session, undefined);
  // What the entries show of the log's keys decides who must have signed the head; it stands before them all the same.
  const ofHead = findings.later();
  const terms = { policy, genesis: begun.genesis, now: session.now };
  const witnesses = await checkWitnesses(open, terms, environment, findings);
  if (pin !== undefined && pin.size === open.checkpoint.size) {
    const root = hashHex(open.checkpoint.root);
    if (pin.root !== root) {
      findings.add('history_changed', `size ${pin.size}`, `${pin.root}, pinned`, root);
    }
  } else if (pin !== undefined) {
    notChecked.add(
      'completeness',
      'that the log still holds the checkpoint pinned earlier',
      'a bundle carries no proof of that; verify the log for it',
      'whole_log',
    );
  }
  if (policy.complete) {
    const expected = 'a whole log, for the policy asks that it be complete';
    findings.add('log_incomplete', 'bundle', expected, 'one number');
  }
  const proven = [bundle.genesis, ...bundle.entries].map((entry) => prove(entry, open, session));
  const log = leafHash(environment.sha256, genesisBytes);
  const keyRows = await checkBundleKeys(
    proven.flatMap((each) => (each === undefined ? [] : [each])),
    hashHex(log),
    environment,
    session,
  );
  const trusted = await judgeBundleHead(session, bundle, open, { begun, keyRows, pin }, ofHead);
  const found = await checkNumber(session, bundle, proven, hashHex(log), begun.genesis, keyRows);
  const index = found?.number.index ?? null;
  if (session.stamped) requireBlock(found?.bitcoin, findings);
  notChecked.add(
    'completeness',
    'the entries of the log that are not in the bundle',
    'only the whole log shows them',
    'whole_log',
  );
  const others = [
    ...(found?.number.versions == null ? ['rule'] : []),
    ...(index === null ? ['report'] : []),
  ].join(' or ');
  notChecked.add(
    'completeness',
    `z, issue number, what was superseded${others === '' ? '' : `, and that no other ${others} is in the log for this period`}`,
    'they follow from the whole log; verify the URL or the folder for them',
    'whole_log',
  );
  if (index !== null) {
    notChecked.add(
      'completeness',
      `that the index entry of ${index.day} lists every print and every rule that the log had, and what came after it`,
      'only the whole log shows them; verify the URL or the folder for them',
      'whole_log',
    );
  }
  return conclude(session, {
    trusted,
    logId: log,
    size: open.checkpoint.size,
    root: open.checkpoint.root,
    number: found?.number ?? null,
    bitcoin: found?.bitcoin ?? null,
    witnesses,
    reportKey: found?.reportKey,
  });
}

/** Judges the head of a bundle by the keys that its entries bring, and by its closing heads. */
async function judgeBundleHead(
  { environment, policy, notChecked, tally }: Session,
  bundle: Bundle,
  open: OpenCheckpoint,
  {
    begun,
    keyRows,
    pin,
  }: {
    readonly begun: TrustedKey;
    readonly keyRows: ViewState;
    readonly pin: KnownPin | undefined;
  },
  findings: Findings,
): Promise<TrustedKey> {
  const { sha256 } = environment;
  const terms = checkpointTerms(keyRows);
  const closing = closingHeadsOf(bundle, open.checkpoint, sha256);
  for (const number of closing.keys()) {
    if (number < terms.length - 1) continue;
    const expected = 'closing heads of keys that its entries replace';
    findings.add('bundle_malformed', `bundle closing head ${number}`, expected, 'another');
  }
  const path = { terms, closing, holdsPin: false };
  const by = { policy, pin };
  const judged = await judgeHead(open, begun, path, by, environment, findings, notChecked);
  tally.signatures += judged.good;
  const { trusted } = judged;
  const isKnown =
    policy.checkpoint_keys.includes(trusted.vkey) || pin?.checkpoint_vkey === trusted.vkey;
  if (trusted.number > 0 && !isKnown) nameCheckpointKey(trusted, notChecked);
  return trusted;
}

/** Requires that a block of the headers given holds the report. */
function requireBlock(bitcoin: BitcoinFacts | undefined, findings: Findings): void {
  const block = bitcoin?.windows[0]?.before ?? null;
  if (block?.trust === 'headers') return;
  const found =
    block === null
      ? 'no block'
      : `block ${block.height}, ${block.doubt ?? 'which is not among those headers'}`;
  findings.add('block_missing', 'bundle', 'a block of the headers given, with the report', found);
}

/** An entry of the bundle, where its proof leads to the checkpoint's root and its body is understood. */
function prove(
  entry: ProvenEntry,
  { checkpoint }: OpenCheckpoint,
  { findings, environment, tally }: Session,
): BundleEntry | undefined {
  const { sha256 } = environment;
  const place = `bundle entry ${entry.seq}`;
  const bytes = parseBase64(entry.bytes);
  const leaf = leafHash(sha256, bytes);
  tally.entries += 1;
  try {
    verifyInclusion(
      sha256,
      leaf,
      entry.seq,
      checkpoint.size,
      entry.proof.map((each) => toHash(parseHex(each, 32))),
      checkpoint.root,
    );
  } catch (error) {
    findings.add(
      'proof_invalid',
      place,
      `the entry ${entry.seq} of the ${checkpoint.size} that the checkpoint signs`,
      `another entry, or another proof of it: ${messageOf(error)}`,
    );
    return undefined;
  }
  try {
    const layout = scanEntry(bytes);
    if (layout.seq !== entry.seq) {
      findings.add('entry_out_of_order', place, `seq ${entry.seq}`, `seq ${layout.seq}`);
    }
    const known = readBody(bodyParser(sha256), bytes, layout, place, findings);
    if (known === undefined) return undefined;
    if (isTerminalKind(known.kind) || isRefereeKind(known.kind)) {
      findings.add('not_understood', place, 'a kind that a bundle can show', layout.kind);
      return undefined;
    }
    return { seq: entry.seq, at: layout.at, leaf, known };
  } catch (error) {
    findings.add('entry_malformed', place, 'a canonical entry', messageOf(error));
    return undefined;
  }
}

/** What a bundle is about, and what Bitcoin shows of it. */
interface FoundNumber {
  readonly number: NumberFacts;
  readonly bitcoin: BitcoinFacts;
  /** The report key in force after the entries, hex. */
  readonly reportKey: string | undefined;
}

/** What the entries of a bundle are to its number. */
interface NumberEntries {
  readonly whole: readonly BundleEntry[];
  /** All reports: the bundle's own, and those that its clocks rest on. */
  readonly reports: readonly BundleEntry[];
  readonly reported: BundleEntry & { readonly body: ReportEntry };
  /** Of the report. */
  readonly hash: HashHex;
  readonly versions: readonly RuleVersion[];
  /** The version that the report names. */
  readonly version: RuleVersion;
}

type RuleVersion = ShownRule & { readonly hash: HashHex };

/** The entries of a bundle by what they are; undefined with a finding where one is missing or one is too many. */
function numberEntries(
  { findings, notChecked, environment, now }: Session,
  bundle: Bundle,
  proven: readonly (BundleEntry | undefined)[],
  network: Genesis['network'],
): NumberEntries | undefined {
  const { sha256 } = environment;
  const whole = proven.flatMap((each) => (each === undefined ? [] : [each]));
  // What could not be read already has its finding, and the rest makes no sense without it.
  if (whole.length !== proven.length) return undefined;
  checkOrder(whole, findings);
  const clock = new ClockCheck(now);
  for (const { at, seq } of whole) clock.note(at, seq);
  clock.finish(network, findings, notChecked);
  const beside = new Set([
    'rule/1',
    'beacon/1',
    'anchor/1',
    'index/1',
    'key/1',
    'key/2',
    ...RECOUNT_KINDS,
  ]);
  const rest = whole.filter(({ known }) => !beside.has(known.kind));
  const isReport = ({ known }: BundleEntry): boolean =>
    known.kind === 'report/1' && reportHash(sha256, known.body.report) === bundle.report;
  const reports = rest.filter(({ known }) => known.kind === 'report/1');
  const reportEntry = reports.find(isReport) ?? reports[0];
  // Other reports are checked with what the clocks of the bundle's own report rest on.
  const others = rest.slice(1).filter(({ known }) => known.kind !== 'report/1');
  const body = reportEntry?.known.kind === 'report/1' ? reportEntry.known.body : undefined;
  const versions = rulesOf(whole, bundle, body?.report, sha256, findings);
  const version = versions.find(({ hash }) => hash === body?.report.rule.hash);
  // Further entries would be shown beside the number as if they had been checked too.
  for (const { seq, known } of others) {
    findings.add('bundle_malformed', `bundle entry ${seq}`, 'the rule and the report', known.kind);
  }
  const isWhole = whole.some(({ known }) => known.kind === 'rule/1');
  if (reportEntry === undefined || body === undefined || !isWhole) {
    const kinds = whole.map(({ known }) => known.kind).join(', ');
    findings.add('bundle_incomplete', 'bundle', 'genesis, rule and report', kinds);
    return undefined;
  }
  const { report } = body;
  const hash = reportHash(sha256, report);
  if (hash !== bundle.report) {
    findings.add('bundle_incomplete', 'bundle', `the report ${bundle.report}`, hash);
    return undefined;
  }
  if (version === undefined) {
    const found = versions.map((each) => each.hash).join(', ') || 'none of its versions';
    findings.add('bundle_incomplete', 'bundle', `the rule ${report.rule.hash}`, found);
    return undefined;
  }
  return { whole, reports, reported: { ...reportEntry, body }, hash, versions, version };
}

/** The number of a bundle; undefined with a finding where it cannot be determined at all. */
async function checkNumber(
  session: Session,
  bundle: Bundle,
  proven: readonly (BundleEntry | undefined)[],
  log: HashHex,
  genesis: Genesis,
  keyRows: ViewState,
): Promise<FoundNumber | undefined> {
  const entries = numberEntries(session, bundle, proven, genesis.network);
  if (entries === undefined) return undefined;
  const { findings, notChecked, tally, environment, work } = session;
  const { sha256 } = environment;
  const { whole, reports, reported, hash, versions } = entries;
  const { rule, at: ruleAt } = entries.version;
  const { report } = reported.body;
  const place = `report of bundle entry ${reported.seq}`;
  const blobs = new BundleBlobs(bundle);
  const evidence = new EvidenceReader(
    (blob) => blobs.read(blob),
    environment,
    findings,
    tally,
    work,
  );
  const context: CheckContext = { findings, notChecked, tally, evidence, work };
  tally.reports += 1;
  const keys = keysOf(keyRows);
  const own = keys.findLast(({ number, seq }) => number === 0 || seq < reported.seq);
  const reportKey = own?.key ?? genesis.report_key;
  await checkReportSignature(reported.body, reportKey, keys, place, environment, context);
  const version = { rule, hash: report.rule.hash };
  const recounted = { seq: reported.seq, leaf: reported.leaf, body: reported.body, version };
  const recounting = await checkRecount(whole, recounted, log, genesis, environment, context);
  nameBundleClocks(recounting.clocks, version, recounting.row, notChecked);
  const others = reports.filter(({ seq }) => seq !== reported.seq);
  await checkOtherReports(others, entries.version, { log, keys, genesis }, environment, context);
  checkSections(bundle, signaturesOf(recounting, reportKey), report, place, session);
  if (report.log !== log) findings.add('report_log', place, log, report.log);
  checkClaims(report, rule, notChecked);
  tally.rules += versions.length;
  if (session.asked !== undefined) checkAsked(session.asked, report, rule, findings);
  if (isPeriod(rule.period, parseDate(report.period))) {
    const recorded = { rule, at: ruleAt };
    checkTimes(report, recorded, reported.at, place, findings);
  }
  checkRuleAlone(entries.version, genesis.network, findings);
  const rules = blockRules(session, genesis);
  const beacons = whole.flatMap(({ seq, at, known }) =>
    known.kind === 'beacon/1' ? [{ seq, at, body: known.body }] : [],
  );
  const block = await blockBefore(report, beacons, reported.seq, rules, context);
  const after =
    block === undefined ? report.after : { height: block.height, hash: toHashHex(block.block) };
  await checkAgainstRule(report, rule, recounting.clocks.clocks, after, place, context);
  const stamp = await checkByBlocks(bundle, entries, { genesis, rules, block }, place, context);
  for (const unused of blobs.unused) {
    findings.add('bundle_malformed', `bundle blob ${unused}`, 'a blob that it needs', 'another');
  }
  checkPolicyQuorum(recounting.quorum, place, session.policy, findings);
  const { index, known } = checkCompleteness(bundle, entries, keyRows, sha256, context);
  const first = known === undefined ? undefined : versions[0]?.rule;
  checkEarlyZ(report, rule, rule.version === 1 ? rule : first, place, findings);
  nameNewestKey(keys, index?.seq, notChecked);
  const account =
    bundle.account === null || !isPeriod(rule.period, parseDate(report.period))
      ? undefined
      : checkAccounts(bundle.account, rule, recounting, sha256, context);
  return {
    number: {
      ...numberFacts(report, rule, hash, recounting.quorum, session.policy),
      quorum: recounting.quorum,
      account: account ?? null,
      index: index ?? null,
      versions: known ?? null,
      governs: known === undefined ? 'not_shown' : 'index',
      first_print: firstPrintOf(report, index, notChecked),
      clocks: recounting.clocks.from,
    },
    bitcoin: bundleBlocks(reported.seq, block, stamp, rules, context),
    reportKey: keys.at(-1)?.key,
  };
}

/** The reports that the clocks of a bundle's own report rest on. */
async function checkOtherReports(
  others: readonly BundleEntry[],
  { rule, at: ruleAt }: RuleVersion,
  {
    log,
    keys,
    genesis,
  }: { readonly log: HashHex; readonly keys: readonly ReportKey[]; readonly genesis: Genesis },
  environment: Environment,
  context: CheckContext,
): Promise<void> {
  const { findings } = context;
  for (const { seq, at, known } of others) {
    if (known.kind !== 'report/1') continue;
    const { body } = known;
    const of = `report of bundle entry ${seq}`;
    const by = keys.findLast(({ number, seq: from }) => number === 0 || from < seq);
    await checkReportSignature(body, by?.key ?? genesis.report_key, keys, of, environment, context);
    if (body.report.log !== log) findings.add('report_log', of, log, body.report.log);
    checkTimes(body.report, { rule, at: ruleAt }, at, of, findings);
  }
}

/** What a rule must not be, whatever the report says. */
function checkRuleAlone(
  { rule, seq }: RuleVersion,
  network: Genesis['network'],
  findings: Findings,
): void {
  const refuse = (expected: string, found: string): void =>
    findings.add('rule_not_allowed', `bundle entry ${seq}`, expected, found);
  const unkept = unkeptProvider(rule);
  if (unkept !== undefined) {
    refuse('kept bytes of every read that counts', `${unkept.id} ${unkept.retain}`);
  }
  const slug = slugFault(rule);
  if (slug !== undefined) refuse(slug.expected, slug.found);
  if (rule.network !== network) refuse(`a rule of the ${network} network`, rule.network);
}

/** Holds the times that a report claims against the block before it and those that hold its stamp. */
async function checkByBlocks(
  bundle: Bundle,
  { whole, reported }: NumberEntries,
  {
    genesis,
    rules,
    block,
  }: {
    readonly genesis: Genesis;
    readonly rules: ReturnType<typeof blockRules>;
    readonly block: Awaited<ReturnType<typeof blockBefore>>;
  },
  place: string,
  context: CheckContext,
): ReturnType<typeof checkStamp> {
  const { report } = reported.body;
  const anchors = whole.flatMap(({ seq, known }) =>
    known.kind === 'anchor/1' ? [{ seq, body: known.body }] : [],
  );
  const recorded = { how: 'recorded', at: reported.at, place };
  const published = { how: 'published', at: report.published_at, place };
  if (block !== undefined) checkAfterBlock(published, block, context);
  const stamp = await checkStamp(
    bundle,
    anchors,
    { origin: genesis.origin, seq: reported.seq, leaf: reported.leaf, at: reported.at },
    rules,
    context,
  );
  for (const holding of stamp?.blocks ?? []) {
    for (const claimed of [recorded, published]) checkBeforeBlock(claimed, holding, context);
  }
  return stamp;
}

/** What a bundle's index entry shows: that the number, and the version of its rule, is the only one. */
function checkCompleteness(
  bundle: Bundle,
  { whole, reported, versions }: NumberEntries,
  keyRows: ViewState,
  sha256: Sha256,
  context: CheckContext,
): {
  readonly index: ReturnType<typeof checkBundleIndex>;
  readonly known: ReturnType<typeof checkBundleRules>;
} {
  const { report } = reported.body;
  const indexes = whole.flatMap(({ seq, at, known }) =>
    known.kind === 'index/1' ? [{ ...known.body, seq, at }] : [],
  );
  const index = checkBundleIndex(
    bundle,
    { indexes, report, reported: reported.seq, keys: keyRows },
    sha256,
    context,
  );
  const known = checkBundleRules(
    {
      report,
      rules: versions,
      index: index === undefined ? undefined : indexes[0],
      proof: bundle.index_proofs[1],
    },
    sha256,
    context,
  );
  return { index, known };
}

/**
 * The rule entries of a bundle, in the order of the log: the report's own, or with a list of its versions all of them.
 */
function rulesOf(
  whole: readonly BundleEntry[],
  { index_proofs: [, list] }: Bundle,
  report: Report | undefined,
  sha256: Sha256,
  findings: Findings,
): readonly (ShownRule & { readonly hash: HashHex })[] {
  const rules = whole.flatMap(({ seq, at, known }) =>
    known.kind === 'rule/1'
      ? [{ seq, at, rule: known.body.rule, hash: ruleHash(sha256, known.body.rule) }]
      : [],
  );
  if (report === undefined) return rules;
  return rules.filter(({ seq, rule, hash }) => {
    const isShown = list === undefined ? hash === report.rule.hash : rule.ticker === report.ticker;
    if (isShown || rules.length === 1) return true;
    const expected = 'the rule and the report, or a list of the versions of its rule';
    findings.add('bundle_malformed', `bundle entry ${seq}`, expected, 'rule/1');
    return false;
  });
}

function numberFacts(
  report: Report,
  rule: Rule,
  hash: HashHex,
  { have, required, cosigners }: QuorumFacts,
  policy: Policy,
): Omit<
  NumberFacts,
  'quorum' | 'account' | 'index' | 'versions' | 'governs' | 'first_print' | 'clocks'
> {
  const operators = operatorsOf(
    policy,
    cosigners.map(({ key }) => key),
  );
  return {
    ticker: rule.display,
    period: report.period,
    status: report.status,
    reason: report.reason,
    value: report.value === null ? null : formatScaled(BigInt(report.value), report.decimals),
    unit: rule.unit,
    settleable: report.settleable,
    settled: report.status === 'final' && report.settleable && have >= required,
    rests_on:
      policy.cosigners_required > 0
        ? 'policy'
        : report.cosigners.set === null
          ? 'publisher'
          : 'bundle',
    policy: { required: policy.cosigners_required, operators },
    corrections: null,
    report_hash: hash,
    rule_hash: report.rule.hash,
    published_at: report.published_at,
  };
}

/** The entries of one log cannot be older than those before them. */
function checkOrder(entries: readonly BundleEntry[], findings: Findings): void {
  let last = entries[0];
  for (const entry of entries) {
    if (last !== undefined && entry.at < last.at) {
      findings.add('time_decreases', `bundle entry ${entry.seq}`, `${last.at} or later`, entry.at);
    }
    last = entry;
  }
}

/** The signatures over a report's print in the bundle's entries: the publisher's, then the co-signers'. */
function signaturesOf({ state, row }: Recounting, reportKey: string): Bundle['signatures'] {
  return [
    { key: reportKey, signature: row.signature },
    ...cosignsOf(state, row.hash).map(({ statement, print_signature: signature }) => ({
      key: statement.cosigner,
      signature,
    })),
  ];
}

/** Checks that the parts of a bundle that repeat its entries agree with them. */
function checkSections(
  bundle: Bundle,
  signatures: Bundle['signatures'],
  report: Report,
  place: string,
  { findings, environment }: Session,
): void {
  const print = formatHex(formatPrint(printOf(environment.sha256, report)));
  if (print !== bundle.print) findings.add('print_differs', place, print, bundle.print);
  const differs = firstDifference(signatures, bundle.signatures);
  if (differs === undefined) return;
  const { path, expected, found } = differs;
  findings.add('report_bad_signature', `bundle signatures${path}`, expected, found);
}

/** Checks what must hold of a report by its rule and its reads alone, without the rest of the log. */
async function checkAgainstRule(
  report: Report,
  rule: Rule,
  clocks: Clocks,
  after: Report['after'],
  place: string,
  context: CheckContext,
): Promise<void> {
  const { findings } = context;
  const period = parseDate(report.period);
  const outside = !isPeriod(rule.period, period) || report.period < rule.applies_from;
  if (outside || rule.ticker !== report.ticker || rule.version !== report.rule.version) {
    findings.add(
      'rule_mismatch',
      place,
      `a ${rule.period} of ${rule.ticker} from ${rule.applies_from} on, version ${rule.version}`,
      `${report.ticker} ${report.period}, version ${report.rule.version}`,
    );
    return;
  }
  checkBand(report, rule, place, findings);
  const corrected = report.status === 'corrected';
  const input = draftInput(report, rule, clocks, report.cosigners, after);
  const decision = corrected
    ? decideAgain(input)
    : decideReads(input, report.reads, openBefore(report));
  if (decision.status === 'wait' || (corrected && decision.status !== 'final')) {
    const expected = 'no such report, by the rule';
    findings.add('report_not_due', place, expected, `a ${report.status} report`);
  } else {
    const { status, reason } = decision;
    const expected = {
      status: corrected ? 'corrected' : status,
      reason,
      settleable: report.status === 'final' && rule.rights.settlement === 'yes',
      ...reportFigures(input, decision, report.reads),
    };
    const found = Object.fromEntries(
      Object.keys(expected).map((name) => [name, report[name as keyof Report]]),
    );
    const difference = firstDifference(expected, found);
    if (difference !== undefined) {
      findings.add(
        'report_not_reproduced',
        `${place}${difference.path}`,
        difference.expected,
        difference.found,
      );
    }
  }
  await checkReads(report, rule, period, place, context);
}

/** Compares the band with the z that it belongs to. */
function checkBand({ z, band }: Report, rule: Rule, place: string, findings: Findings): void {
  const expected = z === null ? null : bandOf(z, rule.bands);
  if (band !== expected) {
    findings.add('report_not_reproduced', `${place}/band`, `${expected}`, `${band}`);
  }
}

/**
 * A z follows from the finals before, which a bundle does not have. There can be none where the index has had too few
 * periods since the first version of its rule. That is the report's own version where it is version 1, and otherwise
 * the first of the list that shows all versions. `first` is undefined where neither is known.
 */
function checkEarlyZ(
  { z, period }: Report,
  rule: Rule,
  first: Rule | undefined,
  place: string,
  findings: Findings,
): void {
  if (z === null || first === undefined || !isPeriod(rule.period, parseDate(period))) return;
  const { min, split } = rule.baseline;
  const step = split === 'weekday' ? 7 : 1;
  const oldest = shiftPeriod(rule.period, parseDate(period), -min * step);
  if (oldest >= parseDate(first.applies_from)) return;
  const found = `${z}, of an index whose first rule applies from ${first.applies_from}`;
  findings.add(
    'report_not_reproduced',
    `${place}/z`,
    `null with under ${min} finals before`,
    found,
  );
}

/** The blobs of a bundle, and which of them were never needed. */
class BundleBlobs {
  readonly #bytes: ReadonlyMap<string, string>;
  readonly #unused: Set<string>;

  constructor({ blobs }: Bundle) {
    this.#bytes = new Map(blobs.map(({ sha256, bytes }) => [sha256, bytes]));
    this.#unused = new Set(this.#bytes.keys());
  }

  get unused(): readonly string[] {
    return [...this.#unused];
  }

  read(hash: HashHex): Promise<Uint8Array | undefined> {
    this.#unused.delete(hash);
    const text = this.#bytes.get(hash);
    return Promise.resolve(text === undefined ? undefined : parseBase64(text));
  }
}
