import { type HashHex, type Sha256, taggedBytes } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import {
  hashHex,
  hex,
  integer,
  literal,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';

/**
 * Where the entry that holds a submission is, apart from the disk of the publisher. `second_machine`: a checkpoint with a
 * witness's line covers it. `one_disk`: nobody else is known to have seen it.
 */
export const HELD = ['one_disk', 'second_machine'] as const;
export type Held = (typeof HELD)[number];

/** What the key of a receipt signs: that a leaf was accepted at a place. */
export interface SubmissionPlace {
  /** The log's id. */
  readonly log: HashHex;
  /** What was submitted to: the id of a question or of a round. */
  readonly subject: string;
  /** The place of the submission within its subject, from 0. */
  readonly ordinal: number;
  /** The commitment that the log holds at that place. */
  readonly leaf: HashHex;
  /** 32 bytes that the client chose, hex. */
  readonly nonce: string;
}

/**
 * What a publisher gives for an answer or a forecast that it accepted. The log's report key signs
 * `submissionMessage`, so that a batch without the leaf convicts the publisher. `held` is information of the moment and is
 * not signed.
 */
export interface SubmissionReceipt extends SubmissionPlace {
  readonly type: 'assay-receipt/1';
  /** The report key that signed, hex. */
  readonly key: string;
  /** Ed25519 over `submissionMessage`, hex. */
  readonly signature: string;
  readonly held: Held;
}

/** The most characters of the id of a subject. */
const MAX_SUBJECT = 64;

/** A receipt, or `malformed`. The signature is not checked. */
export const parseSubmissionReceipt: Parse<SubmissionReceipt> = object<SubmissionReceipt>({
  type: literal('assay-receipt/1'),
  log: hashHex,
  subject: string(1, MAX_SUBJECT, /^[a-z0-9-]+$/),
  ordinal: integer(0, Number.MAX_SAFE_INTEGER),
  leaf: hashHex,
  nonce: hex(32),
  key: hex(32),
  signature: hex(64),
  held: oneOf(HELD),
});

/**
 * What is signed, 153 bytes:
 *
 *     "assay/receipt/v1" 0x00 || log 32 || sha256(subject in UTF-8) 32 || ordinal u64 LE || leaf 32 || nonce 32
 *
 * Throws `bad_hex` or `bad_length` for parts of another form.
 */
export function submissionMessage(sha256: Sha256, place: SubmissionPlace): Uint8Array {
  const ordinal = new Uint8Array(8);
  new DataView(ordinal.buffer).setBigUint64(0, BigInt(place.ordinal), true);
  return taggedBytes(
    'assay/receipt/v1',
    parseHex(place.log, 32),
    sha256(formatUtf8(place.subject)),
    ordinal,
    parseHex(place.leaf, 32),
    parseHex(place.nonce, 32),
  );
}
