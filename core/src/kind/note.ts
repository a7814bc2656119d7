import { object, type Parse, string } from '../schema.ts';

/** Words of the operator, for the record: an outage, a notice. They decide nothing. */
export interface NoteEntry {
  readonly text: string;
}

export const parseNoteEntry: Parse<NoteEntry> = object<NoteEntry>({ text: string(1, 32_768) });
