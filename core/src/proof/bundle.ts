import { Fault, faultCode } from '../fault.ts';
import { MAX_HEIGHT } from '../kind/beacon.ts';
import { MAX_BUNDLE_VALUES } from '../limits.ts';
import { parseBase64 } from '../bytes/base64.ts';
import type { HashHex } from '../hash/hash.ts';
import { INDEX_LEAF_BYTES } from '../completeness/leaf.ts';
import type { IndexProof, ShownLeaf } from '../completeness/proof.ts';
import {
  array,
  hashHex,
  hex,
  integer,
  isObject,
  literal,
  malformed,
  nullable,
  object,
  type Parse,
  string,
} from '../wire/schema.ts';
import { MAX_NOTE_BYTES } from '../log/note.ts';
import { formatWire, parseWire, type WireValue } from '../wire/wire.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { PRINT_BYTES } from '../report/print.ts';

/**
 * One file that proves one number offline: the entries that it rests on with their Merkle proofs, the source bytes that
 * the rule runs on, and the checkpoint that holds them.
 *
 * One section is always empty, because co-signers' statements are among the entries. A verifier of this version refuses
 * a bundle with something in that section, rather than ignore it.
 */
export interface Bundle {
  readonly type: 'assay-bundle/1';
  /** Entry 0. */
  readonly genesis: ProvenEntry;
  /**
   * Ascending by seq: the rule, the report, the beacon that the report names, if any, and the newest issue of the batch
   * of stamps that covers the report, if any. For a report that names a set of co-signers also every set before the
   * report, the co-signers' statements on the report, and the entry which records that its print is on chain, if the
   * log has one. With an index proof, the index entry that it is of.
   */
  readonly entries: readonly ProvenEntry[];
  /** Hash of the report that this bundle is about. */
  readonly report: HashHex;
  /** Its print message, hex. */
  readonly print: string;
  /** Over the print: the publisher's, then those of the agreements in the order of their entries. */
  readonly signatures: readonly BundleSignature[];
  readonly statements: readonly [];
  /** Manifests and source pages, by sha256, ascending. */
  readonly blobs: readonly BundleBlob[];
  /** What an index entry has of the report's period. One, or none while no index entry covered the report. */
  readonly index_proofs: readonly BundleIndexProof[];
  /** The signed note of the checkpoint. */
  readonly checkpoint: string;
  /**
   * Of a log whose checkpoint key was replaced, the closing heads of the keys that ended, ascending by number; absent of
   * any other. Among the entries are then every promise of a checkpoint key and every such key.
   */
  readonly closing_heads?: readonly BundleClosingHead[];
  /** What leads from the report's entry to the batch's timestamp; null while no batch covered it. */
  readonly ots: BundleStamp | null;
  /** For each Bitcoin block that the timestamp leads to, ascending: the block's header and the six that follow. */
  readonly headers: readonly BundleHeaders[];
  /** The accounts of the print on chain, as an RPC node answered; null if no node was asked. */
  readonly account: BundleAccounts | null;
}

/** The two accounts that a print is read from. */
export interface BundleAccounts {
  readonly feed: BundleAccount;
  /** The feed's page that holds the period. */
  readonly page: BundleAccount;
}

export interface BundleAccount {
  /** Base58. */
  readonly address: string;
  /** The program that owns it, base58. */
  readonly owner: string;
  /** The slot of the chain at which the bytes were read. */
  readonly slot: number;
  /** Base64. */
  readonly data: string;
}

export interface ProvenEntry {
  readonly seq: number;
  /** The entry's bytes, base64. */
  readonly bytes: string;
  /** RFC 6962 inclusion proof in the checkpoint's tree, leaf side first. */
  readonly proof: readonly HashHex[];
}

export interface BundleSignature {
  /** Ed25519 public key, hex. */
  readonly key: string;
  readonly signature: string;
}

/** What shows that a batch holds a checkpoint, and that the checkpoint holds an entry. */
export interface BundleStamp {
  /** The `.ots` file of the checkpoint that the batch holds, base64. */
  readonly checkpoint: string;
  /** RFC 6962 inclusion proof of the report's entry in that checkpoint's tree, leaf side first. */
  readonly inclusion: readonly HashHex[];
}

export interface BundleHeaders {
  readonly height: number;
  /** Seven headers of 80 bytes, hex. */
  readonly headers: string;
}

/**
 * What an index entry, the one at `seq`, has of the entries before it: every print of the report's series and period,
 * or every version of its rule.
 */
export interface BundleIndexProof extends IndexProof {
  readonly of: 'prints' | 'rules';
  readonly seq: number;
}

/** The closing head of a checkpoint key. */
export interface BundleClosingHead {
  /** The number of the key. */
  readonly number: number;
  /** Its signed note. */
  readonly note: string;
  /**
   * The hash of the tree of its size in the checkpoint's tree, with the RFC 6962 consistency proof, as `prefixRoots`
   * takes them; empty where the checkpoint is of the same size.
   */
  readonly proof: readonly HashHex[];
}

export interface BundleBlob {
  readonly sha256: HashHex;
  /** Base64. */
  readonly bytes: string;
}

/** Bytes whose commas are counted between two charges of the work budget. */
const PIECE = 1_048_576;

/** Bytes of a bundle file that a verifier reads. */
export const MAX_BUNDLE_BYTES = 268_435_456;

/** Whether it is valid Base64 is checked once the whole file has its shape, one piece at a time. */
const base64: Parse<string> = string(0, MAX_BUNDLE_BYTES);

const entry: Parse<ProvenEntry> = object<ProvenEntry>({
  seq: integer(0, Number.MAX_SAFE_INTEGER),
  bytes: base64,
  proof: array(hashHex, 0, 53),
});

const address = string(32, 44, /^[1-9A-HJ-NP-Za-km-z]+$/);
const account: Parse<BundleAccount> = object<BundleAccount>({
  address,
  owner: address,
  slot: integer(0, Number.MAX_SAFE_INTEGER),
  data: base64,
});

const MAX_SEQ = Number.MAX_SAFE_INTEGER;
/** A period has at most 256 provisionals, as many corrections, the print that settles it, and two neighbours. */
const MAX_SHOWN_LEAVES = 520;

/** An index proof, or `malformed`. */
export const parseIndexProof: Parse<BundleIndexProof> = (value, at) => {
  const isRules = isObject(value) && value['of'] === 'rules';
  return isRules ? rulesProof(value, at) : printsProof(value, at);
};

const [printsProof, rulesProof] = [proofOf('prints'), proofOf('rules')];

function proofOf(of: BundleIndexProof['of']): Parse<BundleIndexProof> {
  return object<BundleIndexProof>({
    of: literal(of),
    seq: integer(1, MAX_SEQ),
    first: integer(0, MAX_SEQ),
    leaves: array(
      object<ShownLeaf>({ leaf: hex(INDEX_LEAF_BYTES[of]), proof: array(hashHex, 0, 53) }),
      1,
      MAX_SHOWN_LEAVES,
    ),
  });
}

const nothing: Parse<readonly []> = (value: WireValue, at) => {
  if (Array.isArray(value) && value.length === 0) return [];
  throw unsupported(at);
};

function unsupported(at: string): Fault {
  return new Fault('unsupported', 'bundle section', {
    at,
    expected: 'an empty section: this version checks none',
  });
}

const closingHead: Parse<BundleClosingHead> = object<BundleClosingHead>({
  number: integer(0, 65_534),
  note: string(1, MAX_NOTE_BYTES),
  proof: array(hashHex, 0, 128),
});

type BareBundle = Omit<Bundle, 'closing_heads'>;

const shape: { readonly [K in keyof BareBundle]: Parse<BareBundle[K]> } = {
  type: literal('assay-bundle/1'),
  genesis: entry,
  entries: array(entry, 1, 10_000),
  report: hashHex,
  print: hex(PRINT_BYTES),
  signatures: array(object<BundleSignature>({ key: hex(32), signature: hex(64) }), 1, 64),
  statements: nothing,
  blobs: array(object<BundleBlob>({ sha256: hashHex, bytes: base64 }), 0, 10_000),
  index_proofs: array(parseIndexProof, 0, 2),
  checkpoint: string(1, 65_536),
  ots: nullable(object<BundleStamp>({ checkpoint: base64, inclusion: array(hashHex, 0, 53) })),
  headers: array(
    object<BundleHeaders>({ height: integer(0, MAX_HEIGHT), headers: hex(7 * 80) }),
    0,
    16,
  ),
  account: nullable(object<BundleAccounts>({ feed: account, page: account })),
};

const parseBare: Parse<BareBundle> = object<BareBundle>(shape);
const parseWithHeads: Parse<Required<Bundle>> = object<Required<Bundle>>({
  ...shape,
  closing_heads: array(closingHead, 1, 256),
});

const parseShape: Parse<Bundle> = (value, at) =>
  isObject(value) && 'closing_heads' in value ? parseWithHeads(value, at) : parseBare(value, at);

export function formatBundle(bundle: Bundle): Uint8Array {
  return formatWire(bundle);
}

/** Throws `too_large`, `not_canonical`, `bad_utf8`, `malformed` or `unsupported`, and the errors of `work`. */
export function parseBundle(bytes: Uint8Array, work: WorkBudget = NO_LIMIT): Bundle {
  if (bytes.length > MAX_BUNDLE_BYTES) {
    throw new Fault('too_large', 'bundle', { expected: `at most ${MAX_BUNDLE_BYTES} bytes` });
  }
  // Base64 and notes have no commas, so the commas count the values before any is built.
  let commas = 0;
  for (let from = 0; from < bytes.length; from += PIECE) {
    const piece = bytes.subarray(from, from + PIECE);
    work.charge(piece.length);
    for (const byte of piece) if (byte === 0x2c) commas += 1;
  }
  if (commas > MAX_BUNDLE_VALUES) {
    throw new Fault('too_large', 'bundle', { expected: `at most ${MAX_BUNDLE_VALUES} values` });
  }
  const bundle = parseShape(parseWire(bytes, work), '');
  for (const [at, text] of base64Of(bundle)) requireBase64(at, text, work);
  if (bundle.ots === null && bundle.headers.length > 0) {
    throw malformed('headers', 'none without a proof', bundle.headers.length);
  }
  if (bundle.genesis.seq !== 0) throw malformed('genesis.seq', '0', bundle.genesis.seq);
  for (const [i, { seq }] of bundle.entries.entries()) {
    const before = bundle.entries[i - 1]?.seq ?? 0;
    if (seq <= before) throw malformed(`entries[${i}].seq`, `above ${before}`, seq);
  }
  const [prints, rules] = bundle.index_proofs;
  if (prints !== undefined && prints.of !== 'prints') {
    throw malformed('index_proofs[0].of', 'prints', prints.of);
  }
  if (rules !== undefined && rules.of !== 'rules') {
    throw malformed('index_proofs[1].of', 'rules', rules.of);
  }
  for (const [i, { height }] of bundle.headers.entries()) {
    const before = bundle.headers[i - 1]?.height;
    if (before !== undefined && height <= before) {
      throw malformed(`headers[${i}].height`, `above ${before}`, height);
    }
  }
  for (const [i, { number }] of (bundle.closing_heads ?? []).entries()) {
    const before = bundle.closing_heads?.[i - 1]?.number ?? -1;
    if (number <= before) throw malformed(`closing_heads[${i}].number`, `above ${before}`, number);
  }
  for (const [i, { sha256 }] of bundle.blobs.entries()) {
    const before = bundle.blobs[i - 1]?.sha256;
    if (before !== undefined && sha256 <= before) {
      throw malformed(`blobs[${i}].sha256`, `above ${before}`, sha256);
    }
  }
  return bundle;
}

/** The Base64 texts of a bundle, with their places. */
function* base64Of(bundle: Bundle): Generator<readonly [at: string, text: string], undefined> {
  const { genesis, entries, blobs, ots, account: accounts } = bundle;
  yield ['genesis.bytes', genesis.bytes];
  for (const [i, { bytes }] of entries.entries()) yield [`entries[${i}].bytes`, bytes];
  for (const [i, { bytes }] of blobs.entries()) yield [`blobs[${i}].bytes`, bytes];
  if (ots !== null) yield ['ots.checkpoint', ots.checkpoint];
  if (accounts === null) return undefined;
  yield ['account.feed.data', accounts.feed.data];
  yield ['account.page.data', accounts.page.data];
  return undefined;
}

function requireBase64(at: string, text: string, work: WorkBudget): void {
  try {
    parseBase64(text, work);
  } catch (error) {
    work.requireLeft();
    if (faultCode(error) !== 'bad_base64') throw error;
    throw malformed(at, 'base64', text);
  }
}
