import { SIGNER_PATH } from '@assay/core/answer/routes';
import { equalBytes } from '@assay/core/bytes/bytes';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault, faultCode } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { MAX_NOTE_BYTES, parseNote, parseNoteKey } from '@assay/core/log/note';
import { prefixRoots } from '@assay/core/log/prefix-proof';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { verifyInclusion } from '@assay/core/log/tree';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { isObject } from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import type { LogReader } from '../reader/log-reader.ts';
import { inclusionProof, prefixProof, type ReadTile } from '../reader/tile-proofs.ts';
import type { OpenCheckpoint } from '../trust/checkpoint-check.ts';
import { type ClosingHead, closingHeadPath } from '../trust/closing-head.ts';
import { findLead } from '../trust/leads.ts';
import type { KeyPath } from '../trust/key-path.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { emptyTally } from '../verdict/verdict.ts';
import { checkBundleKeys } from './bundle/keys.ts';
import type { BundleEntry } from './bundle/recount.ts';

/** Kinds of entries that give keys a place in a log. */
const KEY_KINDS: ReadonlySet<string> = new Set(['genesis/1', 'key/1', 'key/2', 'cosigners/1']);

/** Entries of keys and of co-signer sets that are asked for one by one, at most. */
const MAX_KEY_ENTRIES = 10_000;

/** Entries that are read, at most, to find those of keys in a log that lists none. */
const MAX_SCANNED = 1_000_000;

/** What a server shows of a log's checkpoint keys. */
export interface ServedKeys extends KeyPath {
  /** The entries of keys and of co-signer sets, each proven, that it follows from. */
  readonly seqs: readonly number[];
}

/** Where the keys of a log are read. */
export interface KeySource {
  readonly reader: Pick<LogReader, 'get'>;
  readonly tiles: ReadTile;
}

/**
 * What a log's server shows of its checkpoint keys at one head, without its other entries: the entries of all keys, each
 * proven to be in the head's tree, and the closing heads, each with the root that the tree begins with. A key entry that
 * may not be in the log, or is not signed, is a finding. `kept` are entries of keys that an earlier visit knew, which are
 * read too, whether the server still lists them or not. Undefined with a finding where none of the `believed` verifier
 * keys has signed the head or a closing head: then whatever else the server says is not read. Throws `bad_proof`,
 * `malformed` or `not_found` where the server shows less than it must, `too_large` where it lists more than is read, and
 * as the reader does.
 */
export async function servedKeys(
  { reader, tiles }: KeySource,
  { note, checkpoint: head }: OpenCheckpoint,
  believed: readonly string[],
  environment: Environment,
  findings: Findings,
  kept: readonly number[] = [],
): Promise<ServedKeys | undefined> {
  const { sha256 } = environment;
  const closingHead = async (number: number): Promise<Uint8Array | undefined> => {
    const { status, body } = await reader.get(closingHeadPath(number));
    return status === 200 ? body : undefined;
  };
  const known = believed.map((vkey) => parseNoteKey(sha256, vkey));
  const lead = await findLead(note, known, { from: 0, read: closingHead }, environment);
  if (lead !== 'head' && lead !== 'closing_head') {
    const expected = `a line by ${believed.join(' or ')} on it, or on a closing head`;
    findings.add('checkpoint_unsigned', 'checkpoint', expected, 'none');
    return undefined;
  }
  const seqs = placesToRead(await listedSeqs(reader), kept, head.size);
  const entries: BundleEntry[] = [];
  let log: HashHex | undefined;
  for await (const entry of entriesAt(tiles, seqs, head, sha256)) {
    log ??= hashHex(entry.leaf);
    entries.push(entry);
  }
  const context = { findings, tally: emptyTally() };
  const rows = await checkBundleKeys(entries, log as HashHex, environment, context);
  const terms = checkpointTerms(rows);
  const closing = new Map<number, ClosingHead>();
  for (const { number } of terms.slice(0, -1)) {
    const body = await closingHead(number);
    if (body === undefined || body.length > MAX_NOTE_BYTES) continue;
    closing.set(number, { note: body, root: await rootOf(tiles, body, head, sha256) });
  }
  return { terms, closing, holdsPin: false, seqs: entries.map(({ seq }) => seq) };
}

/**
 * The entries of keys and of co-signer sets, as the signer document lists them; undefined of a log that serves none,
 * which is a co-signer's.
 */
async function listedSeqs(reader: Pick<LogReader, 'get'>): Promise<readonly number[] | undefined> {
  const { status, body } = await reader.get(SIGNER_PATH);
  if (status !== 200) return undefined;
  return signerKeySeqs(parseAnswer(body, SIGNER_PATH));
}

/** The entries of a signer document's keys and co-signer sets, but for those of genesis. */
export function signerKeySeqs(document: WireValue): readonly number[] {
  const seqs: number[] = [];
  const add = (seq: WireValue | undefined): void => {
    if (typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0) seqs.push(seq);
  };
  for (const key of listIn(document, 'keys')) {
    if (!isObject(key)) continue;
    add(key['from_seq']);
    add(key['promised_by']);
  }
  const promise = isObject(document) ? document['checkpoint_promise'] : undefined;
  if (promise !== undefined && isObject(promise)) add(promise['seq']);
  for (const set of listIn(document, 'cosigner_sets')) if (isObject(set)) add(set['seq']);
  return seqs;
}

/** The entries of a log to look for keys in, ascending: those that are listed, or without a list all. */
function placesToRead(
  listed: readonly number[] | undefined,
  kept: readonly number[],
  size: number,
): Iterable<number> {
  if (listed === undefined) {
    if (size > MAX_SCANNED) throw tooMany(`${MAX_SCANNED} entries without a list of keys`, size);
    return upTo(size);
  }
  return within([0, ...listed, ...kept], size);
}

/** The entries of keys that a server lists among the first `size`; empty where it has no list. Throws as `servedKeys`. */
export async function listedWithin(
  reader: Pick<LogReader, 'get'>,
  kept: readonly number[],
  size: number,
): Promise<readonly number[]> {
  return within([...((await listedSeqs(reader)) ?? []), ...kept], size);
}

function within(seqs: readonly number[], size: number): readonly number[] {
  const some = new Set(seqs.filter((seq) => seq < size));
  if (some.size > MAX_KEY_ENTRIES) throw tooMany(`${MAX_KEY_ENTRIES} listed`, some.size);
  return [...some].toSorted((a, b) => a - b);
}

function* upTo(size: number): Generator<number> {
  for (let seq = 0; seq < size; seq += 1) yield seq;
}

function tooMany(most: string, found?: number): Fault {
  const of = found === undefined ? {} : { found: `${found}` };
  return new Fault('too_large', 'keys', { expected: `at most ${most}`, ...of });
}

function listIn(document: WireValue, member: string): readonly WireValue[] {
  const list = isObject(document) ? document[member] : undefined;
  return Array.isArray(list) ? (list as readonly WireValue[]) : [];
}

function parseAnswer(bytes: Uint8Array, path: string): WireValue {
  try {
    return JSON.parse(parseUtf8(bytes)) as WireValue;
  } catch (cause) {
    throw new Fault('malformed', 'answer', { at: path, expected: 'JSON', cause });
  }
}

/** Those of `seqs`, ascending entries of a head, that give keys a place, each proven to be in its tree. */
async function* entriesAt(
  tiles: ReadTile,
  seqs: Iterable<number>,
  { size, root }: Checkpoint,
  sha256: Sha256,
): AsyncGenerator<BundleEntry> {
  let bundle: { readonly index: number; readonly entries: readonly Uint8Array[] } | undefined;
  let taken = 0;
  for (const seq of seqs) {
    const index = Math.floor(seq / TILE_WIDTH);
    if (bundle?.index !== index) {
      const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
      const bytes = await tiles({ level: 'entries', index, width });
      bundle = { index, entries: parseEntryBundle(bytes, width) };
    }
    const bytes = bundle.entries[seq - index * TILE_WIDTH] as Uint8Array;
    const layout = scanEntry(bytes);
    if (!KEY_KINDS.has(layout.kind)) continue;
    taken += 1;
    if (taken > MAX_KEY_ENTRIES) throw tooMany(`${MAX_KEY_ENTRIES} entries of keys`);
    const leaf = leafHash(sha256, bytes);
    const proof = await inclusionProof(tiles, sha256, seq, size);
    verifyInclusion(sha256, leaf, seq, size, proof, root);
    const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
    if (known === undefined || layout.seq !== seq) {
      throw new Fault('malformed', 'entry', {
        at: formatTilePath({ level: 'entries', index, width: bundle.entries.length }),
        expected: `entry ${seq} with a key`,
      });
    }
    yield { seq, at: layout.at, leaf, known };
  }
}

/** The root that the tree of a head has at the size of a smaller head; undefined where its tiles show none. */
async function rootOf(
  tiles: ReadTile,
  note: Uint8Array,
  { size, root }: Checkpoint,
  sha256: Sha256,
): Promise<Hash | undefined> {
  try {
    const before = parseCheckpoint(parseNote(note).text).size;
    if (before === size) return root;
    const roots = prefixRoots(sha256, before, size, await prefixProof(tiles, sha256, before, size));
    return equalBytes(roots.new, root) ? roots.old : undefined;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
