import { concatBytes, equalBytes, requireLength } from '../../bytes/bytes.ts';
import { parseHex } from '../../bytes/hex.ts';
import { formatUtf8 } from '../../bytes/utf8.ts';
import { SALT_BYTES } from '../../hash/commitment.ts';
import {
  contentHash,
  type Hash,
  type HashHex,
  hashHex,
  type Sha256,
  type Tag,
  taggedBytes,
} from '../../hash/hash.ts';
import { HANDLE_BYTES } from './handle.ts';

/** The largest forecast in either direction, in units of the index's last decimal. */
export const MAX_FORECAST: bigint = 10n ** 15n;

/** The bytes that are sealed: a value and the hash that ties it to its round and its handle. */
export const SEALED_MESSAGE_BYTES = 32;
const VALUE_BYTES = 8;

/** What a forecast belongs to. A message made for one of them is worth nothing for another. */
export interface ForecastSubject {
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
  /** The id of the round. */
  readonly round: string;
  /** The handle's id, hex. */
  readonly handle: string;
}

/** Whether a value may be a forecast: neither beyond 10^15 units nor below their negative. */
export function isForecastValue(value: bigint): boolean {
  return value <= MAX_FORECAST && value >= -MAX_FORECAST;
}

/**
 * The 32 bytes that a sealed forecast holds:
 *
 *     0   8  the value, a scaled integer: i64, big-endian
 *     8  24  sha256("assay/sealed-forecast/v1" 0x00 || log 32 || sha256(round id) 32 || handle 16)[:24]
 *
 * The second part makes a copied ciphertext worthless: it opens for no other handle, round or log.
 */
export function sealedMessage(sha256: Sha256, subject: ForecastSubject, value: bigint): Uint8Array {
  const bytes = new Uint8Array(SEALED_MESSAGE_BYTES);
  new DataView(bytes.buffer).setBigInt64(0, value);
  bytes.set(sealedTie(sha256, subject), VALUE_BYTES);
  return bytes;
}

/** The value of a message that was sealed for this subject; undefined where it is another's or is out of bounds. */
export function sealedValue(
  sha256: Sha256,
  subject: ForecastSubject,
  message: Uint8Array,
): bigint | undefined {
  if (message.length !== SEALED_MESSAGE_BYTES) return undefined;
  if (!equalBytes(message.subarray(VALUE_BYTES), sealedTie(sha256, subject))) return undefined;
  const value = new DataView(message.buffer, message.byteOffset).getBigInt64(0);
  return isForecastValue(value) ? value : undefined;
}

function sealedTie(sha256: Sha256, subject: ForecastSubject): Uint8Array {
  const bytes = subjectBytes(sha256, 'assay/sealed-forecast/v1', subject);
  return sha256(bytes).subarray(0, SEALED_MESSAGE_BYTES - VALUE_BYTES);
}

/**
 * What the log holds of a forecast that is not sealed until its round is frozen:
 * `sha256("assay/plain-forecast/v1" 0x00 || salt 32 || log 32 || sha256(round id) 32 || handle 16 || value i64 LE)`.
 */
export function plainCommitment(
  sha256: Sha256,
  subject: ForecastSubject,
  salt: Uint8Array,
  value: bigint,
): HashHex {
  requireLength(salt, SALT_BYTES, 'salt');
  const scaled = new Uint8Array(VALUE_BYTES);
  new DataView(scaled.buffer).setBigInt64(0, value, true);
  return digestOf(sha256, subjectBytes(sha256, 'assay/plain-forecast/v1', subject, salt), scaled);
}

/** The parts of a forecast that its handle's key signs. */
export interface SignedForecast extends ForecastSubject {
  /** From 1 on. It rises with each forecast of the handle. */
  readonly counter: number;
  /** 32 bytes, hex. */
  readonly nonce: string;
  /** The sealed bytes, hex, or null. */
  readonly sealed: string | null;
  /** The commitment of a forecast that is not sealed, or null. */
  readonly commitment: HashHex | null;
}

/**
 * What a handle's key signs, so that nobody else can make a forecast of it, change one, or play one again:
 * `"assay/forecast-signature/v1" 0x00 || log 32 || sha256(round id) 32 || handle 16 || counter u64 LE || nonce 32 ||
 * sha256(sealed bytes, or commitment bytes) 32`.
 */
export function forecastMessage(sha256: Sha256, forecast: SignedForecast): Uint8Array {
  const { counter, nonce, sealed, commitment } = forecast;
  const bytes = sealed ?? commitment;
  if (bytes === null) throw new TypeError('forecastMessage: neither sealed bytes nor a commitment');
  const count = new Uint8Array(8);
  new DataView(count.buffer).setBigUint64(0, BigInt(counter), true);
  return concatBytes(
    subjectBytes(sha256, 'assay/forecast-signature/v1', forecast),
    count,
    parseHex(nonce, 32),
    sha256(parseHex(bytes)),
  );
}

/** `tag 0x00 || before || log 32 || sha256(round id) 32 || handle 16`. */
function subjectBytes(
  sha256: Sha256,
  tag: Tag,
  { log, round, handle }: ForecastSubject,
  before: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const of = sha256(formatUtf8(round));
  return taggedBytes(tag, before, parseHex(log, 32), of, parseHex(handle, HANDLE_BYTES));
}

function digestOf(sha256: Sha256, ...parts: readonly Uint8Array[]): HashHex {
  const hash: Hash = contentHash(sha256, concatBytes(...parts));
  return hashHex(hash);
}
