import { concatBytes } from '../bytes/bytes.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import type { NoteKey, NoteSignature } from './note.ts';

/**
 * A witness's cosignature/v1 of a checkpoint (C2SP tlog-cosignature, v1.0.0): it has seen the log grow
 * to this checkpoint, and to no other of its size. The signature field of its line is
 *
 *     0   8  timestamp u64, big endian, unix seconds
 *     8  64  Ed25519 over `cosignatureMessage`
 */
export interface Cosignature {
  /** Unix seconds, by the witness's clock. */
  readonly time: number;
  readonly signature: Uint8Array;
}

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** What a witness signs: `cosignature/v1\ntime <unix seconds>\n` and the checkpoint's text. */
export function cosignatureMessage(checkpoint: string, time: number): Uint8Array {
  return formatUtf8(`cosignature/v1\ntime ${time}\n${checkpoint}`);
}

/** The signature line of a witness with this key. */
export function formatCosignature(
  { name, keyId }: Pick<NoteKey, 'name' | 'keyId'>,
  { time, signature }: Cosignature,
): NoteSignature {
  const stamp = new Uint8Array(TIME_BYTES);
  new DataView(stamp.buffer).setBigUint64(0, BigInt(time));
  return { name, keyId, signature: concatBytes(stamp, signature) };
}

/** The contents of a signature line of type 0x04; undefined where it is not 72 bytes with a possible time. */
export function parseCosignature(line: Uint8Array): Cosignature | undefined {
  if (line.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const time = Number(new DataView(line.buffer, line.byteOffset, TIME_BYTES).getBigUint64(0));
  if (!Number.isSafeInteger(time)) return undefined;
  return { time, signature: line.slice(TIME_BYTES) };
}
