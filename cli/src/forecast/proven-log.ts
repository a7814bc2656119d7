import { parseBase64 } from '@assay/core/bytes/base64';
import { parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { hashHex, type HashHex, leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import { type Genesis, parseGenesis } from '@assay/core/kind/genesis';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { parseNoteKey } from '@assay/core/log/note';
import { verifyInclusion } from '@assay/core/log/tree';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { isSignedBy, parseSignedCheckpoint } from '@assay/verifier/trust/signed-note';
import { bodyOf } from '../reader/log-answer.ts';
import { TileReader } from '../reader/tile-reader.ts';

/** What is proven of a log by its newest checkpoint: its first entry, and others by their places. */
export interface ProvenLog {
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
  readonly genesis: Genesis;
  /** The entry at a place. Throws `bad_proof` where the checkpoint does not cover it. */
  readonly entry: (seq: number) => Promise<Entry>;
}

/**
 * Reads the newest checkpoint of a log and its first entry. The checkpoint has to be signed by the key that this entry
 * names, so that a server that shows a client another round has signed another history. Whether the whole log is sound is
 * for `assay verify`. Throws `bad_note`, `bad_proof`, `malformed` or what the reader throws.
 */
export async function readProvenLog(reader: LogReader, sha256: Sha256): Promise<ProvenLog> {
  const signed = parseSignedCheckpoint(parseUtf8(await bodyOf(reader, '/checkpoint')));
  const { size, root } = signed.checkpoint;
  const tiles = new TileReader(reader, size, sha256);
  const provenBytes = async (seq: number): Promise<Uint8Array> => {
    const { bytes, proof } = await tiles.proven(seq);
    const entry = parseBase64(bytes);
    const hashes = proof.map((each) => toHash(parseHex(each, 32)));
    verifyInclusion(sha256, leafHash(sha256, entry), seq, size, hashes, root);
    return entry;
  };
  const first = await provenBytes(0);
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
    entry: async (seq) => parseEntry(await provenBytes(seq)),
  };
}
