import { formatBase64, parseBase64 } from '../bytes/base64.ts';
import { concatBytes, requireLength } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import type { Sha256 } from '../hash/hash.ts';
import { formatHex, isHex, parseHex } from '../bytes/hex.ts';
import { formatUtf8, parseUtf8 } from '../bytes/utf8.ts';

/**
 * The C2SP signed note, v1.0.0: text, an empty line, signature lines.
 *
 *     text, ending in a newline
 *     (empty line)
 *     — <name> <base64(key id, 4 bytes || signature)>
 */
export interface Note {
  /** The text that is signed, with its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** 8 hex digits. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** A verifier key: `<name>+<key id, hex>+<base64(type || public key)>`. */
export interface NoteKey {
  readonly name: string;
  readonly keyId: string;
  readonly type: NoteKeyType;
  readonly publicKey: Uint8Array;
}

/** Signature type 0x01: Ed25519 over the note's text. */
export const NOTE_ED25519 = 0x01;
/** Signature type 0x04: a witness's timestamped cosignature/v1 (C2SP tlog-cosignature). */
export const NOTE_COSIGNATURE = 0x04;

export type NoteKeyType = typeof NOTE_ED25519 | typeof NOTE_COSIGNATURE;

export const MAX_NOTE_BYTES = 65_536;
const MAX_SIGNATURES = 64;
const LINE_START = '— ';

function isName(name: string): boolean {
  return name.length > 0 && !/[\s+\p{Cc}]/u.test(name);
}

/** `sha256(name || 0x0a || type || public key)[:4]` in hex. */
export function noteKeyId(
  sha256: Sha256,
  name: string,
  type: number,
  publicKey: Uint8Array,
): string {
  const input = concatBytes(formatUtf8(`${name}\n`), Uint8Array.of(type), publicKey);
  return formatHex(sha256(input).subarray(0, 4));
}

/** The text of an Ed25519 verifier key. Throws `bad_note` for a name that no note can carry. */
export function formatNoteKey(
  sha256: Sha256,
  name: string,
  publicKey: Uint8Array,
  type: NoteKeyType = NOTE_ED25519,
): string {
  requireLength(publicKey, 32, 'Ed25519 public key');
  if (!isName(name)) throw bad('a name without spaces or plus', name);
  const keyId = noteKeyId(sha256, name, type, publicKey);
  return `${name}+${keyId}+${formatBase64(concatBytes(Uint8Array.of(type), publicKey))}`;
}

/**
 * The key in the text of a verifier key. Throws `bad_note` or `bad_base64` unless it is an Ed25519 key of the type that
 * is asked for, with its own id.
 */
export function parseNoteKey(
  sha256: Sha256,
  text: string,
  expected: NoteKeyType = NOTE_ED25519,
): NoteKey {
  const [name = '', keyId = '', data = '', ...rest] = text.split('+');
  // Base64 uses the plus sign too, so any further one belongs to the data.
  const bytes = parseBase64([data, ...rest].join('+'));
  const type = bytes[0];
  if (!isName(name) || !isHex(keyId, 4) || type !== expected || bytes.length !== 33) {
    throw bad(`name+keyid+base64 of an Ed25519 key of type ${expected}`, text);
  }
  const publicKey = bytes.slice(1);
  if (noteKeyId(sha256, name, type, publicKey) !== keyId) {
    throw bad('the key id of this name and key', keyId);
  }
  return { name, keyId, type: expected, publicKey };
}

/** The bytes of a note whose text ends in a newline. Throws `bad_hex` or `bad_length` for a key id. */
export function formatNote(note: Note): Uint8Array {
  return formatUtf8(`${note.text}\n${formatSignatureLines(note.signatures)}`);
}

/** Signature lines, each with its newline. Throws `bad_hex` or `bad_length` for a key id. */
export function formatSignatureLines(signatures: readonly NoteSignature[]): string {
  const lines = signatures.map(({ name, keyId, signature }) => {
    return `${LINE_START}${name} ${formatBase64(concatBytes(parseHex(keyId, 4), signature))}\n`;
  });
  return lines.join('');
}

/**
 * The note in `bytes`. Throws `bad_note`, `bad_base64` or `bad_utf8`. Signatures are not checked here. It is stricter
 * than C2SP in one point: U+007F is refused too.
 */
export function parseNote(bytes: Uint8Array): Note {
  if (bytes.length > MAX_NOTE_BYTES) throw bad(`at most ${MAX_NOTE_BYTES} bytes`);
  const whole = parseUtf8(bytes);
  // oxlint-disable-next-line no-control-regex -- the format bars them
  if (/[\u0000-\u0009\u000b-\u001f\u007f]/.test(whole))
    throw bad('no control characters but newline');
  const split = whole.lastIndexOf('\n\n');
  if (split < 0 || !whole.endsWith('\n')) throw bad('text, an empty line and signatures');
  const lines = whole.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw bad(`at most ${MAX_SIGNATURES} signatures`);
  const signatures = lines.map((line) => {
    const [name = '', data = '', ...rest] = line.slice(LINE_START.length).split(' ');
    if (!line.startsWith(LINE_START) || !isName(name) || rest.length > 0) {
      throw bad('a signature line', line);
    }
    const decoded = parseBase64(data);
    if (decoded.length < 5) throw bad('a key id and a signature', line);
    return { name, keyId: formatHex(decoded.subarray(0, 4)), signature: decoded.slice(4) };
  });
  return { text: whole.slice(0, split + 1), signatures };
}

function bad(expected: string, found?: string): Fault {
  return new Fault(
    'bad_note',
    'signed note',
    found === undefined ? { expected } : { expected, found: JSON.stringify(found.slice(0, 80)) },
  );
}
