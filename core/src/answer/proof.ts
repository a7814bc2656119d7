import { blockId, headerHash, parseHeader } from '../bitcoin/header.ts';
import type { HashHex, Sha256 } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import type { AnchorBlock } from '../kind/anchor.ts';
import type { Stamped } from '../view/stamp.ts';
import { dateOf, formatTime } from '../time/time.ts';
import { newestBeacon } from '../view/beacons.ts';
import { stampedBatch } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';

/** Where the proofs are served: `/proof/<digest>`, with `?format=ots` for the file. */
export const PROOF_PATH = '/proof';

/** A Bitcoin block in the payloads. */
export interface BlockPayload {
  readonly height: number;
  /** Block id as explorers show it. */
  readonly hash: string;
  /** The time that the miner gave, correct to about two hours. */
  readonly time: string;
}

/** What stamps a digest, and the state of the stamp. */
export interface ProofPayload {
  readonly digest: string;
  readonly stamps: {
    readonly of: Stamped;
    /** The entry that holds the record; null for a checkpoint. */
    readonly seq: number | null;
    /** Entries that the checkpoint covers; null for a record. */
    readonly size: number | null;
    /** The time that the entry claims; null for a checkpoint. */
    readonly recorded_at: string | null;
  };
  readonly state: 'pending' | 'attested';
  readonly stamped_at: string;
  readonly bitcoin_height: number | null;
  /** The lowest block that holds it, so it existed before that block was mined. */
  readonly before: BlockPayload | null;
  /** The newest block that the log names before it, so it was added to the log after that block was mined. */
  readonly after: BlockPayload | null;
  readonly calendars: readonly { readonly uri: string; readonly state: string }[];
  readonly batch: number;
  /** The entry that records it. */
  readonly anchor_seq: number;
  readonly proof_url: string;
}

/** The proof of a digest; undefined while no batch holds it. */
export function proofPayload(
  state: ViewState,
  sha256: Sha256,
  digest: HashHex,
): ProofPayload | undefined {
  const found = stampedBatch(state, digest);
  if (found === undefined) return undefined;
  const { stamp, anchor } = found;
  const checkpoint = stamp.of === 'checkpoint';
  const beacon = newestBeacon(state, stamp.seq);
  const [block] = anchor.bitcoin;
  return {
    digest,
    stamps: {
      of: stamp.of,
      seq: checkpoint ? null : stamp.seq,
      size: checkpoint ? stamp.seq : null,
      recorded_at: stamp.at,
    },
    state: block === undefined ? 'pending' : 'attested',
    stamped_at: anchor.stamped_at,
    bitcoin_height: block?.height ?? null,
    before: block === undefined ? null : blockPayload(block, sha256),
    after:
      beacon === undefined
        ? null
        : { height: beacon.height, hash: beacon.hash, time: formatTime(beacon.time) },
    calendars: anchor.calendars,
    batch: anchor.batch,
    anchor_seq: anchor.seq,
    proof_url: proofUrl(digest),
  };
}

/** A header of the log as a block for readers. */
export function blockPayload({ height, header }: AnchorBlock, sha256: Sha256): BlockPayload {
  const bytes = parseHex(header, 80);
  return {
    height,
    hash: blockId(headerHash(sha256, bytes)),
    time: formatTime(parseHeader(bytes).time),
  };
}

/** Where the file of a proof is, from the service's address on. */
export function proofUrl(digest: HashHex): string {
  return `${PROOF_PATH}/${digest}?format=ots`;
}

/** What a period shows of its proof; all members are null while there is none. */
export interface PeriodProof {
  /** The UTC day on which it was stamped. */
  readonly proof_day: string | null;
  readonly bitcoin_height: number | null;
  readonly proof_url: string | null;
}

export function periodProof(state: ViewState, digest: HashHex | null): PeriodProof {
  const anchor = digest === null ? undefined : stampedBatch(state, digest)?.anchor;
  if (anchor === undefined || digest === null) {
    return { proof_day: null, bitcoin_height: null, proof_url: null };
  }
  return {
    proof_day: dateOf(anchor.stamped_at),
    bitcoin_height: anchor.bitcoin[0]?.height ?? null,
    proof_url: proofUrl(digest),
  };
}
