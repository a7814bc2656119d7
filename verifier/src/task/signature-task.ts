import type { VerifySignature } from '../ed25519/profile.ts';

/** A signature to be verified. */
export interface SignatureTask {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Bytes of the length of a message. */
const LENGTH_BYTES = 4;

/** Whether a task has the lengths that `packSignatures` takes. A signature of other lengths is never good. */
export function isPackable({ key, signature }: SignatureTask): boolean {
  return key.length === KEY_BYTES && signature.length === SIGNATURE_BYTES;
}

/**
 * Tasks as one array of bytes, which goes from one thread to another as one value. For each of them:
 *
 *     0   4  length of the message, big endian
 *     4  32  key
 *    36  64  signature
 *   100      message
 */
export function packSignatures(tasks: readonly SignatureTask[]): Uint8Array {
  const head = LENGTH_BYTES + KEY_BYTES + SIGNATURE_BYTES;
  const packed = new Uint8Array(tasks.reduce((sum, { message }) => sum + head + message.length, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { key, message, signature } of tasks) {
    view.setUint32(at, message.length);
    packed.set(key, at + LENGTH_BYTES);
    packed.set(signature, at + LENGTH_BYTES + KEY_BYTES);
    packed.set(message, at + head);
    at += head + message.length;
  }
  return packed;
}

/** Verifies each of the packed tasks: 1 for a good signature, 0 for any other, in their order. */
export function runSignatures(packed: Uint8Array, verify: VerifySignature): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const good: number[] = [];
  for (let at = 0; at < packed.length;) {
    const key = at + LENGTH_BYTES;
    const signature = key + KEY_BYTES;
    const message = signature + SIGNATURE_BYTES;
    const end = message + view.getUint32(at);
    const isGood = verify(
      packed.subarray(key, signature),
      packed.subarray(message, end),
      packed.subarray(signature, message),
    );
    good.push(isGood ? 1 : 0);
    at = end;
  }
  return Uint8Array.from(good);
}
