import { createPublicKey, verify } from 'node:crypto';
import { ED25519_PROGRAM } from '@assay/chain/ed25519-instruction';
import { concatBytes } from '@assay/core/bytes';
import type { HashHex } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import type { Instruction } from '@solana/kit';

/**
 * What signatures a transaction proves, written a second time from docs/spec/chain.md and the runtime's
 * documentation of its precompile.
 */
export interface Proven {
  readonly message: Uint8Array;
  /** In the order of the signatures. */
  readonly keys: readonly HashHex[];
}

/** The instruction index that means: in these bytes. */
const SELF = 0xffff;
const MAX_SIGNERS = 9;

interface Place {
  readonly instruction: number;
  readonly at: number;
}

interface Offsets {
  readonly signature: Place;
  readonly key: Place;
  readonly message: Place;
  readonly length: number;
}

/** Whether the runtime lets the transaction run: each signature of each Ed25519 instruction verifies. */
export function isVerified(instructions: readonly Instruction[]): boolean {
  return instructions
    .filter(({ programAddress }) => programAddress === ED25519_PROGRAM)
    .every(({ data = new Uint8Array() }) => {
      const own = Uint8Array.from(data);
      const offsets = offsetsOf(own);
      const [count = 0] = own;
      if (offsets === undefined || (count === 0 && own.length > 2)) return false;
      const bytesAt = ({ instruction, at }: Place, length: number): Uint8Array | undefined => {
        const found = instruction === SELF ? own : instructions[instruction]?.data;
        return found === undefined || at + length > found.length
          ? undefined
          : Uint8Array.from(found.slice(at, at + length));
      };
      return offsets.every((each) => {
        const [signature, key] = [bytesAt(each.signature, 64), bytesAt(each.key, 32)];
        const message = bytesAt(each.message, each.length);
        return (
          signature !== undefined &&
          key !== undefined &&
          message !== undefined &&
          isSigned(key, message, signature)
        );
      });
    });
}

/** What instruction number `index` proves of a message of `length` bytes; undefined where nothing. */
export function provenBy(
  instructions: readonly Instruction[],
  index: number,
  length: number,
): Proven | undefined {
  const proof = instructions[index];
  if (proof?.programAddress !== ED25519_PROGRAM) return undefined;
  const data = Uint8Array.from(proof.data ?? []);
  const offsets = offsetsOf(data);
  const [first] = offsets ?? [];
  if (offsets === undefined || first === undefined || offsets.length > MAX_SIGNERS) {
    return undefined;
  }
  const isOne = offsets.every(
    ({ signature, key, message, length: said }) =>
      [signature, key, message].every(({ instruction }) => instruction === SELF) &&
      message.at === first.message.at &&
      said === length,
  );
  const keys = offsets.map(({ key }) => formatHex(data.subarray(key.at, key.at + 32)) as HashHex);
  if (!isOne || new Set(keys).size < keys.length) return undefined;
  return { message: data.slice(first.message.at, first.message.at + length), keys };
}

function offsetsOf(data: Uint8Array): readonly Offsets[] | undefined {
  const [count = 0] = data;
  if (data.length < 2 || data.length < 2 + 14 * count) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  return Array.from({ length: count }, (_, i) => {
    const word = (number: number): number => view.getUint16(2 + 14 * i + 2 * number, true);
    return {
      signature: { at: word(0), instruction: word(1) },
      key: { at: word(2), instruction: word(3) },
      message: { at: word(4), instruction: word(6) },
      length: word(5),
    };
  });
}

const SPKI = parseHex('302a300506032b6570032100');

function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const spki = createPublicKey({
    key: Buffer.from(concatBytes(SPKI, key)),
    format: 'der',
    type: 'spki',
  });
  return verify(null, message, spki, signature);
}
