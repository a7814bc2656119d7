import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { cosignatureMessage, parseCosignature } from '@assay/core/log/cosignature';
import { type Note, NOTE_COSIGNATURE, type NoteKey, parseNote } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Environment } from '../verdict/environment.ts';

/** A checkpoint and the signed note that holds it. No line of the note is believed yet. */
export interface SignedCheckpoint {
  readonly note: Note;
  readonly checkpoint: Checkpoint;
}

/** Throws `bad_note`, `bad_base64` or `bad_utf8`. */
export function parseSignedCheckpoint(text: string): SignedCheckpoint {
  const note = parseNote(formatUtf8(text));
  return { note, checkpoint: parseCheckpoint(note.text) };
}

/**
 * Whether a line of the note is a signature by this key, of the key's type: over the text, or for a witness over the
 * text and its time. A bad line beside a good one takes nothing back.
 */
export async function isSignedBy(
  { text, signatures }: Note,
  key: NoteKey,
  { verifySignature }: Pick<Environment, 'verifySignature'>,
): Promise<boolean> {
  for (const { name, keyId, signature } of signatures) {
    if (name !== key.name || keyId !== key.keyId) continue;
    if (key.type === NOTE_COSIGNATURE) {
      const line = parseCosignature(signature);
      if (line === undefined) continue;
      const message = cosignatureMessage(text, line.time);
      if (await verifySignature(key.publicKey, message, line.signature)) return true;
    } else if (await verifySignature(key.publicKey, formatUtf8(text), signature)) {
      return true;
    }
  }
  return false;
}
