import { Fault } from '@assay/core/fault';

/** The most bytes of one message: a webhook of 512 KiB whose body is escaped, and the rest of a message. */
export const MAX_FRAME_BYTES: number = 4 * 1024 * 1024;

const LENGTH_BYTES = 4;

/** A message as it goes over a socket: its length as u32, big endian, and its bytes. */
export function formatFrame(bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(LENGTH_BYTES + bytes.length);
  new DataView(frame.buffer).setUint32(0, bytes.length);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}

/** Cuts what comes over a socket into messages. */
export class FrameReader {
  #pieces: Uint8Array[] = [];
  #held = 0;
  /** The bytes that are needed before a message, or its length, can be read. */
  #needed = LENGTH_BYTES;

  /** The messages that are whole now. Throws `too_large` at a length that no message has, as soon as it is there. */
  push(bytes: Uint8Array): readonly Uint8Array[] {
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    const whole: Uint8Array[] = [];
    if (this.#held < this.#needed) return whole;
    let rest = new Uint8Array(Buffer.concat(this.#pieces));
    for (;;) {
      this.#needed = LENGTH_BYTES;
      if (rest.length < LENGTH_BYTES) break;
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
      if (length > MAX_FRAME_BYTES) {
        const expected = `at most ${MAX_FRAME_BYTES} bytes`;
        throw new Fault('too_large', 'signer message', { expected, found: `${length}` });
      }
      this.#needed = LENGTH_BYTES + length;
      if (rest.length < this.#needed) break;
      whole.push(rest.subarray(LENGTH_BYTES, this.#needed));
      rest = rest.subarray(this.#needed);
    }
    this.#pieces = [rest];
    this.#held = rest.length;
    return whole;
  }
}
