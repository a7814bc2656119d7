import type { Note, NoteKey } from '@assay/core/log/note';
import type { Environment } from '../verdict/environment.ts';
import { Findings } from '../verdict/finding.ts';
import { openCheckpoint } from './checkpoint-check.ts';
import type { ReadClosingHead } from './closing-head.ts';
import { isSignedBy } from './signed-note.ts';

/** Closing heads that are read to see whether one of them is signed by a key that is believed. */
const MAX_LEADS = 1024;

/**
 * What leads from the keys that are believed to a head: `head`, a line of one of them on it; `closing_head`, a line on a
 * closing head; `others`, closing heads of other keys alone; `none`.
 */
export type Lead = 'head' | 'closing_head' | 'others' | 'none';

/**
 * Looks for a line of one of `keys` on a head, and then on the closing heads from number `from` on. It reads at most 1024
 * of them, and ends with the second in a row that is missing, because a publisher serves every one. Throws what `read`
 * throws.
 */
export async function findLead(
  note: Note,
  keys: readonly NoteKey[],
  { from, read }: { readonly from: number; readonly read: ReadClosingHead },
  environment: Environment,
): Promise<Lead> {
  const isByKnown = async (of: Note): Promise<boolean> => {
    for (const key of keys) if (await isSignedBy(of, key, environment)) return true;
    return false;
  };
  if (await isByKnown(note)) return 'head';
  let lead: Lead = 'none';
  let missing = 0;
  for (let number = from; number < from + MAX_LEADS && missing < 2; number += 1) {
    const bytes = await read(number);
    const closing = bytes === undefined ? undefined : openCheckpoint(bytes, new Findings());
    missing = closing === undefined ? missing + 1 : 0;
    if (closing === undefined) continue;
    lead = 'others';
    if (await isByKnown(closing.note)) return 'closing_head';
  }
  return lead;
}
