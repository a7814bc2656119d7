import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { hashHex } from '@assay/core/hash/hash';
import { parseNoteKey } from '@assay/core/log/note';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import { CLOSING_HEADS, ClosingHeads } from '../ledger/closing-heads.ts';
import type { Stored } from '../ledger/start.ts';
import { rangeHash } from '../ledger/tree-reader.ts';
import { openMirrored } from '../mirror/mirrored-note.ts';
import type { LackingFile } from './file-recovery.ts';
import type { Restoration } from './restoration.ts';

/**
 * Keeps the closing heads of the checkpoint keys that ended, from whatever source has them: each is signed by its key,
 * covers the promise of the next, and is a head of the restored log. One that lies in the data folder and is none stays, for
 * nothing there is overwritten. Returns those that no source has, or that are in the way.
 */
export async function restoreClosingHeads(
  restoration: Restoration,
  terms: readonly CheckpointTerm[],
  stored: Pick<Stored, 'tiles'>,
): Promise<readonly LackingFile[]> {
  const closing = new ClosingHeads(restoration.parts.data);
  const lacking: LackingFile[] = [];
  for (const [i, term] of terms.entries()) {
    const after = terms[i + 1];
    if (after === undefined) continue;
    const places = [
      { name: restoration.parts.data, closingHead: (number: number) => closing.read(number) },
      ...restoration.sources,
    ];
    const reasons: string[] = [];
    let isKept = false;
    for (const source of places) {
      try {
        const note = await source.closingHead(term.number);
        if (note === undefined) continue;
        await requireClosing(restoration, note, term, after, stored);
        await closing.keep(term.number, note);
        isKept = true;
        break;
      } catch (error) {
        if (faultCode(error) === undefined) throw error;
        reasons.push(`${source.name}: ${messageOf(error)}`);
      }
    }
    if (isKept) continue;
    const reason = `the last head that checkpoint key ${term.number} signed: a node does not start without it`;
    lacking.push({
      path: `${CLOSING_HEADS}/${term.number}`,
      reason: [reason, ...reasons].join('; '),
    });
  }
  return lacking;
}

/** Throws `bad_note` or `ledger_differs` unless a note is the closing head of a key. */
async function requireClosing(
  { parts: { sha256 } }: Restoration,
  note: Uint8Array,
  { vkey, last_size: last }: CheckpointTerm,
  { promised_by: promise }: CheckpointTerm,
  { tiles }: Pick<Stored, 'tiles'>,
): Promise<void> {
  const { size, root } = openMirrored(parseNoteKey(sha256, vkey), note).checkpoint;
  const [least, most] = [(promise ?? 0) + 1, last ?? 0];
  if (size < least || size > most) {
    const expected = `a head of ${least} to ${most} entries`;
    throw new Fault('ledger_differs', 'closing head', { expected, found: `one of ${size}` });
  }
  const own = await rangeHash(sha256, tiles, { start: 0, end: size });
  if (equalBytes(own, root)) return;
  const [expected, found] = [`root ${hashHex(own)}`, hashHex(root)];
  throw new Fault('ledger_differs', 'closing head', { at: `size ${size}`, expected, found });
}
