import { formatCheckpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseEntry } from '@assay/core/log/entry';
import { Fault, messageOf } from '@assay/core/fault';
import { hashHex, leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parseReportEntry } from '@assay/core/kind/report-entry';
import { type NoteKey, parseNote } from '@assay/core/log/note';
import { reportHash } from '@assay/core/report/report';
import { verifyInclusion } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import type { Asked } from './cosigner.ts';

/** What a request states about the entry of its report. */
export type PublishedEntry = Pick<
  Asked,
  'report' | 'entry' | 'bytes' | 'head' | 'checkpoint' | 'inclusion'
>;

/**
 * Throws `refused`, with the place in the request, unless the report's entry is in the checkpoint that comes
 * with it: the note is signed with the log's checkpoint key and is of the head, the bytes are an entry with the
 * report at its seq, and their leaf is in the head's tree. Whoever has this can show the publisher's own
 * signature over what was signed, whatever the publisher shows to others.
 */
export function requirePublished(asked: PublishedEntry, key: NoteKey, sha256: Sha256): void {
  const { entry, head, bytes, inclusion } = asked;
  const checkpoint = openedBy(key, asked.checkpoint);
  if (checkpoint.size !== head.size) {
    throw refused('head.size', `${checkpoint.size}`, `${head.size}`);
  }
  if (hashHex(checkpoint.root) !== head.root) {
    throw refused('head.root', hashHex(checkpoint.root), head.root);
  }
  requireReportEntry(asked, sha256);
  const leaf = leafHash(sha256, bytes);
  if (hashHex(leaf) !== entry.leaf) throw refused('entry.leaf', hashHex(leaf), entry.leaf);
  try {
    const proof = inclusion.map((hash) => toHash(parseHex(hash, 32)));
    verifyInclusion(sha256, leaf, entry.seq, head.size, proof, checkpoint.root);
  } catch (error) {
    throw refused('inclusion', `entry ${entry.seq} in the tree of the head`, messageOf(error));
  }
}

/** The checkpoint of a note that the key has signed. */
function openedBy(key: NoteKey, bytes: Uint8Array): ReturnType<typeof parseCheckpoint> {
  try {
    const { text, signatures } = parseNote(bytes);
    const own = signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    const good =
      own !== undefined && nodeVerifySignature(key.publicKey, formatUtf8(text), own.signature);
    if (!good) throw new TypeError('no good signature of it');
    const checkpoint = parseCheckpoint(text);
    if (checkpoint.origin !== key.name || formatCheckpoint(checkpoint) !== text) {
      throw new TypeError(`one of ${checkpoint.origin}`);
    }
    return checkpoint;
  } catch (error) {
    throw refused('checkpoint', `one signed by ${key.name}+${key.keyId}`, messageOf(error));
  }
}

function requireReportEntry({ report, entry, bytes }: PublishedEntry, sha256: Sha256): void {
  try {
    const { kind, seq, body } = parseEntry(bytes);
    if (kind !== 'report/1') throw new TypeError(kind);
    if (seq !== entry.seq || seq !== report.seq) throw new TypeError(`entry ${seq}`);
    const found = parseReportEntry(body, 'body');
    const hash = reportHash(sha256, found.report);
    if (hash !== report.hash || found.signature !== report.signature) throw new TypeError(hash);
  } catch (error) {
    throw refused('entry', `entry ${entry.seq} with the report ${report.hash}`, messageOf(error));
  }
}

function refused(at: string, expected: string, found: string): Fault {
  return new Fault('refused', 'co-signer', { at, expected, found });
}
