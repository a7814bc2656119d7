import { parseBase64 } from '@assay/core/bytes/base64';
import { parseHex } from '@assay/core/bytes/hex';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { hashHex, type HashHex, leafHash, type Sha256, toHash } from '@assay/core/hash/hash';
import type { ProvenEntry } from '@assay/core/proof/bundle';
import type { ProvenGenesis } from '@assay/core/proof/evidence';
import { type Genesis, parseGenesis } from '@assay/core/kind/genesis';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { verifyInclusion } from '@assay/core/log/tree';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { openCheckpoint } from '@assay/verifier/trust/checkpoint-check';
import type { ClosingHead } from '@assay/verifier/trust/closing-head';
import { firstTerms, judgeHead } from '@assay/verifier/trust/key-path';
import { trustLog } from '@assay/verifier/trust/trust';
import { servedKeys } from '@assay/verifier/subject/served-keys';
import { PORTABLE } from '@assay/verifier/verdict/environment';
import { Findings } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { tilesOf } from '@assay/verifier/client/proven-log';
import { isSignedBy, parseSignedCheckpoint } from '@assay/verifier/trust/signed-note';
import { bodyOf } from '@assay/verifier/client/log-answer';
import { TileReader } from '@assay/verifier/client/tile-reader';

/** What is proven of a log by its newest checkpoint: its first entry, and others by their places. */
export interface ProvenLog {
  /** Leaf hash of entry 0. */
  readonly log: HashHex;
  readonly genesis: Genesis;
  /** The checkpoint key in force for that checkpoint. */
  readonly vkey: string;
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
 * names, or by one that took its place, so that a server that shows a client another round has signed another history. Whether the whole log is sound is
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
  const vkey = await signingKey(reader, first, checkpoint, sha256);
  return {
    log: hashHex(leafHash(sha256, first)),
    genesis,
    vkey,
    checkpoint,
    first: { entry: start.bytes, proof: start.proof },
    entry: async (seq) => parseEntry(parseBase64((await proven(seq)).bytes)),
    proven,
  };
}

/** The checkpoint key in force for a head, from that of genesis on. Throws `bad_note` for a head that it does not sign. */
async function signingKey(
  reader: LogReader,
  first: Uint8Array,
  checkpoint: string,
  sha256: Sha256,
): Promise<string> {
  const environment = { ...PORTABLE, sha256, verifySignature: nodeVerifySignatureAsync };
  const findings = new Findings();
  const open = openCheckpoint(formatUtf8(checkpoint), findings);
  const log = trustLog(first, OPEN_POLICY, undefined, environment, findings);
  if (open !== undefined && log !== undefined) {
    const source = { reader, tiles: tilesOf(reader) };
    const isFirst = await isSignedBy(open.note, log.key, environment);
    const path = isFirst
      ? { terms: firstTerms(log.genesis), closing: new Map<number, ClosingHead>(), holdsPin: false }
      : await servedKeys(source, open, [log.vkey], environment, findings);
    const by = { policy: OPEN_POLICY, pin: undefined };
    const unnamed = new NotCheckedList();
    const judged = path && (await judgeHead(open, log, path, by, environment, findings, unnamed));
    if (judged !== undefined && findings.count === 0) return judged.trusted.vkey;
  }
  const [worst] = findings.list;
  throw new Fault('bad_note', 'checkpoint', {
    expected: worst?.expected ?? 'a head of the log',
    found: worst?.found ?? 'another',
  });
}
