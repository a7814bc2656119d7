import type { Sha256 } from '@assay/core/hash/hash';
import { eventRow } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { type ProofPayload, proofPayload } from '@assay/core/answer/proof';
import {
  receiptProofUrl,
  stampedDigest,
  type StampPoint,
} from '@assay/core/answer/terminal/terminal-event';

/** What stamps an event as called, or one of its receipts. */
export interface ReceiptProofPayload extends Omit<ProofPayload, 'stamps'> {
  readonly event_id: string;
  readonly horizon: StampPoint;
  readonly symbol: string;
  /** For a comparison with `stamped_at`. */
  readonly opened_at: string;
  /** Null for the event itself, and for a receipt that is void. */
  readonly resolved_at: string | null;
  /** The entry whose canonical body has the digest, and the time that the entry claims. */
  readonly seq: number;
  readonly recorded_at: string;
}

/** Why there is no proof. */
export type NoReceiptProof = 'unknown' | 'not_resolved' | 'unstamped';

export function receiptProofPayload(
  state: ViewState,
  sha256: Sha256,
  id: string,
  horizon: StampPoint,
): ReceiptProofPayload | NoReceiptProof {
  const row = eventRow(state, id);
  if (row === undefined) return 'unknown';
  const digest = stampedDigest(sha256, row, horizon);
  if (digest === undefined) return 'not_resolved';
  const proof = proofPayload(state, sha256, digest);
  if (proof === undefined) return 'unstamped';
  const { stamps, proof_url: _, ...rest } = proof;
  const receipt = horizon === 'open' ? null : row.receipts[horizon];
  return {
    event_id: id,
    horizon,
    symbol: row.open.body.symbol,
    opened_at: row.open.body.opened_at,
    resolved_at: receipt?.body.resolved_at ?? null,
    seq: stamps.seq as number,
    recorded_at: stamps.recorded_at as string,
    ...rest,
    proof_url: receiptProofUrl(id, horizon),
  };
}
