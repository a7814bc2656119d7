import { Fault } from '../fault.ts';
import { formatHex } from '../bytes/hex.ts';
import { compareBytes } from './compare-bytes.ts';
import { badProof, type Cursor, readVarbytes } from './cursor.ts';
import { HASH_BYTES, type OtsHashes, type OtsHashName } from './hashes.ts';
import { MAX_ARGUMENT_BYTES, MAX_HEXLIFY_BYTES, MAX_MESSAGE_BYTES } from './limits.ts';
import { type Output, writeByte, writeVarbytes } from './output.ts';

/**
 * A step from one message to the next.
 *
 *     f0 varbytes(argument)   append
 *     f1 varbytes(argument)   prepend
 *     f2                      reverse, byte by byte
 *     f3                      hexlify: lower-case hex as ASCII
 *     02 | 03 | 08 | 67       sha1, ripemd160, sha256, keccak256
 */
export type Operation =
  | { readonly op: 'append' | 'prepend'; readonly argument: Uint8Array }
  | { readonly op: 'reverse' | 'hexlify' }
  | { readonly op: OtsHashName };

const TAGS: Readonly<Record<Operation['op'], number>> = {
  sha1: 0x02,
  ripemd160: 0x03,
  sha256: 0x08,
  keccak256: 0x67,
  append: 0xf0,
  prepend: 0xf1,
  reverse: 0xf2,
  hexlify: 0xf3,
};

/** The operations that have no argument, one object each. */
const PLAIN: readonly (Operation | undefined)[] = Array.from({ length: 256 }, (_, tag) => {
  const found = Object.entries(TAGS).find(([, each]) => each === tag)?.[0];
  if (found === undefined || found === 'append' || found === 'prepend') return undefined;
  return { op: found as Exclude<Operation['op'], 'append' | 'prepend'> };
});

/** The hash of a tag byte, or `undefined`. */
export function hashNameOf(tag: number): OtsHashName | undefined {
  const op = PLAIN[tag]?.op;
  return op !== undefined && op in HASH_BYTES ? (op as OtsHashName) : undefined;
}

/** The tag byte of a hash. */
export function hashTag(name: OtsHashName): number {
  return TAGS[name];
}

/** The operation whose `tag` was just read. Throws `bad_proof`. */
export function readOperation(cursor: Cursor, tag: number): Operation {
  const plain = PLAIN[tag];
  if (plain !== undefined) return plain;
  if (tag !== TAGS.append && tag !== TAGS.prepend) {
    throw badProof(cursor.at - 1, 'the tag of an operation', formatHex(Uint8Array.of(tag)));
  }
  const argument = readVarbytes(cursor, 1, MAX_ARGUMENT_BYTES);
  return tag === TAGS.append ? { op: 'append', argument } : { op: 'prepend', argument };
}

/** Bytes that `writeOperation` writes. */
export function operationBytes(operation: Operation): number {
  if (!('argument' in operation)) return 1;
  const { length } = operation.argument;
  return 1 + (length < 0x80 ? 1 : 2) + length;
}

/** Throws TypeError for an argument that no proof can hold. */
export function writeOperation(output: Output, operation: Operation): void {
  writeByte(output, TAGS[operation.op]);
  if (!('argument' in operation)) return;
  const { argument } = operation;
  if (argument.length === 0 || argument.length > MAX_ARGUMENT_BYTES) {
    throw new TypeError(`operation: an argument of ${argument.length} bytes`);
  }
  writeVarbytes(output, argument);
}

/** The length of the result of `operation` on `length` bytes, or `undefined` above the limit of a message. */
export function resultLength(operation: Operation, length: number): number | undefined {
  switch (operation.op) {
    case 'append':
    case 'prepend': {
      const sum = length + operation.argument.length;
      return sum > MAX_MESSAGE_BYTES ? undefined : sum;
    }
    case 'reverse':
      return length;
    case 'hexlify':
      return length > MAX_HEXLIFY_BYTES ? undefined : 2 * length;
    default:
      return HASH_BYTES[operation.op];
  }
}

/** The next message, in bytes of its own. Throws `bad_proof` above the limit of a message. */
export function apply(operation: Operation, message: Uint8Array, hashes: OtsHashes): Uint8Array {
  if (resultLength(operation, message.length) === undefined) {
    throw new Fault('bad_proof', 'OpenTimestamps operation', {
      expected: `a message of at most ${MAX_MESSAGE_BYTES} bytes`,
      found: `${operation.op} of ${message.length} bytes`,
    });
  }
  switch (operation.op) {
    case 'append':
      return join(message, operation.argument);
    case 'prepend':
      return join(operation.argument, message);
    case 'reverse':
      // Not `slice`, because that of a Buffer, which a SHA-256 may return, is a view.
      return new Uint8Array(message).reverse();
    case 'hexlify':
      return hexlify(message);
    default:
      return hashes[operation.op](message);
  }
}

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

function hexlify(message: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 * message.length);
  let at = 0;
  for (const byte of message) {
    out[at++] = DIGITS[byte >> 4] as number;
    out[at++] = DIGITS[byte & 0x0f] as number;
  }
  return out;
}

/** For two parts only, because it is the most frequent step after the hashes. */
function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const out = new Uint8Array(left.length + right.length);
  out.set(left);
  out.set(right, left.length);
  return out;
}

/** The order in which the reference client writes operations: by tag, then by argument. */
export function compareOperations(a: Operation, b: Operation): number {
  if (a.op !== b.op) return TAGS[a.op] - TAGS[b.op];
  return 'argument' in a && 'argument' in b ? compareBytes(a.argument, b.argument) : 0;
}
