import { clocksOf } from '@assay/core/rule/clocks';
import { draftReport } from '@assay/core/draft';
import { formatHex } from '@assay/core/hex';
import { formatPrint, printOf } from '@assay/core/print';
import type { Report } from '@assay/core/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import { parseDate, parseTime } from '@assay/core/time';
import { newestBlock } from '@assay/core/view/beacons';
import { reportCosigners } from '@assay/core/view/cosigner-sets';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { RoundParts } from '@assay/node/round';
import { readProviders } from '@assay/node/snapshot-reader';
import { REPORT_SIGNER } from './ledger/ledger-fixture.ts';

/**
 * Prints a period under a rule of choice, as a publisher does that holds every key and asks none of its own checks;
 * whether there was anything to print. `on`: the rows that it drafts on, those of the log where there are none. `change`: what it
 * makes of the report before it signs it. `publishedAt`, unix seconds, is what the report says of its time: that of its entry, without.
 */
export async function forcePrint(
  parts: Pick<RoundParts, 'ledger' | 'blobs' | 'source' | 'now'>,
  rule: Rule,
  week: string,
  {
    on = parts.ledger.tip,
    change = (report) => report,
    publishedAt = parseTime(parts.ledger.nextAt),
  }: {
    readonly on?: ViewState;
    readonly change?: (report: Report) => Report;
    readonly publishedAt?: number;
  } = {},
): Promise<boolean> {
  const { ledger, blobs, source, now } = parts;
  const period = parseDate(week);
  const salt = new Uint8Array(32);
  const reads = await readProviders(rule, period, { source, sha256: nodeSha256, now, salt });
  for (const each of reads) for (const bytes of each.blobs) await blobs.put(bytes);
  const log = logRow(ledger.tip)?.log;
  if (log === undefined) throw new TypeError('forcePrint: a log without genesis');
  const draft = draftReport(
    {
      log,
      rule,
      ruleHash: ruleHash(nodeSha256, rule),
      period,
      clocks: clocksOf(rule, period),
      reads: reads.map(({ read }) => read),
      publishedAt,
      cosigners: reportCosigners(ledger.tip, publishedAt),
      after: newestBlock(ledger.tip),
      withheld: null,
    },
    on,
  );
  if (draft.kind !== 'report') return false;
  const report = change(draft.report);
  const signature = formatHex(REPORT_SIGNER.sign(formatPrint(printOf(nodeSha256, report))));
  await ledger.append([{ kind: 'report/1', body: { report, signature } }], ledger.nextSeq);
  return true;
}
