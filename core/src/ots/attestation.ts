import { compareBytes } from './compare-bytes.ts';
import { badProof, type Cursor, readBytes, readVarbytes, readVaruint } from './cursor.ts';
import { formatHex, isHex, parseHex } from '../bytes/hex.ts';
import { MAX_HEIGHT, MAX_PAYLOAD_BYTES, MAX_URI_BYTES } from './limits.ts';
import {
  emptyOutput,
  type Output,
  writeBytes,
  writeVarbytes,
  writeVaruint,
  written,
} from './output.ts';

/** The chains whose block headers an attestation names by height. */
export type AttestedChain = 'bitcoin' | 'litecoin' | 'ethereum';

/**
 * Who says that a message existed, and where to look: the block at a height whose Merkle root the
 * message is, or a calendar that has promised one.
 *
 *     tag (8) || varbytes(payload)
 *
 * | kind | tag | payload |
 * |---|---|---|
 * | bitcoin | 0588960d73d71901 | varuint(height) |
 * | litecoin | 06869a0d73d71b45 | varuint(height) |
 * | ethereum | 30fe8087b5c7ead7 | varuint(height) |
 * | pending | 83dfe30d2ef90c8e | varbytes(URI), ASCII letters, digits and -._/: |
 * | unknown | any other | any bytes |
 */
export type Attestation =
  | { readonly kind: AttestedChain; readonly height: number }
  | { readonly kind: 'pending'; readonly uri: string }
  /** `tag` is 16 hex digits. */
  | { readonly kind: 'unknown'; readonly tag: string; readonly payload: Uint8Array };

const TAG_BYTES = 8;

const TAGS: Readonly<Record<Exclude<Attestation['kind'], 'unknown'>, string>> = {
  bitcoin: '0588960d73d71901',
  litecoin: '06869a0d73d71b45',
  ethereum: '30fe8087b5c7ead7',
  pending: '83dfe30d2ef90c8e',
};

const KINDS: ReadonlyMap<string, keyof typeof TAGS> = new Map(
  Object.entries(TAGS).map(([kind, tag]) => [tag, kind as keyof typeof TAGS]),
);

/** The attestation at `cursor`. Throws `bad_proof`. */
export function readAttestation(cursor: Cursor): Attestation {
  const tag = formatHex(readBytes(cursor, TAG_BYTES));
  const payload = readVarbytes(cursor, 0, MAX_PAYLOAD_BYTES);
  const kind = KINDS.get(tag);
  if (kind === undefined) return { kind: 'unknown', tag, payload };
  const inner: Cursor = { bytes: cursor.bytes, at: cursor.at - payload.length, end: cursor.at };
  const attestation: Attestation =
    kind === 'pending' ? { kind, uri: readUri(inner) } : { kind, height: readVaruint(inner) };
  if (inner.at !== inner.end) throw badProof(inner.at, 'the end of the payload');
  return attestation;
}

function readUri(cursor: Cursor): string {
  const bytes = readVarbytes(cursor, 0, MAX_URI_BYTES);
  let uri = '';
  for (let i = 0; i < bytes.length; i += 1) {
    const code = bytes[i] as number;
    if (!isUriByte(code)) {
      throw badProof(cursor.at - bytes.length + i, 'a letter, a digit or one of -._/:');
    }
    uri += String.fromCharCode(code);
  }
  return uri;
}

/** `-` to `:` are `-./`, the digits and `:`. */
function isUriByte(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x2d && code <= 0x3a) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x5f
  );
}

/** Throws TypeError for an attestation that no proof can hold. */
export function writeAttestation(output: Output, attestation: Attestation): void {
  writeBytes(output, parseHex(tagOf(attestation)));
  writeVarbytes(output, payloadOf(attestation));
}

function tagOf(attestation: Attestation): string {
  if (attestation.kind !== 'unknown') return TAGS[attestation.kind];
  if (!isHex(attestation.tag, TAG_BYTES) || KINDS.has(attestation.tag)) {
    throw new TypeError(`attestation: ${attestation.tag} is not the tag of an unknown kind`);
  }
  return attestation.tag;
}

function payloadOf(attestation: Attestation): Uint8Array {
  if (attestation.kind === 'unknown') {
    if (attestation.payload.length > MAX_PAYLOAD_BYTES) {
      throw new TypeError('attestation: payload too long');
    }
    return attestation.payload;
  }
  const output = emptyOutput(32);
  if (attestation.kind === 'pending') {
    const codes = Array.from(attestation.uri, (each) => each.codePointAt(0) as number);
    if (codes.length > MAX_URI_BYTES || !codes.every(isUriByte)) {
      throw new TypeError(
        `attestation: ${JSON.stringify(attestation.uri)} is not a calendar's URI`,
      );
    }
    writeVarbytes(output, Uint8Array.from(codes));
  } else {
    const { height } = attestation;
    if (!Number.isInteger(height) || height < 0 || height > MAX_HEIGHT) {
      throw new TypeError(`attestation: ${height} is not a height`);
    }
    writeVaruint(output, height);
  }
  return written(output);
}

/**
 * The order in which the reference client writes attestations: by tag, then by height as a number, by URI, or by
 * payload. 0 only for equal attestations.
 */
export function compareAttestations(a: Attestation, b: Attestation): number {
  const [tagA, tagB] = [tagOf(a), tagOf(b)];
  if (tagA !== tagB) return tagA < tagB ? -1 : 1;
  if ('height' in a && 'height' in b) return a.height - b.height;
  if (a.kind === 'pending' && b.kind === 'pending') {
    if (a.uri === b.uri) return 0;
    return a.uri < b.uri ? -1 : 1;
  }
  return compareBytes(payloadOf(a), payloadOf(b));
}
