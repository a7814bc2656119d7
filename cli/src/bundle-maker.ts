import { formatBase64 } from '@assay/core/base64';
import { type Bundle, formatBundle } from '@assay/core/bundle';
import { parseCheckpoint } from '@assay/core/checkpoint';
import { parseEntry } from '@assay/core/entry';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, type Sha256, toHashHex } from '@assay/core/hash';
import { parseNote } from '@assay/core/note';
import type { ReportPayload } from '@assay/core/payload/report';
import type { RulePayload } from '@assay/core/payload/rule';
import { parseSnapshot } from '@assay/core/snapshot';
import {
  formatTilePath,
  levelLength,
  parseEntryBundle,
  parseHashTile,
  TILE_WIDTH,
} from '@assay/core/tile';
import { foldRight, inclusionRanges, rangeNodes, rootOf, type TreeNode } from '@assay/core/tree';
import { parseUtf8 } from '@assay/core/utf8';
import type { LogReader } from '@assay/verifier/log-reader';

const TILE_HEIGHT = 8;

/** Which number a bundle is to prove. */
export interface BundleChoice {
  /** Ticker or slug. */
  readonly index: string;
  /** YYYY-MM-DD; the newest printed where absent. */
  readonly period: string | undefined;
}

/**
 * Gathers from a log's server what proves one number offline. Nothing is believed here: the verifier
 * checks the file like any other.
 */
export async function makeBundle(
  reader: LogReader,
  choice: BundleChoice,
  sha256: Sha256,
): Promise<Uint8Array> {
  const name = encodeURIComponent(choice.index);
  const query = choice.period === undefined ? '' : `?period=${choice.period}`;
  const found = await reportOf(reader, `/indices/${name}/report${query}`);
  const rule = await json<RulePayload>(reader, `/indices/${name}/rule`);
  const version = rule.versions.find(({ hash }) => hash === found.report.rule.hash);
  if (version === undefined) {
    throw new Fault('not_found', 'rule', { expected: found.report.rule.hash });
  }
  const note = await body(reader, '/checkpoint');
  const { size } = parseCheckpoint(parseNote(note).text);
  const log = new TileReader(reader, size, sha256);
  const blobs = new Map<HashHex, Uint8Array>();
  for (const { snapshot } of found.report.reads) {
    if (snapshot !== null) await addSnapshot(reader, snapshot, blobs);
  }
  const bundle: Bundle = {
    type: 'assay-bundle/1',
    genesis: await log.proven(0),
    entries: [await log.proven(version.seq), await log.proven(found.seq)],
    report: toHashHex(found.hash),
    print: found.print,
    signatures: [{ key: found.public_key, signature: found.signature }],
    statements: [],
    blobs: [...blobs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([hash, bytes]) => ({ sha256: hash, bytes: formatBase64(bytes) })),
    index_proofs: [],
    checkpoint: parseUtf8(note),
    ots: null,
    headers: null,
    account: null,
  };
  return formatBundle(bundle);
}

/** The report answer; a signed void stands inside its 404. */
async function reportOf(reader: LogReader, path: string): Promise<ReportPayload> {
  const answer = await reader.get(path);
  const value = parseJson(answer.body, path);
  if (answer.status === 200) return value as ReportPayload;
  if (answer.status === 404 && typeof value === 'object' && value !== null && 'void' in value) {
    return value.void as ReportPayload;
  }
  const detail =
    typeof value === 'object' && value !== null && 'detail' in value
      ? String(value.detail)
      : `HTTP ${answer.status}`;
  throw new Fault('not_found', 'report', { at: path, expected: 'a signed report', found: detail });
}

async function addSnapshot(
  reader: LogReader,
  hash: HashHex,
  blobs: Map<HashHex, Uint8Array>,
): Promise<void> {
  const manifest = await body(reader, `/blob/${hash}`);
  blobs.set(hash, manifest);
  const snapshot = parseSnapshot(manifest);
  if (snapshot.retain !== 'bytes') return;
  for (const { sha256: page } of snapshot.pages)
    blobs.set(page, await body(reader, `/blob/${page}`));
}

async function body(reader: LogReader, path: string): Promise<Uint8Array> {
  const answer = await reader.get(path);
  if (answer.status === 200) return answer.body;
  throw new Fault('not_found', 'log', { at: path, expected: '200', found: `${answer.status}` });
}

async function json<T>(reader: LogReader, path: string): Promise<T> {
  return parseJson(await body(reader, path), path) as T;
}

function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(parseUtf8(bytes));
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

  async proven(seq: number): Promise<Bundle['genesis']> {
    const index = Math.floor(seq / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, this.#size - index * TILE_WIDTH);
    const path = formatTilePath({ level: 'entries', index, width });
    const entries = parseEntryBundle(await body(this.#reader, `/${path}`), width);
    const bytes = entries[seq - index * TILE_WIDTH];
    if (bytes === undefined || parseEntry(bytes).seq !== seq) {
      throw new Fault('not_found', 'entry', { expected: `entry ${seq}` });
    }
    const proof: HashHex[] = [];
    for (const range of inclusionRanges(seq, this.#size)) {
      const hashes: Hash[] = [];
      for (const node of rangeNodes(range)) hashes.push(await this.#node(node));
      proof.push(hashHex(foldRight(this.#sha256, hashes)));
    }
    return { seq, bytes: formatBase64(bytes), proof };
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
