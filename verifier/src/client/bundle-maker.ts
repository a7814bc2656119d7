import { formatBase64 } from '@assay/core/bytes/base64';
import {
  type Bundle,
  type BundleClosingHead,
  type BundleIndexProof,
  formatBundle,
  MAX_BUNDLE_BYTES,
  parseIndexProof,
} from '@assay/core/proof/bundle';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import type { Entry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { type HashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type Anchor, parseAnchor } from '@assay/core/kind/anchor';
import { parseCheckpointKeyBody } from '@assay/core/kind/checkpoint-key';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseNote } from '@assay/core/log/note';
import { INDEX_PATH } from '@assay/core/answer/completeness';
import { PROOF_PATH, proofUrl } from '@assay/core/answer/proof';
import type { Report } from '@assay/core/report/report';
import { isNamed, type Rule } from '@assay/core/rule/rule';
import { isObject } from '@assay/core/wire/schema';
import { keptBlobs, parseSnapshot } from '@assay/core/read/snapshot';
import { checkpointDigest } from '@assay/core/view/stamp';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import type { WireObject, WireValue } from '@assay/core/wire/wire';
import type { LogReader } from '../reader/log-reader.ts';
import { closingHeadPath } from '../trust/closing-head.ts';
import { entrySeq, type FoundReport, reportOf } from './found-report.ts';
import { bodyOf, parseJson } from './log-answer.ts';
import { type AccountSource, printAccounts } from './print-accounts.ts';
import { TileReader } from './tile-reader.ts';

/** The digits of the series that a rule's leaf begins with, and of the hash that it ends with. */
const SERIES_DIGITS = 64;
const HASH_DIGITS = 64;

/** Entries of a bundle at most: a server that names more is not asked for them. */
const MAX_ENTRIES = 10_000;

/** How many times a proof is requested until it does not change. */
const MAX_TRIES = 5;

/** Which number a bundle is to prove. */
export interface BundleChoice {
  /** The ticker or slug. */
  readonly index: string;
  /** YYYY-MM-DD; the newest printed period by default. */
  readonly period: string | undefined;
}

/** A bundle's file, and what the log publishes as the number. */
export interface MadeBundle {
  readonly bytes: Uint8Array;
  /** The signed note of the checkpoint that the file has. */
  readonly note: Uint8Array;
  /** The entry of the report. */
  readonly seq: number;
  readonly report: Report;
  readonly rule: Rule;
  /** Whether an index entry covers the report, and whether a block is named that holds it. */
  readonly hasIndex: boolean;
  readonly hasBlock: boolean;
}

/** Gets the signed note of the newest checkpoint that a bundle is to have. */
export type HeadReader = (reader: LogReader) => Promise<Uint8Array>;

const newestHead: HeadReader = (reader) => bodyOf(reader, '/checkpoint');

/** Returns only the file of `gatherBundle`. */
export async function makeBundle(
  reader: LogReader,
  choice: BundleChoice,
  sha256: Sha256,
  chain?: AccountSource,
): Promise<Uint8Array> {
  return (await gatherBundle(reader, choice, sha256, chain)).bytes;
}

/**
 * Gathers from a log's server what proves one number offline. Nothing is trusted here, because the verifier
 * checks the file like any other. `head` may wait for a checkpoint that witnesses have signed. With `chain` it includes the accounts that hold the print. Throws `refused`
 * for a report of another index or period than requested, and for accounts of another chain than the report's;
 * `not_found` if accounts are requested and the log does not record that the print is on chain.
 */
export async function gatherBundle(
  reader: LogReader,
  choice: BundleChoice,
  sha256: Sha256,
  chain?: AccountSource,
  head: HeadReader = newestHead,
): Promise<MadeBundle> {
  const name = encodeURIComponent(choice.index);
  const query = choice.period === undefined ? '' : `?period=${choice.period}`;
  const found = await reportOf(reader, `/indices/${name}/report${query}`);
  requirePeriod(found.report, choice);
  const index = await indexProofsOf(reader, found.hash);
  const [prints] = index;
  const rulePath = `/indices/${name}/rule`;
  const ruleSeqs = await ruleSeqsOf(reader, rulePath, versionsOf(index, found.report.rule.hash));
  const ruleSeq = ruleSeqs.get(found.report.rule.hash) as number;
  // After the index entry, all of whose keys must be here.
  const { sets: setSeqs, keys: keySeqs } = await signerSeqsOf(reader, found);
  // Before the checkpoint: what is on chain by now is recorded in the log.
  const account = chain === undefined ? null : await printAccounts(chain, found.feed);
  const { note, log, held } = await stampedLogOf(reader, found.hash, sha256, head);
  const rule = requireIndex(found.report, await log.entry(ruleSeq), choice, sha256);
  const blobs = new Blobs(reader);
  for (const { snapshot } of found.report.reads) {
    if (snapshot !== null) await blobs.addSnapshot(snapshot);
  }
  const { after_seq: afterSeq } = found;
  const seqs = [
    ...new Set([
      ...ruleSeqs.values(),
      found.seq,
      ...(afterSeq === null ? [] : [afterSeq]),
      ...setSeqs,
      ...keySeqs,
      ...found.clock_seqs,
      ...found.statements.map(({ seq }) => seq),
      ...(found.feed === null ? [] : [found.feed.seq]),
      ...(held === undefined ? [] : [held.anchorSeq]),
      ...(prints === undefined ? [] : [prints.seq]),
    ]),
  ];
  if (seqs.length > MAX_ENTRIES) {
    throw new Fault('too_large', 'bundle', { expected: `at most ${MAX_ENTRIES} entries` });
  }
  const entries: Bundle['genesis'][] = [];
  for (const seq of seqs.sort((a, b) => a - b)) entries.push(await log.proven(seq));
  const { size } = parseCheckpoint(parseNote(note).text);
  const closing = await closingHeadsOf(reader, log, keySeqs, size);
  const bundle: Bundle = {
    type: 'assay-bundle/1',
    genesis: await log.proven(0),
    entries,
    report: found.hash,
    print: found.print,
    signatures: [
      { key: found.public_key, signature: found.signature },
      ...found.statements.flatMap(({ key, print }) =>
        print === null ? [] : [{ key, signature: print }],
      ),
    ],
    statements: [],
    blobs: blobs.list(),
    index_proofs: index,
    checkpoint: parseUtf8(note),
    ots:
      held === undefined
        ? null
        : {
            checkpoint: formatBase64(held.file),
            inclusion: await log.inclusion(found.seq, held.anchor.to),
          },
    headers: held === undefined ? [] : await headersOf(reader, held.anchor),
    account,
    ...(closing.length === 0 ? {} : { closing_heads: closing }),
  };
  return {
    bytes: formatBundle(bundle),
    note,
    seq: found.seq,
    report: found.report,
    rule,
    hasIndex: index.length > 0,
    hasBlock: bundle.headers.length > 0,
  };
}

/**
 * Requires the requested period, because a server may answer with a true report of another one. Throws
 * `refused`.
 */
function requirePeriod({ ticker, period }: Report, choice: BundleChoice): void {
  if (choice.period === undefined || choice.period === period) return;
  const expected = `the report of ${choice.period}`;
  throw new Fault('refused', 'report', { expected, found: `${ticker} ${period}` });
}

/** Requires the requested index, by the rule of the report, which contains its names. Throws `refused`. */
function requireIndex(
  { ticker, period }: Report,
  entry: Entry,
  { index }: BundleChoice,
  sha256: Sha256,
): Rule {
  const known = bodyParser(sha256)(entry.kind, entry.body);
  const rule = known?.kind === 'rule/1' ? known.body.rule : undefined;
  if (rule !== undefined && rule.ticker === ticker && isNamed(rule, index)) return rule;
  const expected = `a report of the index with the ticker ${index}`;
  throw new Fault('refused', 'report', { expected, found: `${ticker} ${period}` });
}

/**
 * What the newest index entry contains about a report's period, and about the versions of its rule; empty while
 * no entry covers the report. A server of an earlier release gives no versions.
 */
async function indexProofsOf(
  reader: LogReader,
  report: HashHex,
): Promise<readonly BundleIndexProof[]> {
  const path = `${INDEX_PATH}/${report}`;
  const answer = await reader.get(path);
  // A server of an earlier release has no such answer, and then the bundle has no such proof.
  if (answer.status === 404) return [];
  const value = parseJson(answer.body, path);
  const { seq = null, proof = null, versions = null } = isObject(value) ? value : {};
  const said = isObject(proof) ? proof : {};
  const prints = parseIndexProof({ ...said, of: 'prints', seq }, `${path} proof`);
  if (!isObject(versions)) return [prints];
  return [prints, parseIndexProof({ ...versions, of: 'rules', seq }, `${path} versions`)];
}

/** The versions, by their hashes, whose entries a bundle has: those of its proof, and the report's own. */
function versionsOf([, rules]: readonly BundleIndexProof[], own: HashHex): readonly HashHex[] {
  const series = rules?.leaves.find(({ leaf }) => leaf.endsWith(own))?.leaf.slice(0, SERIES_DIGITS);
  const shown = (rules?.leaves ?? []).filter(
    ({ leaf }) => series !== undefined && leaf.startsWith(series),
  );
  return [...new Set([own, ...shown.map(({ leaf }) => toHashHex(leaf.slice(-HASH_DIGITS)))])];
}

/**
 * The entries of the co-signer sets before a report that names one, and of every key after the first ones: report keys,
 * checkpoint keys and the promises of those.
 */
async function signerSeqsOf(
  reader: LogReader,
  { report, seq: before }: FoundReport,
): Promise<{ readonly sets: readonly number[]; readonly keys: readonly number[] }> {
  const path = '/.well-known/assay-signer.json';
  const value = parseJson(await bodyOf(reader, path), path);
  const listOf = (member: string): readonly WireObject[] => {
    const all = isObject(value) ? (value[member] ?? null) : null;
    return (Array.isArray(all) ? (all as readonly WireValue[]) : []).filter(isObject);
  };
  const sets = report.cosigners.set === null ? [] : listOf('cosigner_sets');
  const keys = listOf('keys').flatMap(({ from_seq: from = null, promised_by: by = null }) =>
    by === null ? [from] : [by, from],
  );
  const promise = isObject(value) ? (value['checkpoint_promise'] ?? null) : null;
  if (isObject(promise)) keys.push(promise['seq'] ?? null);
  return {
    sets: sets
      .map(({ seq }) => entrySeq(seq ?? null, `${path} cosigner_sets`))
      .filter((seq) => seq < before),
    // The first ones are in genesis.
    keys: [...new Set(keys)].filter((seq) => seq !== 0).map((seq) => entrySeq(seq, `${path} keys`)),
  };
}

/** The closing heads of the checkpoint keys that a log's entries replace, each with its proof in the log's tree. */
async function closingHeadsOf(
  reader: LogReader,
  log: TileReader,
  keySeqs: readonly number[],
  size: number,
): Promise<readonly BundleClosingHead[]> {
  const heads: BundleClosingHead[] = [];
  for (const seq of keySeqs) {
    const { kind, body } = await log.entry(seq);
    if (kind !== 'key/2') continue;
    const entry = parseCheckpointKeyBody(body, `entry ${seq}`);
    if (entry.type !== 'checkpoint-key') continue;
    const number = entry.number - 1;
    const note = await bodyOf(reader, closingHeadPath(number));
    const before = parseCheckpoint(parseNote(note).text).size;
    const proof = before === size ? [] : await log.prefix(before);
    heads.push({ number, note: parseUtf8(note), proof });
  }
  return heads;
}

/** The batch that covers a report: its newest entry, and the file of its checkpoint. */
interface FoundStamp {
  readonly file: Uint8Array;
  readonly anchor: Anchor;
  readonly anchorSeq: number;
}

/** The newest entry about the batch that holds a digest; undefined while no batch does. */
async function anchorSeqOf(reader: LogReader, digest: HashHex): Promise<number | undefined> {
  const path = `${PROOF_PATH}/${digest}`;
  const answer = await reader.get(path);
  if (answer.status === 404) return undefined;
  const value = parseJson(await bodyOf(reader, path), path);
  const seq = isObject(value) ? (value['anchor_seq'] ?? null) : null;
  return entrySeq(seq, `${path} anchor_seq`);
}

/** The log at its newest checkpoint, and the batch that covers a report there. */
interface StampedLog {
  readonly note: Uint8Array;
  readonly log: TileReader;
  readonly held: FoundStamp | undefined;
}

async function stampedLogOf(
  reader: LogReader,
  digest: HashHex,
  sha256: Sha256,
  head: HeadReader,
): Promise<StampedLog> {
  // The batch may change between two requests.
  for (let i = 0; i < MAX_TRIES; i += 1) {
    const anchorSeq = await anchorSeqOf(reader, digest);
    const note = await head(reader);
    const { origin, size } = parseCheckpoint(parseNote(note).text);
    const log = new TileReader(reader, size, sha256);
    if (anchorSeq === undefined) return { note, log, held: undefined };
    const anchor = await anchorAt(log, anchorSeq);
    const checkpoint = checkpointDigest(sha256, origin, anchor.to, anchor.root);
    const file = await bodyOf(reader, proofUrl(checkpoint));
    if ((await anchorSeqOf(reader, digest)) === anchorSeq) {
      return { note, log, held: { file, anchor, anchorSeq } };
    }
  }
  throw new Fault('not_found', 'proof', {
    at: `${PROOF_PATH}/${digest}`,
    expected: 'a proof that does not change meanwhile',
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
    const rest = formatHex(await bodyOf(reader, `/blob/${following}`));
    headers.push({ height, headers: `${header}${rest}` });
  }
  return headers;
}

/** The entries of the versions of an index's rule. */
async function ruleSeqsOf(
  reader: LogReader,
  path: string,
  hashes: readonly HashHex[],
): Promise<ReadonlyMap<HashHex, number>> {
  const value = parseJson(await bodyOf(reader, path), path);
  const versions = isObject(value) ? value['versions'] : undefined;
  const known = (Array.isArray(versions) ? (versions as readonly WireValue[]) : []).filter(
    isObject,
  );
  const seqs = new Map<HashHex, number>();
  for (const hash of hashes) {
    const found = known.find((each) => each['hash'] === hash);
    if (found === undefined) throw new Fault('not_found', 'rule', { at: path, expected: hash });
    seqs.set(hash, entrySeq(found['seq'] ?? null, `${path} versions.seq`));
  }
  return seqs;
}

/** The stored bytes of a bundle, no more than a bundle can hold. */
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
    const bytes = await bodyOf(this.#reader, `/blob/${hash}`);
    this.#room -= bytes.length;
    if (this.#room < 0) {
      throw new Fault('too_large', 'bundle', { expected: `kept bytes that fit a bundle` });
    }
    this.#blobs.set(hash, bytes);
    return bytes;
  }
}
