import { formatHex } from '@assay/core/bytes/hex';
import type { Sha256 } from '@assay/core/hash/hash';
import {
  type Held,
  submissionMessage,
  type SubmissionPlace,
  type SubmissionReceipt,
} from '@assay/core/intake/submission-receipt';
import { parseNote } from '@assay/core/log/note';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** What a receipt is about, and the entry that holds it. */
export interface HeldPlace extends SubmissionPlace {
  /** The `seq` of the entry. */
  readonly seq: number;
}

/** The receipt for a submission that the log holds, signed with the report key. */
export async function submissionReceipt(
  sha256: Sha256,
  signer: ReportSigner,
  ledger: Pick<Ledger, 'published'>,
  { seq, ...place }: HeldPlace,
): Promise<SubmissionReceipt> {
  const message = submissionMessage(sha256, place);
  const signature = await signer.sign(message, { of: 'receipt', place });
  return {
    type: 'assay-receipt/1',
    ...place,
    key: formatHex(signer.publicKey),
    signature: formatHex(signature),
    held: heldBy(ledger, seq),
  };
}

/** Who holds an entry now: a second machine if the published checkpoint covers it and has a line besides the log's own. */
export function heldBy({ published }: Pick<Ledger, 'published'>, seq: number): Held {
  if (published === undefined || published.size <= seq) return 'one_disk';
  return parseNote(published.note).signatures.length > 1 ? 'second_machine' : 'one_disk';
}
