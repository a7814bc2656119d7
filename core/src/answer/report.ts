import type { Sha256 } from '../hash/hash.ts';
import { formatHex } from '../bytes/hex.ts';
import { formatPrint, printOf } from '../report/print.ts';
import type { Report } from '../report/report.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { DateText } from '../time/time.ts';
import { type CosignPayload, cosignPayloads } from './cosign.ts';
import { type FeedPayload, feedPayload } from './onchain.ts';
import { type Quorum, quorumOf } from '../round/quorum.ts';
import { clockEntries } from '../round/period-clocks.ts';
import { proofPayload, type ProofPayload } from './proof.ts';
import { newestBeacon } from '../view/beacons.ts';
import { reportKeyAt } from '../view/key/keys.ts';
import { logRow } from '../view/log.ts';
import { newestPrinted, type ReportRow, reportsOf } from '../view/reports.ts';
import { ruleVersions } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';

export interface ReportPayload {
  readonly report: Report;
  /** sha256 of the report's canonical JSON. */
  readonly hash: string;
  /** The 128 bytes that are signed, hex. */
  readonly print: string;
  /** Ed25519 over `print`, hex. */
  readonly signature: string;
  readonly public_key: string;
  /** The entry of the log that holds it. */
  readonly seq: number;
  /** The entry of the beacon that names the block of the report's `after`; null without one. */
  readonly after_seq: number | null;
  /**
   * The entries that the period's clocks rest on where its number was late. Absent where the schedule sets the clocks,
   * because the settlement files of rules without late numbers do not have it.
   */
  readonly clock_seqs?: readonly number[] | undefined;
  /** Co-signers whose own read gave this number. */
  readonly cosignatures: readonly CosignPayload[];
  readonly dissents: readonly CosignPayload[];
  readonly quorum: Quorum;
  /** The on-chain account that holds the print; null until the chain has finalized it. */
  readonly feed: FeedPayload | null;
  /** What stamps `hash` in Bitcoin; null until a batch holds it. */
  readonly proof: ProofPayload | null;
}

/** The newest report of a period, or of the newest printed period where none is named. */
export function reportPayload(
  state: ViewState,
  ticker: Ticker,
  sha256: Sha256,
  period?: DateText,
): ReportPayload | undefined {
  const wanted = period ?? newestPrinted(state, ticker);
  const log = logRow(state);
  const row = wanted === undefined ? undefined : reportsOf(state, ticker, wanted).at(-1);
  if (row === undefined || log === undefined) return undefined;
  const clocks = clockSeqs(state, row);
  return {
    report: row.report,
    hash: row.hash,
    print: formatHex(formatPrint(printOf(sha256, row.report))),
    signature: row.signature,
    public_key: reportKeyAt(state, row.seq) ?? log.report_key,
    seq: row.seq,
    after_seq: newestBeacon(state, row.seq)?.seq ?? null,
    ...(clocks.length === 0 ? {} : { clock_seqs: clocks }),
    ...cosignPayloads(state, row),
    quorum: quorumOf(state, row),
    feed: feedPayload(state, row.hash),
    proof: proofPayload(state, sha256, row.hash) ?? null,
  };
}

function clockSeqs(state: ViewState, row: ReportRow): readonly number[] {
  const { ticker, rule } = row.report;
  const version = ruleVersions(state, ticker).find(({ hash }) => hash === rule.hash);
  return version === undefined ? [] : clockEntries(state, version, row);
}
