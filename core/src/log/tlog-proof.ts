import { formatBase64, parseBase64 } from '../bytes/base64.ts';
import { Fault } from '../fault.ts';
import { type Hash, toHash } from '../hash/hash.ts';
import { formatUtf8, parseUtf8 } from '../bytes/utf8.ts';

/**
 * A C2SP tlog-proof@v1: that a leaf is number `index` of the tree of a signed checkpoint.
 *
 *     c2sp.org/tlog-proof@v1
 *     index <decimal>
 *     <base64 of a hash, a line each, leaf side first>
 *     (empty line)
 *     <the checkpoint: a signed note>
 */
export interface TlogProof {
  readonly index: number;
  /** RFC 6962 inclusion proof, leaf side first. */
  readonly hashes: readonly Hash[];
  /** The signed note. */
  readonly checkpoint: Uint8Array;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
const MAX_HASHES = 63;

export function formatTlogProof({ index, hashes, checkpoint }: TlogProof): string {
  const lines = [HEADER, `index ${index}`, ...hashes.map(formatBase64)];
  return `${lines.join('\n')}\n\n${parseUtf8(checkpoint)}`;
}

/** Parses a proof without `extra` lines. Throws `bad_proof` or `bad_base64`. */
export function parseTlogProof(text: string): TlogProof {
  const end = text.indexOf('\n\n');
  const [header, indexLine = '', ...hashes] = text.slice(0, Math.max(end, 0)).split('\n');
  const digits = /^index (0|[1-9][0-9]{0,15})$/.exec(indexLine)?.[1];
  const index = Number(digits);
  if (header !== HEADER || digits === undefined || !Number.isSafeInteger(index)) {
    throw bad('the header and the index', `${header} ${indexLine}`);
  }
  if (hashes.length > MAX_HASHES) throw bad(`at most ${MAX_HASHES} hashes`, `${hashes.length}`);
  return {
    index,
    hashes: hashes.map((line) => toHash(parseBase64(line))),
    checkpoint: formatUtf8(text.slice(end + 2)),
  };
}

function bad(expected: string, found: string): Fault {
  return new Fault('bad_proof', 'tlog-proof', {
    expected,
    found: JSON.stringify(found.slice(0, 80)),
  });
}
