import { requireLength } from '../bytes/bytes.ts';
import { formatHex, parseHex } from '../bytes/hex.ts';
import { badProof, cursorOf, readByte, readBytes } from './cursor.ts';
import { HASH_BYTES, type OtsHashName } from './hashes.ts';
import { hashNameOf, hashTag } from './operation.ts';
import { emptyOutput, type Output, writeByte, writeBytes, written } from './output.ts';
import { readTimestamp, type Timestamp, writeTimestamp } from './timestamp.ts';

/**
 * A detached proof, the content of an `.ots` file.
 *
 *     magic (31) || 01 || hash tag (1) || digest (20 or 32) || tree
 */
export interface Proof {
  /** The hash of the file that the proof is about. */
  readonly hash: OtsHashName;
  readonly digest: Uint8Array;
  readonly timestamp: Timestamp;
}

/** `00 OpenTimestamps 00 00 Proof 00` and eight bytes that are not text. */
const MAGIC = parseHex('004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294');
const VERSION = 1;

/** Parses a proof, whose parts are views into `bytes`. Throws `bad_proof` at a byte. */
export function parseProof(bytes: Uint8Array): Proof {
  const cursor = cursorOf(bytes);
  for (const byte of MAGIC) {
    if (readByte(cursor) !== byte) throw badProof(cursor.at - 1, 'the magic of a proof');
  }
  const version = readByte(cursor);
  if (version !== VERSION) throw badProof(cursor.at - 1, `version ${VERSION}`, `${version}`);
  const tag = readByte(cursor);
  const hash = hashNameOf(tag);
  if (hash === undefined) {
    throw badProof(cursor.at - 1, 'the tag of a hash', formatHex(Uint8Array.of(tag)));
  }
  const digest = readBytes(cursor, HASH_BYTES[hash]);
  const timestamp = readTimestamp(cursor, digest.length);
  if (cursor.at !== cursor.end) throw badProof(cursor.at, 'the end of the proof');
  return { hash, digest, timestamp };
}

/** Bytes before the tree, including the digest. */
export function proofHeadBytes(hash: OtsHashName): number {
  return MAGIC.length + 2 + HASH_BYTES[hash];
}

/** Writes `magic || 01 || hash tag || digest`. Throws `bad_length` for a digest of another hash. */
export function writeProofHead(output: Output, hash: OtsHashName, digest: Uint8Array): void {
  requireLength(digest, HASH_BYTES[hash], hash);
  writeBytes(output, MAGIC);
  writeByte(output, VERSION);
  writeByte(output, hashTag(hash));
  writeBytes(output, digest);
}

/** The bytes of a proof. Throws `bad_length` for the digest, and the errors of `formatTimestamp`. */
export function formatProof({ hash, digest, timestamp }: Proof): Uint8Array {
  const output = emptyOutput();
  writeProofHead(output, hash, digest);
  writeTimestamp(output, timestamp, digest.length);
  return written(output);
}
