import { entryBody, scanEntry } from '@assay/core/log/entry';
import { faultCode } from '@assay/core/fault';
import { isLossText, type Loss, parseLoss } from '@assay/core/kind/loss';
import { parseNoteEntry } from '@assay/core/kind/note';
import type { LogMirror } from '../../mirror/log-mirror.ts';

/** How many entries before a place are searched. A tail that nobody held is short. */
const MOST = 4096;

/**
 * The loss that a log declares for an entry, with the entry of the note; undefined if it declares none. A note
 * is in the place of the first of the lost entries, so it is at the entry's place or before it.
 */
export async function declaredLoss(
  mirror: Pick<LogMirror, 'entry'>,
  seq: number,
): Promise<Loss | undefined> {
  for (let at = seq; at >= Math.max(0, seq - MOST); at -= 1) {
    const bytes = await mirror.entry(at);
    const loss = bytes === undefined ? undefined : lossIn(bytes);
    if (loss?.from === at && (loss.to === null || seq < loss.to)) return loss;
  }
  return undefined;
}

function lossIn(bytes: Uint8Array): Loss | undefined {
  try {
    const layout = scanEntry(bytes);
    if (layout.kind !== 'note/1') return undefined;
    const { text } = parseNoteEntry(entryBody(bytes, layout), 'body');
    return isLossText(text) ? parseLoss(text) : undefined;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
