import { formatBase64, parseBase64 } from '../bytes/base64.ts';
import { equalBytes } from '../bytes/bytes.ts';
import { parseCheckpoint } from '../log/checkpoint.ts';
import { checkpointsContradict, printsContradict, statementsContradict } from './contradiction.ts';
import { Fault } from '../fault.ts';
import { type Hash, type HashHex, hashHex as toHashHex, type Sha256 } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { parseSubmissionReceipt, type SubmissionReceipt } from '../intake/submission-receipt.ts';
import { parseNote } from '../log/note.ts';
import { PRINT_BYTES } from '../report/print.ts';
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
import { formatStatement, parseStatement, type Statement } from '../report/statement.ts';
import { parseTicker, type Ticker } from '../rule/ticker.ts';
import { parseTlogProof } from '../log/tlog-proof.ts';
import { verifyInclusion } from '../log/tree.ts';
import { parseUtf8 } from '../bytes/utf8.ts';
import { formatWire, parseWire } from '../wire/wire.ts';

/**
 * A file that proves by signatures alone that somebody broke a promise. It needs no network, no log and no trust in
 * whoever made it. It is canonical JSON with a closed schema. What it proves is found by checking it; the file itself
 * claims nothing.
 */
export type Evidence =
  | ForkEvidence
  | PrintsEvidence
  | StatementsEvidence
  | OmissionEvidence
  | PromiseEvidence;

/** Entry 0, and the proof that it is the first of a signed tree. The entry names the log and the log's key. */
export interface ProvenGenesis {
  /** Base64. */
  readonly entry: string;
  /** RFC 6962 inclusion proof of index 0 in the tree of one of the two checkpoints, leaf side first. */
  readonly proof: readonly HashHex[];
}

/** One key signed two checkpoints of one origin that no log can both have. */
export interface ForkEvidence {
  readonly type: 'assay-evidence/1';
  readonly kind: 'fork';
  /** Null where the file does not show which log it is; it still shows the origin and the key. */
  readonly genesis: ProvenGenesis | null;
  /** The key of both, as a signed note names it. */
  readonly vkey: string;
  /** Witnesses that signed both, as signed notes name them (type 04), ascending, each once. */
  readonly witnesses: readonly string[];
  /** Signed notes, the smaller tree first; of equal sizes, ordered by their text. */
  readonly first: string;
  readonly second: string;
  /** For two sizes, the hashes of `prefixRanges` of the second tree; null where the sizes are equal. */
  readonly consistency: readonly HashHex[] | null;
}

export interface SignedMessage {
  /** The 128 bytes of a print message, hex. */
  readonly message: string;
  /** Ed25519, hex. */
  readonly signature: string;
}

/** One key signed two print messages for one place. */
export interface PrintsEvidence {
  readonly type: 'assay-evidence/1';
  readonly kind: 'prints';
  /** Ed25519, hex. */
  readonly key: string;
  /** What the series of both derives from: entry 0 of the log, Base64, and the ticker; null where unknown. */
  readonly log: { readonly genesis: string; readonly ticker: Ticker } | null;
  /** Ascending by their bytes. */
  readonly first: SignedMessage;
  readonly second: SignedMessage;
}

export interface SignedStatement {
  readonly statement: Statement;
  /** Ed25519 over `statementMessage`, hex. */
  readonly signature: string;
}

/** One co-signer made two statements that exclude each other. */
export interface StatementsEvidence {
  readonly type: 'assay-evidence/1';
  readonly kind: 'statements';
  /** Ascending by their canonical bytes. */
  readonly first: SignedStatement;
  readonly second: SignedStatement;
}

/** A log gave a receipt for an entry, and signed a larger or smaller tree that holds another entry in its place. */
export interface OmissionEvidence {
  readonly type: 'assay-evidence/1';
  readonly kind: 'omission';
  readonly genesis: ProvenGenesis | null;
  readonly vkey: string;
  /** Witnesses that signed both checkpoints, as in a fork. */
  readonly witnesses: readonly string[];
  /** The receipt: a C2SP tlog-proof@v1 of `receipted`. */
  readonly receipt: string;
  /** Leaf hash of the entry that has the receipt. */
  readonly receipted: HashHex;
  /** The other signed note. */
  readonly checkpoint: string;
  /** The leaf hash that its tree holds at the receipt's index, with its inclusion proof. */
  readonly leaf: HashHex;
  readonly proof: readonly HashHex[];
}

/** A publisher gave a receipt for an answer or a forecast, and closed a batch without it in its place. */
export interface PromiseEvidence {
  readonly type: 'assay-evidence/1';
  readonly kind: 'promise';
  /** Entry 0 of the log that the receipt names. */
  readonly genesis: ProvenGenesis;
  /** The log's key, as a signed note names it. */
  readonly vkey: string;
  readonly receipt: SubmissionReceipt;
  /** The signed note of a tree that has the batch. */
  readonly checkpoint: string;
  /** The entry that ends the batch, with its count and its root: Base64, its index, and its inclusion proof. */
  readonly batch: {
    readonly entry: string;
    readonly index: number;
    readonly proof: readonly HashHex[];
  };
  /** The leaf that the batch has in that place, with its inclusion proof; null where the batch ends before it. */
  readonly other: { readonly leaf: HashHex; readonly proof: readonly HashHex[] } | null;
}

/** The most bytes of an evidence file that a checker reads. */
export const MAX_EVIDENCE_BYTES = 524_288;

/** The most witnesses that one file accuses: as many as one note can carry. */
const MAX_WITNESSES = 64;
const MAX_PROOF = 64;

const base64: Parse<string> = (value, at) => {
  const text = string(4, MAX_EVIDENCE_BYTES)(value, at);
  try {
    parseBase64(text);
  } catch {
    throw malformed(at, 'base64', text);
  }
  return text;
};

const note = string(1, 65_536);
const vkey = string(1, 512);
const proof = array(hashHex, 0, MAX_PROOF);
const type = literal('assay-evidence/1');

const genesis: Parse<ProvenGenesis | null> = nullable(
  object<ProvenGenesis>({ entry: base64, proof }),
);

const witnesses: Parse<readonly string[]> = (value, at) => {
  const keys = array(vkey, 0, MAX_WITNESSES)(value, at);
  for (const [i, key] of keys.entries()) {
    const before = keys[i - 1];
    if (before !== undefined && before >= key) {
      throw malformed(`${at}[${i}]`, 'verifier keys in ascending order, each once', key);
    }
  }
  return keys;
};

const signedMessage: Parse<SignedMessage> = object<SignedMessage>({
  message: hex(PRINT_BYTES),
  signature: hex(64),
});

const signedStatement: Parse<SignedStatement> = object<SignedStatement>({
  statement: parseStatement,
  signature: hex(64),
});

const parseFork: Parse<ForkEvidence> = object<ForkEvidence>({
  type,
  kind: literal('fork'),
  genesis,
  vkey,
  witnesses,
  first: note,
  second: note,
  consistency: nullable(array(hashHex, 1, MAX_PROOF)),
});

const parsePrints: Parse<PrintsEvidence> = object<PrintsEvidence>({
  type,
  kind: literal('prints'),
  key: hex(32),
  log: nullable(
    object<NonNullable<PrintsEvidence['log']>>({ genesis: base64, ticker: parseTicker }),
  ),
  first: signedMessage,
  second: signedMessage,
});

const parseStatements: Parse<StatementsEvidence> = object<StatementsEvidence>({
  type,
  kind: literal('statements'),
  first: signedStatement,
  second: signedStatement,
});

const parseOmission: Parse<OmissionEvidence> = object<OmissionEvidence>({
  type,
  kind: literal('omission'),
  genesis,
  vkey,
  witnesses,
  receipt: string(1, 131_072),
  receipted: hashHex,
  checkpoint: note,
  leaf: hashHex,
  proof,
});

const parsePromise: Parse<PromiseEvidence> = object<PromiseEvidence>({
  type,
  kind: literal('promise'),
  genesis: object<ProvenGenesis>({ entry: base64, proof }),
  vkey,
  receipt: parseSubmissionReceipt,
  checkpoint: note,
  batch: object<PromiseEvidence['batch']>({
    entry: base64,
    index: integer(1, Number.MAX_SAFE_INTEGER),
    proof,
  }),
  other: nullable(object<NonNullable<PromiseEvidence['other']>>({ leaf: hashHex, proof })),
});

export function formatEvidence(evidence: Evidence): Uint8Array {
  return formatWire(evidence);
}

/** Throws `too_large`, `not_canonical`, `bad_utf8`, `malformed`, or `unsupported` for another kind. */
export function parseEvidence(bytes: Uint8Array): Evidence {
  if (bytes.length > MAX_EVIDENCE_BYTES) {
    throw new Fault('too_large', 'evidence', { expected: `at most ${MAX_EVIDENCE_BYTES} bytes` });
  }
  const value = parseWire(bytes);
  const kind = isObject(value) ? value['kind'] : undefined;
  switch (kind) {
    case 'fork':
      return parseFork(value, '');
    case 'prints':
      return parsePrints(value, '');
    case 'statements':
      return parseStatements(value, '');
    case 'omission':
      return parseOmission(value, '');
    case 'promise':
      return parsePromise(value, '');
    default:
      throw new Fault('unsupported', 'evidence', {
        at: 'kind',
        expected: 'fork, prints, statements, omission or promise',
      });
  }
}

/** What accompanies the two checkpoints of one log. */
interface SignedTrees {
  readonly genesis: ProvenGenesis | null;
  readonly vkey: string;
}

/** Two checkpoints in any order, as signed notes with their original signature lines. */
export interface ForkParts extends SignedTrees {
  readonly first: Uint8Array;
  readonly second: Uint8Array;
  /** For two sizes, the hashes of `prefixRanges` in the larger tree; null for equal sizes. */
  readonly consistency: readonly Hash[] | null;
}

/**
 * The evidence of two checkpoints; undefined where the parts show no contradiction. Signatures are not checked here but
 * by the checker. The verifier adds witnesses, whose lines it checks. Throws `bad_note`, `bad_base64`, `bad_utf8`, and
 * `bad_proof` for a proof of another length.
 */
export function forkEvidence(sha256: Sha256, parts: ForkParts): ForkEvidence | undefined {
  const { genesis: proven, vkey: key, consistency } = parts;
  const notes = [parts.first, parts.second].map((bytes) => ({
    text: parseUtf8(bytes),
    checkpoint: parseCheckpoint(parseNote(bytes).text),
  }));
  notes.sort((a, b) => a.checkpoint.size - b.checkpoint.size || (a.text < b.text ? -1 : 1));
  const [first, second] = notes as [(typeof notes)[0], (typeof notes)[0]];
  const prefix = first.checkpoint.size === second.checkpoint.size ? null : consistency;
  if (!checkpointsContradict(sha256, first.checkpoint, second.checkpoint, prefix)) return undefined;
  return {
    type: 'assay-evidence/1',
    kind: 'fork',
    genesis: proven,
    vkey: key,
    witnesses: [],
    first: first.text,
    second: second.text,
    consistency: prefix === null ? null : prefix.map(toHashHex),
  };
}

/**
 * The evidence of two print messages that one key signed, in any order; undefined if they do not contradict
 * each other. Throws `bad_hex`, `bad_length` or `malformed` for bytes that are not a print.
 */
export function printsEvidence(
  parts: Pick<PrintsEvidence, 'key' | 'log' | 'first' | 'second'>,
): PrintsEvidence | undefined {
  const prints = [parts.first, parts.second] as const;
  const [a, b] = prints.map(({ message }) => parseHex(message, PRINT_BYTES));
  if (!printsContradict(a as Uint8Array, b as Uint8Array)) return undefined;
  const [first, second] = prints[0].message < prints[1].message ? prints : [prints[1], prints[0]];
  return {
    type: 'assay-evidence/1',
    kind: 'prints',
    key: parts.key,
    log: parts.log,
    first,
    second,
  };
}

/** The evidence of two statements, in any order; undefined if they do not contradict each other. */
export function statementsEvidence(
  a: SignedStatement,
  b: SignedStatement,
): StatementsEvidence | undefined {
  if (!statementsContradict(a.statement, b.statement)) return undefined;
  const [first, second] = isOrdered(a.statement, b.statement) ? [a, b] : [b, a];
  return { type: 'assay-evidence/1', kind: 'statements', first, second };
}

/** Whether the canonical text of `a` sorts before that of `b`. */
export function isOrdered(a: Statement, b: Statement): boolean {
  return parseUtf8(formatStatement(a)) < parseUtf8(formatStatement(b));
}

export interface OmissionParts extends SignedTrees {
  /** A C2SP tlog-proof@v1. */
  readonly receipt: string;
  /** Leaf hash that the receipt is for. */
  readonly receipted: Hash;
  /** The signed note of a tree that is larger than the receipt's index. */
  readonly checkpoint: Uint8Array;
  readonly leaf: Hash;
  readonly proof: readonly Hash[];
}

/**
 * The evidence of an entry that has a receipt and is not in its place; undefined if it is there. Throws
 * `bad_proof` or `out_of_range` if a proof does not lead to its checkpoint's root.
 */
export function omissionEvidence(
  sha256: Sha256,
  parts: OmissionParts,
): OmissionEvidence | undefined {
  const { index, hashes, checkpoint } = parseTlogProof(parts.receipt);
  if (equalBytes(parts.receipted, parts.leaf)) return undefined;
  const given = parseCheckpoint(parseNote(checkpoint).text);
  const other = parseCheckpoint(parseNote(parts.checkpoint).text);
  if (given.origin !== other.origin) return undefined;
  verifyInclusion(sha256, parts.receipted, index, given.size, hashes, given.root);
  verifyInclusion(sha256, parts.leaf, index, other.size, parts.proof, other.root);
  return {
    type: 'assay-evidence/1',
    kind: 'omission',
    genesis: parts.genesis,
    vkey: parts.vkey,
    witnesses: [],
    receipt: parts.receipt,
    receipted: toHashHex(parts.receipted),
    checkpoint: parseUtf8(parts.checkpoint),
    leaf: toHashHex(parts.leaf),
    proof: parts.proof.map(toHashHex),
  };
}

/** Entry 0 and the proof of its place, in the form of evidence files. */
export function provenGenesis(entry: Uint8Array, inclusion: readonly Hash[]): ProvenGenesis {
  return { entry: formatBase64(entry), proof: inclusion.map(toHashHex) };
}
