import { formatBase64 } from '@assay/core/bytes/base64';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import {
  STAMP_POINTS,
  type StampPoint,
  stampedDigest,
} from '@assay/core/answer/terminal/terminal-event';
import { type EventRow, eventRow } from '@assay/core/view/terminal-events';
import { stampedBatch } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import {
  datasetPayload,
  type DatasetPayload,
  type DatasetQuery,
  type DatasetRow,
} from '../terminal/answer/dataset.ts';

/** A record with what stamps it. */
export interface StampedRecord {
  /** The canonical JSON that was hashed. */
  readonly canonical_json: string;
  readonly digest: HashHex;
  readonly bitcoin_height: number | null;
  /** The OpenTimestamps proof, base64; null while it waits for a batch. */
  readonly ots: string | null;
}

export interface FullReceiptsPayload extends Pick<
  DatasetPayload,
  'halted' | 'since' | 'next_offset'
> {
  readonly rows: readonly DatasetRow[];
}

/** The file of a digest; undefined while no batch holds it. Throws where it cannot be read now. */
export type ProofOf = (digest: HashHex) => Promise<Uint8Array | undefined>;

/** The rows of the dataset, each with its records and what stamps them. Throws as `proofOf`. */
export async function fullReceiptsPayload(
  state: ViewState,
  sha256: Sha256,
  asked: DatasetQuery,
  proofOf: ProofOf,
): Promise<FullReceiptsPayload> {
  const { halted, since, rows, next_offset } = datasetPayload(state, asked);
  const full: DatasetRow[] = [];
  for (const row of rows) {
    const id = row['event_id'] as string;
    const event = eventRow(state, id);
    if (event === undefined) throw new Fault('not_found', 'event', { at: id });
    const records: Record<string, StampedRecord | null> = {};
    for (const point of STAMP_POINTS) {
      records[`record_${point}`] = await recordOf(state, sha256, event, point, proofOf);
    }
    full.push({ ...row, ...records } as unknown as DatasetRow);
  }
  return { halted, since, rows: full, next_offset };
}

async function recordOf(
  state: ViewState,
  sha256: Sha256,
  event: EventRow,
  point: StampPoint,
  proofOf: ProofOf,
): Promise<StampedRecord | null> {
  const body = point === 'open' ? event.open.body : event.receipts[point]?.body;
  const digest = stampedDigest(sha256, event, point);
  if (body === undefined || digest === undefined) return null;
  const file = await proofOf(digest);
  return {
    canonical_json: parseUtf8(formatWire(body)),
    digest,
    bitcoin_height: stampedBatch(state, digest)?.anchor.bitcoin[0]?.height ?? null,
    ots: file === undefined ? null : formatBase64(file),
  };
}
