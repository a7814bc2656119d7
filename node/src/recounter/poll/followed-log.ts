import type { ForkEvidence } from '@assay/core/proof/evidence';
import { parseEntry } from '@assay/core/log/entry';
import type { NoteKey } from '@assay/core/log/note';
import type { HashHex } from '@assay/core/hash/hash';
import { parseCosign } from '@assay/core/kind/cosign';
import { parseDissent } from '@assay/core/kind/dissent';
import { parseReportEntry } from '@assay/core/kind/report-entry';
import type { Statement } from '@assay/core/report/statement';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import type { LogRecord } from '../../ledger/record.ts';

/** The copy of the publisher's log that a recounter reads. */
export interface FollowedLog extends Pick<LogRecord, 'published' | 'shown' | 'tile'> {
  /** The leaf hash of entry 0; undefined before it is there. */
  readonly log: HashHex | undefined;
  /** The evidence that the publisher's key signed two histories; undefined while it has one. */
  readonly fork: ForkEvidence | undefined;
  /** The checkpoint key that signs a head of `size`. */
  readonly keyOf: (size: number) => NoteKey;
  readonly entry: (seq: number) => Promise<Uint8Array | undefined>;
  /** The keys of a table of the rows, some of which may belong to entries that are not shown yet. */
  readonly rowKeys: (table: string) => AsyncIterable<string>;
}

/** What matters to a recounter in the entries since its last poll. */
export interface NewEntries {
  readonly reports: readonly { readonly ticker: Ticker; readonly period: DateText }[];
  /** The statements of co-signers. */
  readonly words: readonly Statement[];
}

/** Entries `from` to `to` - 1 of a copy, which has checked their form. */
export async function newEntries(
  log: Pick<FollowedLog, 'entry'>,
  from: number,
  to: number,
): Promise<NewEntries> {
  const reports: { readonly ticker: Ticker; readonly period: DateText }[] = [];
  const words: Statement[] = [];
  for (let seq = from; seq < to; seq += 1) {
    const bytes = await log.entry(seq);
    if (bytes === undefined) break;
    const { kind, body } = parseEntry(bytes);
    if (kind === 'report/1') {
      const { ticker, period } = parseReportEntry(body, 'body').report;
      reports.push({ ticker, period });
    } else if (kind === 'cosign/1') words.push(parseCosign(body, 'body').statement);
    else if (kind === 'dissent/1') words.push(parseDissent(body, 'body').statement);
  }
  return { reports, words };
}
