import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import {
  formatNote,
  formatNoteKey,
  NOTE_ED25519,
  noteKeyId,
  parseNote,
} from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import { nodeVerifySignature } from '../platform/node-signature.ts';

/** Signs with a key without revealing it. */
export interface Signer {
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** The RFC 6962 proof that the tree that is to be signed begins with its first `oldSize` leaves. */
export type ProvePrefix = (oldSize: number) => Promise<readonly Hash[]>;

/** Makes and reads this log's signed checkpoints. */
export interface CheckpointSigner extends CheckpointReader {
  /**
   * The signed note of a head. `prove` is for a signer that judges what it signs. Throws `signer_away` while the
   * process that has the key does not answer, `ledger_behind` if it has signed a larger head, and `would_fork` if it
   * has signed another history.
   */
  readonly sign: (
    size: number,
    root: Checkpoint['root'],
    prove: ProvePrefix,
  ) => Uint8Array | Promise<Uint8Array>;
  /** Whether it remembers durably what it signed, and refuses a head that does not extend that. It does not by default. */
  readonly remembers?: boolean;
  /** Takes the log's checkpoint keys, before the first head and whenever one is added. Absent where there is one for good. */
  readonly follow?: (terms: readonly CheckpointTerm[]) => void;
}

/** Reads this log's signed checkpoints. */
export interface CheckpointReader {
  readonly origin: string;
  readonly vkey: string;
  /** The checkpoint in a note of this log. Throws `bad_note` if it is not one. */
  readonly open: (note: Uint8Array) => Checkpoint;
}

/** A signer whose key is in this process, which signs whatever head it is given. */
export interface LocalCheckpointSigner extends CheckpointReader {
  readonly sign: (size: number, root: Checkpoint['root']) => Uint8Array;
}

export function checkpointSigner(
  sha256: Sha256,
  origin: string,
  signer: Signer,
): LocalCheckpointSigner {
  const { publicKey } = signer;
  const note = noteOf(sha256, origin, publicKey);
  return {
    ...checkpointReader(sha256, origin, publicKey),
    sign(size, root) {
      const text = formatCheckpoint({ origin, size, root });
      return note(text, signer.sign(formatUtf8(text)));
    },
  };
}

/** Makes notes with one line, of the log's own key. */
export function noteOf(
  sha256: Sha256,
  origin: string,
  publicKey: Uint8Array,
): (text: string, signature: Uint8Array) => Uint8Array {
  const keyId = noteKeyId(sha256, origin, NOTE_ED25519, publicKey);
  return (text, signature) =>
    formatNote({ text, signatures: [{ name: origin, keyId, signature }] });
}

export function checkpointReader(
  sha256: Sha256,
  origin: string,
  publicKey: Uint8Array,
): CheckpointReader {
  const keyId = noteKeyId(sha256, origin, NOTE_ED25519, publicKey);
  return {
    origin,
    vkey: formatNoteKey(sha256, origin, publicKey),
    open(note) {
      const { text, signatures } = parseNote(note);
      const own = signatures.find((each) => each.name === origin && each.keyId === keyId);
      if (own === undefined) {
        throw new Fault('bad_note', 'checkpoint', {
          expected: `a signature of ${origin}+${keyId}`,
        });
      }
      if (!nodeVerifySignature(publicKey, formatUtf8(text), own.signature)) {
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
