import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import {
  formatNote,
  formatNoteKey,
  NOTE_ED25519,
  noteKeyId,
  parseNote,
} from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeVerifySignature } from '../platform/node-signature.ts';

/** Signs with a key without revealing it. */
export interface Signer {
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** Makes and reads this log's signed checkpoints. */
export interface CheckpointSigner {
  readonly origin: string;
  readonly vkey: string;
  readonly sign: (size: number, root: Checkpoint['root']) => Uint8Array;
  /** The checkpoint in a note of this log. Throws `bad_note` if it is not one. */
  readonly open: (note: Uint8Array) => Checkpoint;
}

export function checkpointSigner(sha256: Sha256, origin: string, signer: Signer): CheckpointSigner {
  const keyId = noteKeyId(sha256, origin, NOTE_ED25519, signer.publicKey);
  return {
    origin,
    vkey: formatNoteKey(sha256, origin, signer.publicKey),
    sign(size, root) {
      const text = formatCheckpoint({ origin, size, root });
      const signature = signer.sign(formatUtf8(text));
      return formatNote({ text, signatures: [{ name: origin, keyId, signature }] });
    },
    open(note) {
      const { text, signatures } = parseNote(note);
      const own = signatures.find((each) => each.name === origin && each.keyId === keyId);
      if (own === undefined) {
        throw new Fault('bad_note', 'checkpoint', {
          expected: `a signature of ${origin}+${keyId}`,
        });
      }
      if (!nodeVerifySignature(signer.publicKey, formatUtf8(text), own.signature)) {
        throw new Fault('bad_note', 'checkpoint', { expected: 'a good signature of our own' });
      }
      const checkpoint = parseCheckpoint(text);
      if (
        checkpoint.origin !== origin ||
        !equalBytes(formatUtf8(formatCheckpoint(checkpoint)), formatUtf8(text))
      ) {
        throw new Fault('bad_note', 'checkpoint', { expected: origin, found: checkpoint.origin });
      }
      return checkpoint;
    },
  };
}
