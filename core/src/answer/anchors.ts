import type { HashHex, Sha256 } from '../hash/hash.ts';
import { checkpointDigest } from '../view/stamp.ts';
import { type AnchorRow, anchorsBack } from '../view/anchors.ts';
import { logRow } from '../view/log.ts';
import { stampsBetween } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';
import { blockPayload, type BlockPayload } from './proof.ts';

/** The most batches of one answer. */
export const LISTED_ANCHORS = 30;

export interface AnchorPayload {
  readonly batch: number;
  readonly state: 'pending' | 'attested';
  /** The entries that it holds, and the checkpoint of `to` entries. */
  readonly from: number;
  readonly to: number;
  readonly root: string;
  /** The digest that is stamped for that checkpoint. Its proof is at `/proof/<digest>`. */
  readonly checkpoint_digest: string;
  /** Leaves of the batch's tree. */
  readonly stamps: number;
  readonly tip: string;
  readonly salt: string;
  readonly stamped_at: string;
  readonly calendars: readonly { readonly uri: string; readonly state: string }[];
  readonly bitcoin: readonly BlockPayload[];
  /** sha256 of the timestamp over the tip, served at `/blob/<sha256>`. */
  readonly proof: string;
  /** The entry that records it, and the number of earlier issues of this batch. */
  readonly seq: number;
  readonly issue: number;
}

export interface AnchorListPayload {
  /** Newest first. */
  readonly batches: readonly AnchorPayload[];
  /** The `before` of the page that follows; null on the last page. */
  readonly next_before: number | null;
}

/** The newest batches, or the newest before batch `before`. */
export function anchorListPayload(
  state: ViewState,
  sha256: Sha256,
  before?: number,
): AnchorListPayload {
  const batches: AnchorPayload[] = [];
  for (const row of anchorsBack(state, before)) {
    batches.push(anchorPayload(state, sha256, row));
    if (batches.length === LISTED_ANCHORS) break;
  }
  const last = batches.at(-1)?.batch ?? 0;
  return { batches, next_before: last > 0 ? last : null };
}

function anchorPayload(state: ViewState, sha256: Sha256, row: AnchorRow): AnchorPayload {
  const { batch, from, to, root } = row;
  const digest: HashHex = checkpointDigest(sha256, logRow(state)?.origin ?? '', to, root);
  return {
    batch,
    state: row.bitcoin.length === 0 ? 'pending' : 'attested',
    from,
    to,
    root,
    checkpoint_digest: digest,
    stamps: stampsBetween(state, from, to).length + 1,
    tip: row.tip,
    salt: row.salt,
    stamped_at: row.stamped_at,
    calendars: row.calendars,
    bitcoin: row.bitcoin.map((block) => blockPayload(block, sha256)),
    proof: row.proof,
    seq: row.seq,
    issue: row.issue,
  };
}
