import { formatBase64 } from '@assay/core/base64';
import { type Bundle, formatBundle, MAX_BUNDLE_BYTES } from '@assay/core/bundle';
import { parseCheckpoint } from '@assay/core/checkpoint';
import { type Entry, parseEntry } from '@assay/core/entry';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import { type Anchor, parseAnchor } from '@assay/core/kind/anchor';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseNote } from '@assay/core/note';
import { PROOF_PATH, proofUrl } from '@assay/core/payload/proof';
import { PRINT_BYTES } from '@assay/core/print';
import { parseReport, type Report } from '@assay/core/report';
import { isNamed, type Rule } from '@assay/core/rule/rule';
import { hashHex as parseHash, hex, integer, isObject, nullable } from '@assay/core/schema';
import { keptBlobs, parseSnapshot } from '@assay/core/snapshot';
import {
  formatTilePath,
  levelLength,
  parseEntryBundle,
  parseHashTile,
  TILE_WIDTH,
} from '@assay/core/tile';
import { foldRight, inclusionRanges, rangeNodes, rootOf, type TreeNode } from '@assay/core/tree';
import { checkpointDigest } from '@assay/core/stamp';
import { parseUtf8 } from '@assay/core/utf8';
import type { WireObject, WireValue } from '@assay/core/wire';
import type { LogReader } from '@assay/verifier/log-reader';

const TILE_HEIGHT = 8;
/** Times that a proof is asked for until it stands still. */
const MAX_TRIES = 5;

/** Which number a bundle is to prove. */
export interface BundleChoice {
  /** Ticker or slug. */
  readonly index: string;
  /** YYYY-MM-DD; the newest printed where absent. */
  readonly period: string | undefined;
}

/** A bundle's file, and what the log says the number is. */
export interface MadeBundle {
  readonly bytes: Uint8Array;
  readonly report: Report;
  readonly rule: Rule;
}

/** The file alone of `gatherBundle`. */
export async function makeBundle(
  reader: LogReader,
  choice: BundleChoice,
  sha256: Sha256,
): Promise<Uint8Array> {
  return (await gatherBundle(reader, choice, sha256)).bytes;
}

/**
 * Gathers from a log's server what proves one number offline. Nothing is believed here: the verifier
 * checks the file like any other. Throws `refused` for a report
 * of another index or period than asked for.
 */
export async function gatherBundle(
  reader: LogReader,
  choice: BundleChoice,
  sha256: Sha256,
): Promise<MadeBundle> {
  const name = encodeURIComponent(choice.index);
  const query = choice.period === undefined ? '' : `?period=${choice.period}`;
  const found = await reportOf(reader, `/indices/${name}/report${query}`);
  requirePeriod(found.report, choice);
  const ruleSeq = await ruleSeqOf(reader, `/indices/${name}/rule`, found.report.rule.hash);
  const { note, log, held } = await standingOf(reader, found.hash, sha256);
  const rule = requireIndex(found.report, await log.entry(ruleSeq), choice, sha256);
  const blobs = new Blobs(reader);
  for (const { snapshot } of found.report.reads) {
    if (snapshot !== null) await blobs.addSnapshot(snapshot);
  }
  const { after_seq: afterSeq } = found;
  const seqs = [
    ...new Set([
      ruleSeq,
      found.seq,
      ...(afterSeq === null ? [] : [afterSeq]),
      ...(held === undefined ? [] : [held.anchorSeq]),
    ]),
  ];
  const entries: Bundle['genesis'][] = [];
  for (const seq of seqs.sort((a, b) => a - b)) entries.push(await log.proven(seq));
  const bundle: Bundle = {
    type: 'assay-bundle/1',
    genesis: await log.proven(0),
    entries,
    report: found.hash,
    print: found.print,
    signatures: [{ key: found.public_key, signature: found.signature }],
    statements: [],
    blobs: blobs.list(),
    index_proofs: [],
    checkpoint: parseUtf8(note),
    ots:
      held === undefined
        ? null
        : {
            checkpoint: formatBase64(held.file),
            inclusion: await log.inclusion(found.seq, held.anchor.to),
          },
    headers: held === undefined ? [] : await headersOf(reader, held.anchor),
    account: null,
  };
  return { bytes: formatBundle(bundle), report: found.report, rule };
}

/** A server may answer with a true report of another period. Throws `refused`. */
function requirePeriod({ ticker, period }: Report, choice: BundleChoice): void {
  if (choice.period === undefined || choice.period === period) return;
  const expected = `the report of ${choice.period}`;
  throw new Fault('refused', 'report', { expected, found: `${ticker} ${period}` });
}

/** Or of another index: its rule, which says by which names it goes. Throws `refused`. */
function requireIndex(
  { ticker, period }: Report,
  entry: Entry,
  { index }: BundleChoice,
  sha256: Sha256,
): Rule {
  const known = bodyParser(sha256)(entry.kind, entry.body);
  const rule = known?.kind === 'rule/1' ? known.body.rule : undefined;
  if (rule !== undefined && rule.ticker === ticker && isNamed(rule, index)) return rule;
  const expected = `a report of ${index}, by its ticker or by the slug of its rule`;
  throw new Fault('refused', 'report', { expected, found: `${ticker} ${period}` });
}

/** What a bundle takes from the report answer. */
interface FoundReport {
  readonly report: Report;
  readonly hash: HashHex;
  readonly print: string;
  readonly signature: string;
  readonly public_key: string;
  readonly seq: number;
  /** The beacon that the report's `after` is of. */
  readonly after_seq: number | null;
}

/** The report answer; a signed void stands inside its 404. */
async function reportOf(reader: LogReader, path: string): Promise<FoundReport> {
  const answer = await reader.get(path);
  const value = parseJson(answer.body, path);
  if (answer.status === 200) return readReport(value, path);
  const problem = isObject(value) ? value : {};
  if (answer.status === 404 && problem['void'] !== undefined) {
    return readReport(problem['void'], path);
  }
  const { detail } = problem;
  throw new Fault('not_found', 'report', {
    at: path,
    expected: 'a signed report',
    found: typeof detail === 'string' ? detail : `status ${answer.status}`,
  });
}

function readReport(value: WireValue, path: string): FoundReport {
  const member = (name: string): WireValue => (isObject(value) ? (value[name] ?? null) : null);
  const at = (name: string): string => `${path} ${name}`;
  return {
    report: parseReport(member('report'), at('report')),
    hash: parseHash(member('hash'), at('hash')),
    print: hex(PRINT_BYTES)(member('print'), at('print')),
    signature: hex(64)(member('signature'), at('signature')),
    public_key: hex(32)(member('public_key'), at('public_key')),
    seq: integer(1, Number.MAX_SAFE_INTEGER)(member('seq'), at('seq')),
    after_seq: nullable(integer(1, Number.MAX_SAFE_INTEGER))(member('after_seq'), at('after_seq')),
  };
}

/** The batch that covers a report: the entry that says most of it, and the file of its checkpoint. */
interface FoundStamp {
  readonly file: Uint8Array;
  readonly anchor: Anchor;
  readonly anchorSeq: number;
}

/** The newest entry on the batch that holds a digest; undefined while none does. */
async function anchorSeqOf(reader: LogReader, digest: HashHex): Promise<number | undefined> {
  const path = `${PROOF_PATH}/${digest}`;
  const answer = await reader.get(path);
  if (answer.status === 404) return undefined;
  const value = parseJson(await body(reader, path), path);
  const seq = isObject(value) ? (value['anchor_seq'] ?? null) : null;
  return integer(1, Number.MAX_SAFE_INTEGER)(seq, `${path} anchor_seq`);
}

/** The log at its newest checkpoint, and the batch that covers a report there. */
interface Standing {
  readonly note: Uint8Array;
  readonly log: TileReader;
  readonly held: FoundStamp | undefined;
}

async function standingOf(reader: LogReader, digest: HashHex, sha256: Sha256): Promise<Standing> {
  // A batch may move on between two requests.
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const anchorSeq = await anchorSeqOf(reader, digest);
    const note = await body(reader, '/checkpoint');
    const { origin, size } = parseCheckpoint(parseNote(note).text);
    const log = new TileReader(reader, size, sha256);
    if (anchorSeq === undefined) return { note, log, held: undefined };
    const anchor = await anchorAt(log, anchorSeq);
    const checkpoint = checkpointDigest(sha256, origin, anchor.to, anchor.root);
    const file = await body(reader, proofUrl(checkpoint));
    if ((await anchorSeqOf(reader, digest)) === anchorSeq) {
      return { note, log, held: { file, anchor, anchorSeq } };
    }
  }
  throw new Fault('not_found', 'proof', {
    at: `${PROOF_PATH}/${digest}`,
    expected: 'a proof that stands still',
  });
}

async function anchorAt(log: TileReader, seq: number): Promise<Anchor> {
  const { kind, body: anchor } = await log.entry(seq);
  if (kind !== 'anchor/1') throw new Fault('not_found', 'anchor', { at: `entry ${seq}` });
  return parseAnchor(anchor, 'body');
}

/** The headers of the blocks that an anchor names, each with the six that follow. */
async function headersOf(reader: LogReader, { bitcoin }: Anchor): Promise<Bundle['headers']> {
  const headers: Bundle['headers'][number][] = [];
  for (const { height, header, following } of bitcoin) {
    const rest = formatHex(await body(reader, `/blob/${following}`));
    headers.push({ height, headers: `${header}${rest}` });
  }
  return headers;
}

/** The entry that brought a version of an index's rule. */
async function ruleSeqOf(reader: LogReader, path: string, hash: HashHex): Promise<number> {
  const value = parseJson(await body(reader, path), path);
  const versions = isObject(value) ? value['versions'] : undefined;
  const found = (Array.isArray(versions) ? (versions as readonly WireValue[]) : []).find(
    (each) => isObject(each) && each['hash'] === hash,
  );
  if (!isObject(found ?? null)) throw new Fault('not_found', 'rule', { at: path, expected: hash });
  return integer(1, Number.MAX_SAFE_INTEGER)(
    (found as WireObject)['seq'] ?? null,
    `${path} versions.seq`,
  );
}

/** The kept bytes of a bundle, no more than a bundle can hold. */
class Blobs {
  readonly #reader: LogReader;
  readonly #blobs = new Map<HashHex, Uint8Array>();
  #room = MAX_BUNDLE_BYTES / 2;

  constructor(reader: LogReader) {
    this.#reader = reader;
  }

  async addSnapshot(hash: HashHex): Promise<void> {
    for (const each of keptBlobs(parseSnapshot(await this.#add(hash)))) await this.#add(each);
  }

  /** Ascending by hash. */
  list(): Bundle['blobs'] {
    return [...this.#blobs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([hash, bytes]) => ({ sha256: hash, bytes: formatBase64(bytes) }));
  }

  async #add(hash: HashHex): Promise<Uint8Array> {
    const known = this.#blobs.get(hash);
    if (known !== undefined) return known;
    const bytes = await body(this.#reader, `/blob/${hash}`);
    this.#room -= bytes.length;
    if (this.#room < 0) {
      throw new Fault('too_large', 'bundle', { expected: `kept bytes that fit a bundle` });
    }
    this.#blobs.set(hash, bytes);
    return bytes;
  }
}

async function body(reader: LogReader, path: string): Promise<Uint8Array> {
  const answer = await reader.get(path);
  if (answer.status === 200) return answer.body;
  throw new Fault('not_found', 'log', { at: path, expected: '200', found: `${answer.status}` });
}

function parseJson(bytes: Uint8Array, path: string): WireValue {
  try {
    return JSON.parse(parseUtf8(bytes)) as WireValue;
  } catch (cause) {
    throw new Fault('malformed', 'answer', { at: path, expected: 'JSON', cause });
  }
}

/** Entries and inclusion proofs of a tree of one size, from its tiles. */
class TileReader {
  readonly #reader: LogReader;
  readonly #size: number;
  readonly #sha256: Sha256;

  constructor(reader: LogReader, size: number, sha256: Sha256) {
    this.#reader = reader;
    this.#size = size;
    this.#sha256 = sha256;
  }

  async entry(seq: number): Promise<Entry> {
    return parseEntry(await this.#bytes(seq));
  }

  async #bytes(seq: number): Promise<Uint8Array> {
    const index = Math.floor(seq / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, this.#size - index * TILE_WIDTH);
    const path = formatTilePath({ level: 'entries', index, width });
    const entries = parseEntryBundle(await body(this.#reader, `/${path}`), width);
    const bytes = entries[seq - index * TILE_WIDTH];
    if (bytes === undefined || parseEntry(bytes).seq !== seq) {
      throw new Fault('not_found', 'entry', { expected: `entry ${seq}` });
    }
    return bytes;
  }

  async proven(seq: number): Promise<Bundle['genesis']> {
    const bytes = await this.#bytes(seq);
    return { seq, bytes: formatBase64(bytes), proof: await this.inclusion(seq, this.#size) };
  }

  /** What leads from an entry to the root of the log's first `size` entries. */
  async inclusion(seq: number, size: number): Promise<readonly HashHex[]> {
    const proof: HashHex[] = [];
    for (const range of inclusionRanges(seq, size)) {
      const hashes: Hash[] = [];
      for (const node of rangeNodes(range)) hashes.push(await this.#node(node));
      proof.push(hashHex(foldRight(this.#sha256, hashes)));
    }
    return proof;
  }

  async #node(node: TreeNode): Promise<Hash> {
    const level = Math.floor(node.level / TILE_HEIGHT);
    const span = 2 ** (node.level % TILE_HEIGHT);
    const first = node.index * span;
    const index = Math.floor(first / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, levelLength(level, this.#size) - index * TILE_WIDTH);
    const path = formatTilePath({ level, index, width });
    const hashes = parseHashTile(await body(this.#reader, `/${path}`), width);
    const start = first % TILE_WIDTH;
    return rootOf(this.#sha256, hashes.slice(start, start + span));
  }
}
