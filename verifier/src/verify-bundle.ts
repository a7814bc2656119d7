import { parseBase64 } from '@assay/core/base64';
import { type Bundle, parseBundle, type ProvenEntry } from '@assay/core/bundle';
import { entryBody, scanEntry } from '@assay/core/entry';
import { messageOf } from '@assay/core/fault';
import { type Hash, type HashHex, hashHex, leafHash, toHash, toHashHex } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { formatPrint, printOf } from '@assay/core/print';
import { formatScaled } from '@assay/core/rational';
import type { Reason } from '@assay/core/decide';
import { decideAgain, decideReads, reportFigures } from '@assay/core/draft';
import { reportHash, type Report } from '@assay/core/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import { isPeriod } from '@assay/core/rule/period';
import { unkeptProvider } from '@assay/core/rule/succession';
import { parseDate, type TimeText } from '@assay/core/time';
import { verifyInclusion } from '@assay/core/tree';
import { formatUtf8 } from '@assay/core/utf8';
import { checkAsked } from './asked-number.ts';
import { EvidenceReader } from './blobs.ts';
import { blockBefore, blockRules, bundleBlocks } from './bundle-blocks.ts';
import { checkSignatures, openCheckpoint, type OpenCheckpoint } from './checkpoint-check.ts';
import { checkAfterBlock, checkBeforeBlock } from './block-time.ts';
import { firstDifference } from './difference.ts';
import type { Findings } from './finding.ts';
import { checkReads, type CheckContext } from './read-check.ts';
import { checkClaims, checkReportSignature, checkTimes, draftInput } from './report-check.ts';
import { conclude, type Session } from './session.ts';
import { checkStamp } from './stamp-check.ts';
import { trustKey } from './trust.ts';
import type { BitcoinFacts, NumberFacts, Verdict } from './verdict.ts';

/** An entry that the checkpoint's tree holds, read. */
interface Proven {
  readonly seq: number;
  readonly at: TimeText;
  readonly leaf: Hash;
  readonly known: KnownBody;
}

/**
 * Checks one number from one file, offline: each entry's inclusion under the signed checkpoint, the
 * rule's hash, the report's signature, and the rule run again on the kept source bytes. What only
 * the whole log can show is listed as not checked.
 */
export async function verifyBundle(session: Session, bytes: Uint8Array): Promise<Verdict> {
  const { findings, notChecked, tally, environment, policy } = session;
  let bundle: Bundle;
  try {
    bundle = parseBundle(bytes);
  } catch (error) {
    findings.add('bundle_malformed', 'bundle', 'an assay-bundle/1', messageOf(error));
    return conclude(session, undefined);
  }
  const open = openCheckpoint(formatUtf8(bundle.checkpoint), findings);
  if (open === undefined) return conclude(session, undefined);
  const genesisBytes = parseBase64(bundle.genesis.bytes);
  const pin = await session.pins(open.checkpoint.origin);
  const trusted = trustKey(genesisBytes, policy, pin, environment, findings);
  if (trusted === undefined) return conclude(session, undefined);
  tally.signatures += await checkSignatures(
    open,
    trusted.key,
    policy,
    environment,
    findings,
    notChecked,
  );
  if (pin !== undefined && pin.size === open.checkpoint.size) {
    const root = hashHex(open.checkpoint.root);
    if (pin.root !== root) {
      findings.add('history_changed', `size ${pin.size}`, `${pin.root}, pinned`, root);
    }
  } else if (pin !== undefined) {
    notChecked.add(
      'that the log still holds the checkpoint pinned earlier',
      'a bundle carries no proof of that; verify the log for it',
    );
  }
  const proven = [bundle.genesis, ...bundle.entries].map((entry) => prove(entry, open, session));
  const log = leafHash(environment.sha256, genesisBytes);
  const found = await checkNumber(session, bundle, proven, hashHex(log), trusted.genesis);
  notChecked.add('the entries between those in the bundle', 'only the whole log shows them');
  notChecked.add(
    'z, band, issue number, what was superseded, and that no other rule or report stands in the log for this period',
    'they follow from the whole log; verify the URL or the folder for them',
  );
  return conclude(session, {
    trusted,
    logId: log,
    size: open.checkpoint.size,
    root: open.checkpoint.root,
    number: found?.number ?? null,
    bitcoin: found?.bitcoin ?? null,
  });
}

/** An entry of the bundle when its proof leads to the checkpoint's root and its body is understood. */
function prove(
  entry: ProvenEntry,
  { checkpoint }: OpenCheckpoint,
  { findings, environment, tally }: Session,
): Proven | undefined {
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
    findings.add('proof_invalid', place, 'a proof to the root', messageOf(error));
    return undefined;
  }
  try {
    const layout = scanEntry(bytes);
    if (layout.seq !== entry.seq) {
      findings.add('entry_out_of_order', place, `seq ${entry.seq}`, `seq ${layout.seq}`);
    }
    const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
    if (known === undefined) {
      findings.add('not_understood', place, 'a kind that this version checks', layout.kind);
      return undefined;
    }
    return { seq: entry.seq, at: layout.at, leaf, known };
  } catch (error) {
    findings.add('entry_malformed', place, 'a canonical entry', messageOf(error));
    return undefined;
  }
}

/** What a bundle is about, and what of it stands in Bitcoin. */
interface FoundNumber {
  readonly number: NumberFacts;
  readonly bitcoin: BitcoinFacts;
}

/** The number of a bundle; undefined with a finding where it cannot be made out at all. */
async function checkNumber(
  session: Session,
  bundle: Bundle,
  proven: readonly (Proven | undefined)[],
  log: HashHex,
  genesis: Genesis,
): Promise<FoundNumber | undefined> {
  const { findings, notChecked, tally, environment } = session;
  const { sha256 } = environment;
  const whole = proven.flatMap((each) => (each === undefined ? [] : [each]));
  // What could not be read has its finding; without it the rest makes no sense.
  if (whole.length !== proven.length) return undefined;
  checkOrder(whole, findings);
  const beacons = whole.flatMap(({ seq, at, known }) =>
    known.kind === 'beacon/1' ? [{ seq, at, body: known.body }] : [],
  );
  const anchors = whole.flatMap(({ seq, known }) =>
    known.kind === 'anchor/1' ? [{ seq, body: known.body }] : [],
  );
  const rest = whole.filter(({ known }) => known.kind !== 'beacon/1' && known.kind !== 'anchor/1');
  const [, ruleEntry, reportEntry, ...others] = rest;
  const given = ruleEntry?.known.kind === 'rule/1' ? ruleEntry.known.body.rule : undefined;
  const entry = reportEntry?.known.kind === 'report/1' ? reportEntry.known.body : undefined;
  // More than the number rests on would be shown beside it as if it had been checked too.
  for (const { seq, known } of others) {
    findings.add('bundle_malformed', `bundle entry ${seq}`, 'the rule and the report', known.kind);
  }
  if (reportEntry === undefined || entry === undefined || given === undefined) {
    const kinds = whole.map(({ known }) => known.kind).join(', ');
    findings.add('bundle_incomplete', 'bundle', 'genesis, rule and report', kinds);
    return undefined;
  }
  const { report } = entry;
  const hash = reportHash(sha256, report);
  if (hash !== bundle.report) {
    findings.add('bundle_incomplete', 'bundle', `the report ${bundle.report}`, hash);
    return undefined;
  }
  const place = `report of bundle entry ${reportEntry.seq}`;
  const blobs = new BundleBlobs(bundle);
  const evidence = new EvidenceReader((blob) => blobs.read(blob), environment, findings, tally);
  const context: CheckContext = { findings, notChecked, tally, evidence };
  tally.reports += 1;
  await checkReportSignature(entry, genesis.report_key, place, environment, context);
  checkSections(bundle, entry, genesis.report_key, place, session);
  if (report.log !== log) findings.add('report_log', place, log, report.log);
  checkClaims(report, given, notChecked);
  const givenHash = ruleHash(sha256, given);
  if (givenHash !== report.rule.hash) {
    findings.add('bundle_incomplete', 'bundle', `the rule ${report.rule.hash}`, givenHash);
    return undefined;
  }
  tally.rules += 1;
  if (session.asked !== undefined) checkAsked(session.asked, report, given, findings);
  if (isPeriod(given.period, parseDate(report.period))) {
    const recorded = { rule: given, at: ruleEntry?.at ?? reportEntry.at };
    checkTimes(report, recorded, reportEntry.at, place, findings);
  }
  const unkept = unkeptProvider(given);
  if (unkept !== undefined) {
    const expected = 'kept bytes of every read that counts';
    const found = `${unkept.id} ${unkept.retain}`;
    findings.add('rule_not_allowed', `bundle entry ${ruleEntry?.seq}`, expected, found);
  }
  if (given.network !== genesis.network) {
    const expected = `a rule of the ${genesis.network} network`;
    findings.add('rule_not_allowed', `bundle entry ${ruleEntry?.seq}`, expected, given.network);
  }
  const rules = blockRules(session, genesis);
  const block = await blockBefore(report, beacons, reportEntry.seq, rules, context);
  const after =
    block === undefined ? report.after : { height: block.height, hash: toHashHex(block.block) };
  await checkAgainstRule(report, given, genesis, after, place, context);
  const recorded = { how: 'recorded', at: reportEntry.at, place };
  const published = { how: 'published', at: report.published_at, place };
  if (block !== undefined) checkAfterBlock(published, block, context);
  const stamp = await checkStamp(
    bundle,
    anchors,
    { origin: genesis.origin, seq: reportEntry.seq, leaf: reportEntry.leaf, at: reportEntry.at },
    rules,
    context,
  );
  for (const holding of stamp?.blocks ?? []) {
    for (const claimed of [recorded, published]) checkBeforeBlock(claimed, holding, context);
  }
  for (const unused of blobs.unused) {
    findings.add('bundle_malformed', `bundle blob ${unused}`, 'a blob that it needs', 'another');
  }
  return {
    number: numberFacts(report, given, hash),
    bitcoin: bundleBlocks(reportEntry.seq, block, stamp, rules, context),
  };
}

function numberFacts(report: Report, rule: Rule, hash: HashHex): NumberFacts {
  return {
    ticker: rule.display,
    period: report.period,
    status: report.status,
    reason: report.reason,
    value: report.value === null ? null : formatScaled(BigInt(report.value), report.decimals),
    unit: rule.unit,
    settleable: report.settleable,
    report_hash: hash,
    rule_hash: report.rule.hash,
    published_at: report.published_at,
  };
}

/** Entries of one log cannot be older than those before them. */
function checkOrder(entries: readonly Proven[], findings: Findings): void {
  let last = entries[0];
  for (const entry of entries) {
    if (last !== undefined && entry.at < last.at) {
      findings.add('time_decreases', `bundle entry ${entry.seq}`, `${last.at} or later`, entry.at);
    }
    last = entry;
  }
}

/** The parts of a bundle that repeat what its entries say: they must say the same. */
function checkSections(
  bundle: Bundle,
  { report, signature }: { readonly report: Report; readonly signature: string },
  reportKey: string,
  place: string,
  { findings, environment }: Session,
): void {
  const print = formatHex(formatPrint(printOf(environment.sha256, report)));
  if (print !== bundle.print) findings.add('print_differs', place, print, bundle.print);
  const [only, ...others] = bundle.signatures;
  if (only?.key !== reportKey || only.signature !== signature || others.length > 0) {
    findings.add(
      'report_bad_signature',
      place,
      `the one signature of the entry, by ${reportKey}`,
      `${bundle.signatures.length} signatures, by ${bundle.signatures.map(({ key }) => key).join(', ')}`,
    );
  }
}

/** What a report must be by its rule and its reads alone, without the rest of the log. */
async function checkAgainstRule(
  report: Report,
  rule: Rule,
  genesis: Genesis,
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
  const corrected = report.status === 'corrected';
  const input = draftInput(report, rule, genesis, after);
  const decision = corrected
    ? decideAgain(input)
    : decideReads(input, report.reads, lastReason(report));
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

/** Why the provisional before was not final, as far as a report without its log shows it. */
function lastReason({ supersedes, status, reason }: Report): Reason | null {
  if (supersedes === null) return null;
  return status === 'void' && (reason === 'no_quorum' || reason === 'dispersion')
    ? reason
    : 'freeze_window';
}

/** The blobs of a bundle, and which of them nothing asked for. */
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
