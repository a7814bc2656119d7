import { parseBase64 } from '@assay/core/bytes/base64';
import { parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { hashHex, type HashHex, leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import type { ProvenEntry } from '@assay/core/proof/bundle';
import type { ProvenGenesis } from '@assay/core/proof/evidence';
import { type Genesis, parseGenesis } from '@assay/core/kind/genesis';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { parseNoteKey } from '@assay/core/log/note';
import { verifyInclusion } from '@assay/core/log/tree';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { isSignedBy, parseSignedCheckpoint } from '@assay/verifier/trust/signed-note';
import { bodyOf } from '@assay/verifier/client/log-answer';
import { TileReader } from '@assay/verifier/client/tile-reader';

/** What is proven of a log by its newest checkpoint: its first entry, and others by their places. */
export interface ProvenLog {
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
  readonly genesis: Genesis;
  /** The signed note of the checkpoint, and entry 0 with its proof, as evidence has them. */
  readonly checkpoint: string;
  readonly first: ProvenGenesis;
  /** The entry at a place. Throws `bad_proof` where the checkpoint does not cover it. */
  readonly entry: (seq: number) => Promise<Entry>;
  /** The same as bytes in Base64, with its proof. */
  readonly proven: (seq: number) => Promise<ProvenEntry>;
}

/**
 * Reads the newest checkpoint of a log and its first entry. The checkpoint has to be signed by the key that this entry
 * names, so that a server that shows a client another round has signed another history. Whether the whole log is sound is
 * for `assay verify`. Throws `bad_note`, `bad_proof`, `malformed` or what the reader throws.
 */
export async function readProvenLog(reader: LogReader, sha256: Sha256): Promise<ProvenLog> {
  const checkpoint = parseUtf8(await bodyOf(reader, '/checkpoint'));
  const signed = parseSignedCheckpoint(checkpoint);
  const { size, root } = signed.checkpoint;
  const tiles = new TileReader(reader, size, sha256);
  const proven = async (seq: number): Promise<ProvenEntry> => {
    const entry = await tiles.proven(seq);
    const hashes = entry.proof.map((each) => toHash(parseHex(each, 32)));
    verifyInclusion(sha256, leafHash(sha256, parseBase64(entry.bytes)), seq, size, hashes, root);
    return entry;
  };
  const start = await proven(0);
  const first = parseBase64(start.bytes);
  const { kind, body } = parseEntry(first);
  const genesis = parseGenesis(kind === 'genesis/1' ? body : null, 'genesis');
  const key = parseNoteKey(sha256, genesis.checkpoint_vkey);
  const tools = { verifySignature: nodeVerifySignatureAsync };
  if (!(await isSignedBy(signed.note, key, tools))) {
    throw new Fault('bad_note', 'checkpoint', { expected: `a line of ${key.name}` });
  }
  return {
    log: hashHex(leafHash(sha256, first)),
    genesis,
    checkpoint,
    first: { entry: start.bytes, proof: start.proof },
    entry: async (seq) => parseEntry(parseBase64((await proven(seq)).bytes)),
    proven,
  };
}
