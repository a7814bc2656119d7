import { object, type Parse, string } from '../wire/schema.ts';
import type { EntryLayout } from '../log/entry.ts';
import { formatUtf8 } from '../bytes/utf8.ts';

const QUOTE = 0x22;

/** Words of the operator, for the record: an outage, a notice. They decide nothing. */
export interface NoteEntry {
  readonly text: string;
}

const MAX_TEXT = 32_768;

export const parseNoteEntry: Parse<NoteEntry> = object<NoteEntry>({ text: string(1, MAX_TEXT) });

const HEAD = formatUtf8('{"text":"');
/** How the text of a note begins that declares something, such as a loss or a succession. */
const DECLARES = formatUtf8('assay-');

/**
 * Whether the body of a scanned entry is surely a note's: a text and nothing else, of no more bytes than it
 * may have characters, and which declares nothing. Builds nothing. For those that it does not see at once there is
 * `parseNoteEntry`.
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
  // It begins with a string and ends with one, of which it has one: that is its only member.
  return bytes[bodyEnd - 2] === QUOTE;
}
