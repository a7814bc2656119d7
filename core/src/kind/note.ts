import { object, type Parse, string } from '../wire/schema.ts';
import type { EntryLayout } from '../log/entry.ts';
import { formatUtf8 } from '../bytes/utf8.ts';

const QUOTE = 0x22;

/** A remark of the operator for the record, such as an outage or a notice. It decides nothing. */
export interface NoteEntry {
  readonly text: string;
}

const MAX_TEXT = 32_768;

export const parseNoteEntry: Parse<NoteEntry> = object<NoteEntry>({ text: string(1, MAX_TEXT) });

const HEAD = formatUtf8('{"text":"');
/** The beginning of a note's text that declares something, such as a loss or a succession. */
const DECLARES = formatUtf8('assay-');

/**
 * Whether the body of a scanned entry is certainly a plain note: only a text, with no more bytes than it may have
 * characters, that declares nothing. It allocates nothing. Where it returns false, `parseNoteEntry` decides.
 */
export function isPlainNote(
  bytes: Uint8Array,
  { kind, bodyStart, bodyEnd, bodyStrings }: EntryLayout,
): boolean {
  if (kind !== 'note/1' || bodyStrings !== 1) return false;
  const length = bodyEnd - 2 - (bodyStart + HEAD.length);
  if (length < 1 || length > MAX_TEXT) return false;
  for (let i = 0; i < HEAD.length; i += 1) if (bytes[bodyStart + i] !== HEAD[i]) return false;
  if (DECLARES.every((byte, i) => bytes[bodyStart + HEAD.length + i] === byte)) return false;
  // The body begins and ends with a string and has only one, so that is its only member.
  return bytes[bodyEnd - 2] === QUOTE;
}
