import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHeader } from '@assay/core/bitcoin/header';
import { formatHex } from '@assay/core/bytes/hex';
import { type CalendarStatus, calendarsOf } from '@assay/core/ots/calendars';
import { evaluate } from '@assay/core/ots/evaluate';
import type { OtsHashes } from '@assay/core/ots/hashes';
import type { Timestamp } from '@assay/core/ots/timestamp';

/** What the attestations of a timestamp state. */
export interface Attestations {
  /** Calendars that promised a block, ascending by URI, and whether each has kept its promise. */
  readonly calendars: readonly CalendarStatus[];
  /** By height, ascending: the messages that are claimed to be that block's Merkle root. */
  readonly bitcoin: ReadonlyMap<number, readonly Uint8Array[]>;
  /** Attestations of any other kind. */
  readonly others: readonly string[];
}

/** The attestations over `message`. Throws `bad_proof` where a limit is exceeded. */
export function attestationsOf(
  timestamp: Timestamp,
  message: Uint8Array,
  hashes: OtsHashes,
): Attestations {
  const bitcoin = new Map<number, Uint8Array[]>();
  const others: string[] = [];
  for (const { attestation, message: reached } of evaluate(timestamp, message, hashes)) {
    if (attestation.kind === 'pending') continue;
    if (attestation.kind !== 'bitcoin') others.push(attestation.kind);
    else {
      const same = bitcoin.get(attestation.height);
      if (same === undefined) bitcoin.set(attestation.height, [reached]);
      else same.push(reached);
    }
  }
  return {
    calendars: calendarsOf(timestamp),
    bitcoin: new Map([...bitcoin].sort(([a], [b]) => a - b)),
    others,
  };
}

/** The first message that is not the Merkle root in `header` (80 bytes), and that root, both in hex. */
export function wrongRoot(
  messages: readonly Uint8Array[],
  header: Uint8Array,
): { readonly expected: string; readonly found: string } | undefined {
  const { merkleRoot } = parseHeader(header);
  const wrong = messages.find((message) => !equalBytes(message, merkleRoot));
  return wrong === undefined
    ? undefined
    : { expected: formatHex(merkleRoot), found: formatHex(wrong) };
}
