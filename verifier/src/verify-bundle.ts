import { parseBase64 } from '@assay/core/base64';
import { type Bundle, parseBundle, type ProvenEntry } from '@assay/core/bundle';
import { entryBody, scanEntry } from '@assay/core/entry';
import { messageOf } from '@assay/core/fault';
import { type HashHex, hashHex, leafHash, toHash } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { formatPrint, printOf } from '@assay/core/print';
import { formatScaled } from '@assay/core/rational';
import { decide } from '@assay/core/decide';
import { reportHash, type Report } from '@assay/core/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import { isPeriod } from '@assay/core/rule/period';
import { parseDate, parseTime, type TimeText } from '@assay/core/time';
import { verifyInclusion } from '@assay/core/tree';
import { formatUtf8 } from '@assay/core/utf8';
import { EvidenceReader } from './blobs.ts';
import { checkSignatures, openCheckpoint, type OpenCheckpoint } from './checkpoint-check.ts';
import { checkReads, type CheckContext } from './read-check.ts';
import { checkReportSignature } from './report-check.ts';
import { conclude, type Session } from './session.ts';
import { trustKey } from './trust.ts';
import type { NumberFacts, Verdict } from './verdict.ts';

/** An entry that the checkpoint's tree holds, read. */
interface Proven {
  readonly seq: number;
  readonly at: TimeText;
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
    policy.strict,
    environment,
    findings,
    notChecked,
  );
  if (pin !== undefined) {
    notChecked.add(
      'that the log still holds the checkpoint pinned earlier',
      'a bundle carries no proof of that; verify the log for it',
    );
  }
  if (bundle.genesis.seq !== 0) {
    findings.add('genesis_misplaced', 'bundle genesis', 'entry 0', `entry ${bundle.genesis.seq}`);
  }
  const proven = [bundle.genesis, ...bundle.entries].map((entry) => prove(entry, open, session));
  const log = hashHex(leafHash(environment.sha256, genesisBytes));
  const number = await checkNumber(session, bundle, proven, log, trusted.genesis.report_key);
  notChecked.add('the entries between those in the bundle', 'only the whole log shows them');
  notChecked.add(
    'z, band, issue number, and that no other rule or report stands in the log for this period',
    'they follow from the whole log; verify the URL or the folder for them',
  );
  return conclude(session, {
    trusted,
    logId: leafHash(environment.sha256, genesisBytes),
    size: open.checkpoint.size,
    root: open.checkpoint.root,
    number: number ?? null,
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
  tally.entries += 1;
  try {
    verifyInclusion(
      sha256,
      leafHash(sha256, bytes),
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
    return { seq: entry.seq, at: layout.at, known };
  } catch (error) {
    findings.add('entry_malformed', place, 'a canonical entry', messageOf(error));
    return undefined;
  }
}

async function checkNumber(
  session: Session,
  bundle: Bundle,
  proven: readonly (Proven | undefined)[],
  log: HashHex,
  reportKey: string,
): Promise<NumberFacts | undefined> {
  const { findings, notChecked, tally, environment } = session;
  const { sha256 } = environment;
  const whole = proven.flatMap((each) => (each === undefined ? [] : [each]));
  const seqs = whole.map(({ seq }) => seq);
  if (seqs.some((seq, i) => i > 0 && seq <= (seqs[i - 1] as number))) {
    findings.add('entry_out_of_order', 'bundle entries', 'ascending seqs', seqs.join(', '));
  }
  const reports = whole.filter(
    ({ known }) =>
      known.kind === 'report/1' && reportHash(sha256, known.body.report) === bundle.report,
  );
  const [found] = reports;
  if (found?.known.kind !== 'report/1' || whole.length !== proven.length) {
    if (findings.count === 0) {
      findings.add('bundle_incomplete', 'bundle', `the report ${bundle.report}`, 'none such');
    }
    return undefined;
  }
  const place = `report of bundle entry ${found.seq}`;
  const entry = found.known.body;
  const { report } = entry;
  const blobs = new BundleBlobs(bundle);
  const evidence = new EvidenceReader((hash) => blobs.read(hash), environment, findings, tally);
  const context: CheckContext = { findings, notChecked, tally, evidence };
  tally.reports += 1;
  await checkReportSignature(entry, reportKey, place, environment, context);
  checkSections(bundle, entry, reportKey, place, session);
  if (report.log !== log) findings.add('report_log', place, log, report.log);
  if (report.published_at > found.at) {
    findings.add('report_times', place, `published before ${found.at}`, report.published_at);
  }
  const rule = whole.flatMap(({ known, seq }) =>
    known.kind === 'rule/1' &&
    seq < found.seq &&
    ruleHash(sha256, known.body.rule) === report.rule.hash
      ? [known.body.rule]
      : [],
  )[0];
  if (rule === undefined) {
    findings.add('bundle_incomplete', 'bundle', `the rule ${report.rule.hash}`, 'none such');
    return undefined;
  }
  tally.rules += 1;
  await checkAgainstRule(report, rule, place, context);
  const hashes = bundle.blobs.map(({ sha256: hash }) => hash);
  if (hashes.some((hash, i) => i > 0 && hash <= (hashes[i - 1] as string))) {
    findings.add('bundle_malformed', 'bundle blobs', 'ascending hashes, each once', 'others');
  }
  for (const hash of blobs.unused) {
    findings.add(
      'bundle_malformed',
      `bundle blob ${hash}`,
      'a blob that the report needs',
      'another',
    );
  }
  return {
    ticker: rule.display,
    period: report.period,
    status: report.status,
    value: report.value === null ? null : formatScaled(BigInt(report.value), report.decimals),
    unit: rule.unit,
    settleable: report.settleable,
    report_hash: bundle.report,
    rule_hash: report.rule.hash,
    published_at: report.published_at,
  };
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
  const decision = decide(
    rule,
    period,
    report.reads.map(({ role, outcome, value }) => ({
      role,
      outcome,
      value: value === null ? null : BigInt(value),
    })),
    parseTime(report.published_at),
  );
  const expected =
    decision.status === 'wait'
      ? 'wait'
      : `${decision.status} ${decision.reason} ${decision.value} ${decision.dispersion}`;
  const found = `${report.status} ${report.reason} ${report.value} ${report.dispersion}`;
  const settleable = report.status === 'final' && rule.rights.settlement === 'yes';
  if (expected !== found) findings.add('report_not_reproduced', place, expected, found);
  const rest = [settleable, rule.decimals, rule.grade, false].join(' ');
  const stated = [report.settleable, report.decimals, report.grade, report.withheld].join(' ');
  if (rest !== stated) findings.add('report_not_reproduced', place, rest, stated);
  await checkReads(report, rule, period, place, context);
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
