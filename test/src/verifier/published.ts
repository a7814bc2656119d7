import { formatBase64 } from '@assay/core/base64';
import type { Bundle } from '@assay/core/bundle';
import { entryBody, entryPrev, formatEntry, parseEntry, scanEntry } from '@assay/core/entry';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  toHashHex,
  ZERO_HASH_HEX,
} from '@assay/core/hash';
import { formatHead } from '@assay/core/head';
import { formatHex } from '@assay/core/hex';
import type { Genesis, Policies } from '@assay/core/kind/genesis';
import { IndexFold } from '@assay/core/index-fold';
import { parsePrintLeaf } from '@assay/core/index-leaf';
import { bodyParser } from '@assay/core/kind/kinds';
import { networkOf } from '@assay/core/network';
import { answerTo, foldedPaths, jsonBody, provenDigests } from '@assay/core/payload/answer';
import { indexProofPayload } from '@assay/core/payload/completeness';
import { proofUrl } from '@assay/core/payload/proof';
import { proofFile, treeMaker } from '@assay/core/proof-file';
import { findIndex } from '@assay/core/payload/index';
import { type KitPlaces, listingOf, listingPayload } from '@assay/core/payload/listing';
import { draftClose } from '@assay/core/payload/settlement';
import type { Ticker } from '@assay/core/ticker';
import { stampedBatch } from '@assay/core/view/stamps';
import { closesOf } from '@assay/core/view/closes';
import { newestIndex, printLeaves } from '@assay/core/view/completeness';
import {
  formatEntryBundle,
  formatHashTile,
  formatTilePath,
  type Tile,
  TILE_WIDTH,
  tilesOf,
} from '@assay/core/tile';
import { inclusionRanges, rootOf } from '@assay/core/tree';
import { foldEntry } from '@assay/core/view/fold';
import { rowDigest } from '@assay/core/view/row-digest';
import { RowsRoot } from '@assay/core/view/rows-root';
import { MemoryViews } from '@assay/core/view/state';
import { formatWire, type WireObject } from '@assay/core/wire';
import { nodeSha256 } from '@assay/node/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/node-signature';
import type { Environment } from '@assay/verifier/environment';
import type { FindingCode } from '@assay/verifier/finding';
import type { FolderReader, FolderRow } from '@assay/verifier/folder-reader';
import { listingPaths } from '@assay/verifier/listing-check';
import type { Answer, LogReader } from '@assay/verifier/log-reader';
import { OPEN_POLICY, type Policy } from '@assay/verifier/policy';
import { type Subject, verify, type VerifyOptions } from '@assay/verifier/verify';
import type { Verdict } from '@assay/verifier/verdict';
import { type CheckpointSigner, checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { type SampleLog, signerFrom } from './sample-log.ts';

export const ENVIRONMENT: Environment = {
  sha256: nodeSha256,
  verifySignature: nodeVerifySignatureAsync,
};

/** What a server of a log answers, path by path. A test changes it at will. */
export type Site = Map<string, Answer>;

/** Everything that a log at rest holds. A test changes it at will. */
export interface Folder {
  readonly rows: FolderRow[];
  guard: Uint8Array | undefined;
  readonly blobs: Map<string, Uint8Array>;
}

/** Entries with all that a publisher makes of them: whole, and signed with its own keys. */
export interface Published {
  readonly entries: readonly Uint8Array[];
  readonly checkpoint: Uint8Array;
  readonly leaves: readonly Hash[];
  readonly views: MemoryViews;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** The files of its Closes, as an honest publisher writes them: by path. */
  readonly settlements: ReadonlyMap<string, Uint8Array>;
}

/** Folds, hashes and signs entries, whatever they hold: a publisher may put anything in. */
export function publish(
  entries: readonly Uint8Array[],
  blobs: ReadonlyMap<string, Uint8Array>,
  checkpoints: CheckpointSigner,
): Published {
  const views = new MemoryViews();
  const settlements = new Map<string, Uint8Array>();
  const parseBody = bodyParser(nodeSha256);
  const leaves = entries.map((entry) => leafHash(nodeSha256, entry));
  const log = hashHex(leaves[0] as Hash);
  for (const bytes of entries) {
    try {
      const layout = scanEntry(bytes);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      if (known === undefined) continue;
      const entry = { ...known, seq: layout.seq, at: layout.at, log };
      if (known.kind === 'close/1') {
        const { day } = known.body.content;
        const draft = draftClose(views, nodeSha256, day, closesOf(views, day).at(-1));
        for (const { path, body } of draft?.files ?? []) settlements.set(path, body);
      }
      views.write(foldEntry(entry, views, nodeSha256));
    } catch {
      // An entry that nobody can read folds into nothing.
    }
  }
  const checkpoint = checkpoints.sign(entries.length, rootOf(nodeSha256, leaves));
  return { entries, checkpoint, leaves, views, blobs, settlements };
}

/** A log of its first entry alone, under a name of choice. */
export function genesisLog(
  origin: string,
  policies: Partial<Policies> = {},
  more: readonly Draft[] = [],
): Published {
  const checkpoints = checkpointSigner(nodeSha256, origin, signerFrom(`${origin} checkpoint`));
  const commitment = toHashHex('ab'.repeat(32));
  const body: Genesis = {
    origin,
    network: networkOf(origin),
    report_key: formatHex(signerFrom(`${origin} report`).publicKey),
    checkpoint_vkey: checkpoints.vkey,
    next_report_key_sha256: commitment,
    recovery_key_sha256: commitment,
    chain: null,
    program: null,
    policies: {
      cosigners_required: 0,
      witnesses_required: 0,
      witness_max_age_s: 0,
      ...policies,
    },
  };
  const at = '2026-01-01T00:00:00Z';
  const draft = { at, kind: 'genesis/1', body: body as unknown as WireObject };
  return publish(chain([draft, ...more]), new Map(), checkpoints);
}

/** Entries of the young log: genesis, rule, note, the first provisional and final, what came beside. */
const YOUNG = 8;

function textOf(parts: Iterable<Uint8Array>): string {
  return [...parts].map((each) => new TextDecoder().decode(each)).join();
}

/** The log when it was young, with the bytes that it names and no others: small enough for every byte. */
export function youngLog(log: SampleLog): Published {
  const entries = log.entries.slice(0, YOUNG);
  const manifests = [...log.blobs].filter(([hash]) => textOf(entries).includes(hash));
  const named = textOf(manifests.map(([, bytes]) => bytes));
  const pages = [...log.blobs].filter(([hash]) => named.includes(hash));
  return publish(entries, new Map([...manifests, ...pages]), log.checkpoints);
}

/** The root of the leaves of a perfect or ragged range. */
function rangeRoot(published: Published, start: number, end: number): Hash {
  return rootOf(nodeSha256, published.leaves.slice(start, end));
}

function tileBytes(published: Published, { level, index, width }: Tile): Uint8Array {
  const start = index * TILE_WIDTH;
  if (level === 'entries') {
    return formatEntryBundle(published.entries.slice(start, start + width));
  }
  const span = TILE_WIDTH ** level;
  return formatHashTile(
    Array.from({ length: width }, (_, i) =>
      rangeRoot(published, (start + i) * span, (start + i + 1) * span),
    ),
  );
}

/** Where a server says that its things are. */
const PLACES: KitPlaces = {
  report: 'https://assay.example/report',
  settlement_index: 'https://assay.example/settlement/latest.json',
  mirror: null,
  reference_file: null,
  proof: null,
  recount: null,
  rule: 'https://assay.example/rule',
};

/** What the publisher's server answers, every path that a verifier asks for. */
export function siteOf(published: Published): Site {
  const size = published.entries.length;
  const site: Site = new Map();
  const file = (path: string, body: Uint8Array): void => {
    site.set(path, { status: 200, body, logSize: undefined });
  };
  file('/checkpoint', published.checkpoint);
  for (const tile of tilesOf(size)) {
    file(`/${formatTilePath(tile)}`, tileBytes(published, tile));
  }
  for (const [hash, bytes] of published.blobs) file(`/blob/${hash}`, bytes);
  for (const path of foldedPaths(published.views, nodeSha256, Number.POSITIVE_INFINITY)) {
    const answer = answerTo(published.views, nodeSha256, path);
    if (answer === undefined) continue;
    site.set(path, { status: answer.status, body: answer.body, logSize: size });
  }
  const { views } = published;
  for (const digest of provenDigests(views, nodeSha256, Number.POSITIVE_INFINITY)) {
    const anchor = stampedBatch(published.views, digest)?.anchor;
    const tip = anchor === undefined ? undefined : published.blobs.get(anchor.proof);
    if (tip === undefined) continue;
    const treeOf = treeMaker(published.views, nodeSha256);
    const body = proofFile(published.views, treeOf, digest, tip);
    if (body !== undefined) site.set(proofUrl(digest), { status: 200, body, logSize: size });
  }
  for (const path of listingPaths(published.views)) {
    const ticker = findIndex(published.views, path.split('/')[2] ?? '') as Ticker;
    const listed = listingOf(published.views, ticker);
    const [status, body] =
      'kit' in listed
        ? [200, listingPayload(listed.kit, PLACES)]
        : [404, { status: 404, error: 'no_kit', detail: listed.no_kit }];
    site.set(path, { status, body: jsonBody(body), logSize: size });
  }
  const index = newestIndex(views);
  if (index !== undefined) {
    const fold = new IndexFold(nodeSha256);
    fold.at(views, index.size);
    for (const leaf of printLeaves(views, 0, index.size)) {
      const { report } = parsePrintLeaf(leaf);
      const payload = indexProofPayload(views, nodeSha256, report, () => fold.prints);
      site.set(`/index/${report}`, { status: 200, body: jsonBody(payload), logSize: size });
    }
  }
  for (const [path, body] of published.settlements) file(`/settlement/${path}`, body);
  return site;
}

export function siteReader(site: ReadonlyMap<string, Answer>, live = true): LogReader {
  const nothing: Answer = { status: 404, body: new Uint8Array(0), logSize: undefined };
  return { live, get: async (path) => site.get(path) ?? nothing };
}

/** What the publisher's database, guard and blob store hold. */
export function folderOf(published: Published): Folder {
  const size = published.entries.length;
  const rows: FolderRow[] = published.entries.map((bytes, seq) => ({ part: 'entry', seq, bytes }));
  const root = hashHex(rangeRoot(published, 0, size));
  const sum = new RowsRoot();
  for (const tile of tilesOf(size)) {
    const { level, index, width } = tile;
    if (level === 'entries' || width < TILE_WIDTH) continue;
    rows.push({ part: 'tile', level, index, bytes: tileBytes(published, tile) });
  }
  for (const table of published.views.tables()) {
    for (const [key, value] of published.views.list(table)) {
      const bytes = formatWire(value);
      const digest = rowDigest(nodeSha256, table, key, bytes);
      rows.push({ part: 'view', table, key, value: bytes, digest });
      sum.add(digest);
    }
  }
  const head = formatHead(nodeSha256, { size, root, ...sum.sum() });
  rows.splice(size, 0, { part: 'head', bytes: head });
  return { rows, guard: published.checkpoint, blobs: new Map(published.blobs) };
}

export function folderReader(folder: Folder): FolderReader {
  return {
    async *rows() {
      yield* folder.rows;
    },
    guard: async () => folder.guard,
    blob: async (hash) => folder.blobs.get(hash),
  };
}

/** One entry with its proof in the tree of `published`. */
export function proven(published: Published, seq: number): Bundle['genesis'] {
  const size = published.entries.length;
  return {
    seq,
    bytes: formatBase64(published.entries[seq] as Uint8Array),
    proof: inclusionRanges(seq, size).map(({ start, end }) =>
      hashHex(rangeRoot(published, start, end)),
    ),
  };
}

/** An entry to be: linked and numbered when a log is made of it. */
export interface Draft {
  readonly at: string;
  readonly kind: string;
  readonly body: WireObject;
}

export function draftsOf(entries: readonly Uint8Array[]): Draft[] {
  return entries.map((bytes) => {
    const { at, kind, body } = parseEntry(bytes);
    return { at, kind, body };
  });
}

/** Entries of drafts, chained anew. */
export function chain(drafts: readonly Draft[]): Uint8Array[] {
  let prev: HashHex = ZERO_HASH_HEX;
  return drafts.map(({ at, kind, body }, seq) => {
    const bytes = formatEntry({ v: 1, seq, prev, at: at as never, kind, body });
    prev = hashHex(leafHash(nodeSha256, bytes));
    return bytes;
  });
}

/** `bytes` chained anew from `first` on: the same bodies under the links that the ones before ask for. */
export function relink(entries: readonly Uint8Array[]): Uint8Array[] {
  let prev: HashHex = ZERO_HASH_HEX;
  return entries.map((bytes, seq) => {
    const layout = scanEntry(bytes);
    const linked =
      layout.seq === seq && entryPrev(bytes, layout) === prev
        ? bytes
        : formatEntry({ ...parseEntry(bytes), seq, prev });
    prev = hashHex(leafHash(nodeSha256, linked));
    return linked;
  });
}

/** The verdict on a subject with Node's hashing and signatures. */
export function judge(
  subject: Subject,
  policy: Partial<Policy> = {},
  options: VerifyOptions = {},
): Promise<Verdict> {
  return verify(subject, { ...OPEN_POLICY, ...policy }, { environment: ENVIRONMENT, ...options });
}

export function judgeSite(
  site: ReadonlyMap<string, Answer>,
  policy: Partial<Policy> = {},
  options: VerifyOptions = {},
): Promise<Verdict> {
  return judge({ kind: 'log', reader: siteReader(site) }, policy, options);
}

export function judgeFolder(
  folder: Folder,
  policy: Partial<Policy> = {},
  options: VerifyOptions = {},
): Promise<Verdict> {
  return judge({ kind: 'folder', folder: folderReader(folder) }, policy, options);
}

/** The codes of a verdict's findings, each once, in order of the first; empty for another outcome. */
export function codesOf(verdict: Verdict): readonly FindingCode[] {
  if (verdict.outcome !== 'findings') return [];
  return [...new Set(verdict.findings.map(({ code }) => code))];
}
