import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatPrint, type Print, printOf } from '@assay/core/report/print';
import { printPlace } from '@assay/core/view/statements';
import { reportKeyAt } from '@assay/core/view/key/keys';
import type { ReportRow } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';
import { nodeVerifySignature } from '../../platform/node-signature.ts';

/** A print that a report key of a log has signed. */
export interface SignedPrint {
  /** The report key in hex. */
  readonly key: string;
  /** The one place that the print is for. */
  readonly place: string;
  /** The print in hex. */
  readonly message: string;
  readonly signature: string;
}

/** The print of a report of a log if the report key of its time has signed it; undefined otherwise. */
export function signedPrint(
  shown: ViewState,
  { seq, report, signature }: Pick<ReportRow, 'seq' | 'report' | 'signature'>,
  sha256: Sha256,
): SignedPrint | undefined {
  const key = reportKeyAt(shown, seq);
  const print: Print = printOf(sha256, report);
  const message = formatPrint(print);
  const isGood =
    key !== undefined && nodeVerifySignature(parseHex(key, 32), message, parseHex(signature, 64));
  return isGood
    ? { key, place: printPlace(print), message: formatHex(message), signature }
    : undefined;
}
