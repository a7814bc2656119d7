import { equalBytes } from '@assay/core/bytes/bytes';
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { cosignatureMessage, parseCosignature } from '@assay/core/log/cosignature';
import { Fault, faultCode } from '@assay/core/fault';
import {
  formatNote,
  type Note,
  type NoteKey,
  type NoteSignature,
  parseNote,
} from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import { MAX_NOTE_BYTES } from '../ledger/guard/file-note-slot.ts';

/** The witnesses without whose lines a head is not followed. */
export interface MirrorWitnesses {
  /** Keys of type 0x04, each of another operator. */
  readonly keys: readonly NoteKey[];
  readonly required: number;
  /** The seconds after which a line no longer counts; null if its age does not matter. */
  readonly maxAgeS: number | null;
  /** Unix seconds. */
  readonly now: () => number;
}

/** How many seconds a witness's clock may be ahead of this one. */
const AHEAD_S = 120;

/** A signed head of the log that is mirrored. */
export interface MirroredNote {
  readonly bytes: Uint8Array;
  /** Its first lines are those of `keys`, in this order. */
  readonly note: Note;
  readonly checkpoint: Checkpoint;
  /** The checkpoint keys with a good line on it: the one that had to sign it, and then the others. */
  readonly keys: readonly [NoteKey, ...NoteKey[]];
}

/**
 * Opens a checkpoint with a valid signature of the log's key, under its own name, whatever other lines have
 * that name. Throws `bad_note`, `bad_utf8` or `bad_base64`. Of the other lines it keeps one for each key, as
 * far as a head guard has space: first the valid ones of `also`, which are other checkpoint keys of the log, and
 * then the newest valid one of each key of `listed`.
 */
export function openMirrored(
  key: NoteKey,
  given: Uint8Array,
  listed: readonly NoteKey[] = [],
  also: readonly NoteKey[] = [],
): MirroredNote {
  const { text, signatures } = parseNote(given);
  const message = formatUtf8(text);
  const lineOf = (each: NoteKey): NoteSignature | undefined =>
    signatures.find(
      (line) => isOf(each, line) && nodeVerifySignature(each.publicKey, message, line.signature),
    );
  const first = lineOf(key);
  if (first === undefined) throw bad(`a good signature of ${key.name}+${key.keyId}`);
  const checkpoint = parseCheckpoint(text);
  if (checkpoint.origin !== key.name || formatCheckpoint(checkpoint) !== text) {
    throw bad(`a checkpoint of ${key.name}`);
  }
  const beside = also.flatMap((each) => {
    const line = lineOf(each);
    return line === undefined ? [] : [{ key: each, line }];
  });
  const own = [first, ...beside.map(({ line }) => line)];
  const others = signatures.filter((line) => ![key, ...also].some((each) => isOf(each, line)));
  const keys = [key, ...beside.map((each) => each.key)] as const;
  return { ...withRoom(text, own, ordered(text, others, listed)), checkpoint, keys };
}

/** The same; undefined for a checkpoint without a good line of `key`. Throws `bad_utf8` or `bad_base64`. */
export function openSigned(...parts: Parameters<typeof openMirrored>): MirroredNote | undefined {
  try {
    return openMirrored(...parts);
  } catch (error) {
    if (faultCode(error) !== 'bad_note') throw error;
    return undefined;
  }
}

/** The checkpoint that a note has, whoever signed it. Throws `bad_note`, `bad_utf8` or `bad_base64`. */
export function saidCheckpoint(given: Uint8Array): Checkpoint {
  return parseCheckpoint(parseNote(given).text);
}

/**
 * A head with its current lines and those that it had before, as far as a head guard has space: of each key of
 * `listed` the newest valid line, then the others, where a current line replaces an earlier one of the same
 * key. Both must be notes with the same text, opened by `openMirrored`.
 */
export function joinLines(
  now: MirroredNote,
  before: MirroredNote,
  listed: readonly NoteKey[],
): MirroredNote {
  const { text, signatures } = now.note;
  if (before.note.text !== text) throw new TypeError('joinLines: notes of two texts');
  const { length } = now.keys;
  const [own, others] = [signatures.slice(0, length), signatures.slice(length)];
  const old = before.note.signatures.filter((line) => !now.keys.some((each) => isOf(each, line)));
  const isListed = (line: NoteSignature): boolean => listed.some((each) => isOf(each, line));
  const left = old.filter((line) => isListed(line) || !others.some((each) => isOf(each, line)));
  const { checkpoint, keys } = now;
  return { ...withRoom(text, own, ordered(text, [...others, ...left], listed)), checkpoint, keys };
}

/** A checkpoint key of the log that has signed both heads. */
export function sharedKey(a: MirroredNote, b: MirroredNote): NoteKey | undefined {
  return a.keys.find((key) => b.keys.some(({ publicKey }) => equalBytes(publicKey, key.publicKey)));
}

/** The newest valid line of each listed key, in the list's order, and then the first of each other key. */
function ordered(
  text: string,
  lines: readonly NoteSignature[],
  listed: readonly NoteKey[],
): readonly NoteSignature[] {
  const known = listed.flatMap((key) => newestLine(text, lines, key) ?? []);
  const unknown = lines.filter(
    (line, i) =>
      !listed.some((key) => isOf(key, line)) && !lines.slice(0, i).some((each) => isOf(each, line)),
  );
  return [...known, ...unknown];
}

function newestLine(
  text: string,
  lines: readonly NoteSignature[],
  key: NoteKey,
): NoteSignature | undefined {
  let newest: { readonly line: NoteSignature; readonly time: number } | undefined;
  for (const line of lines) {
    const said = isOf(key, line) ? parseCosignature(line.signature) : undefined;
    if (said === undefined || (newest !== undefined && said.time <= newest.time)) continue;
    const message = cosignatureMessage(text, said.time);
    if (!nodeVerifySignature(key.publicKey, message, said.signature)) continue;
    newest = { line, time: said.time };
  }
  return newest?.line;
}

function withRoom(
  text: string,
  own: readonly NoteSignature[],
  lines: readonly NoteSignature[],
): Pick<MirroredNote, 'bytes' | 'note'> {
  let note: Note = { text, signatures: own };
  for (const line of lines) {
    const longer: Note = { text, signatures: [...note.signatures, line] };
    if (formatNote(longer).length <= MAX_NOTE_BYTES) note = longer;
  }
  return { bytes: formatNote(note), note };
}

function isOf(key: Pick<NoteKey, 'name' | 'keyId'>, { name, keyId }: NoteSignature): boolean {
  return name === key.name && keyId === key.keyId;
}

/** How many of these witnesses have signed a note with a line that still counts. Each counts once. */
export function witnessesOf({ note }: MirroredNote, witnesses: MirrorWitnesses): number {
  const now = witnesses.now();
  const counts = (key: NoteKey): boolean =>
    note.signatures.some((line) => {
      const said = isOf(key, line) ? parseCosignature(line.signature) : undefined;
      if (said === undefined || said.time > now + AHEAD_S) return false;
      if (witnesses.maxAgeS !== null && said.time < now - witnesses.maxAgeS) return false;
      const message = cosignatureMessage(note.text, said.time);
      return nodeVerifySignature(key.publicKey, message, said.signature);
    });
  return witnesses.keys.filter(counts).length;
}

function bad(expected: string): Fault {
  return new Fault('bad_note', 'checkpoint of another', { expected });
}
