import { parseBase64 } from '@assay/core/bytes/base64';
import type { Bundle, BundleStamp } from '@assay/core/proof/bundle';
import { equalBytes } from '@assay/core/bytes/bytes';
import { faultCode, messageOf } from '@assay/core/fault';
import {
  contentHash,
  type Hash,
  hashHex,
  type HashHex,
  type Sha256,
  toHash,
} from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { Anchor } from '@assay/core/kind/anchor';
import { formatLeafProof, nonceOf } from '@assay/core/ots/batch';
import { otsHashes } from '@assay/core/ots/hashes';
import { apply, type Operation } from '@assay/core/ots/operation';
import { type Proof, parseProof } from '@assay/core/ots/proof';
import { checkpointDigest } from '@assay/core/view/stamp';
import type { TimeText } from '@assay/core/time/time';
import { verifyInclusion } from '@assay/core/log/tree';
import { checkAnchorProof } from './anchor-check.ts';
import type { BlockRules } from './block-check.ts';
import { checkBeforeBlock } from './block-time.ts';
import type { CheckContext } from '../check/read-check.ts';
import type { BlockFacts } from '../verdict/verdict.ts';

/** What the stamp of a bundle shows. */
export interface CheckedStamp {
  /** Calendars that promised a block and have not kept the promise. */
  readonly pending: readonly string[];
  /** Ascending by height. */
  readonly blocks: readonly BlockFacts[];
}

/** An anchor in the checkpoint's tree. */
export interface NamedAnchor {
  readonly seq: number;
  readonly body: Anchor;
}

/** The entry of the log that a bundle's stamp must cover. */
export interface StampedEntry {
  readonly origin: string;
  readonly seq: number;
  readonly leaf: Hash;
  readonly at: TimeText;
}

/**
 * Checks that the entry of a bundle's report was in the log before a block. The anchor among the entries covers it, and
 * the proof leads from it to the root that the anchor names. The `.ots` file is that of the checkpoint of that root: it
 * follows the path of the batch's first leaf to the batch's tip, and from there it is the timestamp that the anchor
 * names, with its calendars and its blocks. Undefined where there is no stamp, or with a finding.
 */
export async function checkStamp(
  { ots, headers }: Pick<Bundle, 'ots' | 'headers'>,
  anchors: readonly NamedAnchor[],
  entry: StampedEntry,
  rules: BlockRules,
  context: CheckContext,
): Promise<CheckedStamp | undefined> {
  const { findings } = context;
  const [named, ...more] = anchors;
  const unasked = ots === null ? named : more[0];
  if (unasked !== undefined) {
    const expected = 'the one batch whose stamp it has';
    findings.add('bundle_malformed', `bundle entry ${unasked.seq}`, expected, 'another');
    return undefined;
  }
  if (ots === null) return undefined;
  if (named === undefined) {
    findings.add('bundle_incomplete', 'bundle', 'the batch that covers its report', 'none');
    return undefined;
  }
  const { seq, body: anchor } = named;
  const place = `bundle entry ${seq}`;
  context.tally.anchors += 1;
  if (!covers(anchor, seq, entry)) {
    const expected = `a batch of entry ${entry.seq}, stamped after ${entry.at}`;
    const found = `entries ${anchor.from} to ${anchor.to - 1}, stamped ${anchor.stamped_at}`;
    findings.add('anchor_not_reproduced', place, expected, found);
    return undefined;
  }
  const timestamp = checkPath(ots, anchor, entry, rules.sha256, context);
  if (timestamp === undefined || !checkSection(headers, anchor, context)) return undefined;
  const blobs = new Map(
    [timestamp, ...headers.map((each) => parseHex(each.headers.slice(160)))].map((bytes) => [
      hashHex(contentHash(rules.sha256, bytes)),
      bytes,
    ]),
  );
  const kept = (hash: HashHex, at: string): Promise<Uint8Array | undefined> => {
    const bytes = blobs.get(hash);
    if (bytes === undefined) findings.add('header_invalid', at, hash, 'others');
    return Promise.resolve(bytes);
  };
  const blocks = await checkAnchorProof(anchor, 1, place, rules, kept, context);
  if (blocks === undefined) return undefined;
  const good: BlockFacts[] = [];
  for (const { facts, differs } of blocks) {
    const at = `bundle block ${facts.height}`;
    if (differs !== undefined) {
      findings.add('header_differs', at, differs.expected, differs.found);
      continue;
    }
    checkBeforeBlock({ how: 'stamped', at: anchor.stamped_at, place }, facts, context);
    good.push(facts);
  }
  const owing = anchor.calendars.filter(({ state }) => state !== 'attested');
  return { pending: owing.map(({ uri }) => uri), blocks: good };
}

function covers(
  { from, to, stamped_at: stamped }: Anchor,
  seq: number,
  entry: StampedEntry,
): boolean {
  return from <= entry.seq && entry.seq < to && to <= seq && stamped >= entry.at;
}

/**
 * Follows the path from the entry to the batch's tip. Returns the bytes of the timestamp from there on, which the
 * anchor names.
 */
function checkPath(
  { checkpoint, inclusion }: BundleStamp,
  anchor: Anchor,
  { origin, seq, leaf }: StampedEntry,
  sha256: Sha256,
  { findings }: CheckContext,
): Uint8Array | undefined {
  const place = 'bundle ots';
  const wrong = (expected: string, found: string): undefined => {
    findings.add('anchor_proof_invalid', place, expected, found);
    return undefined;
  };
  const root = toHash(parseHex(anchor.root, 32));
  const hashes = inclusion.map((each) => toHash(parseHex(each, 32)));
  const digest = checkpointDigest(sha256, origin, anchor.to, anchor.root);
  const file = parseBase64(checkpoint);
  let path: readonly Operation[] | undefined;
  try {
    verifyInclusion(sha256, leaf, seq, anchor.to, hashes, root);
    const proof = parseProof(file);
    if (proof.hash !== 'sha256' || !equalBytes(proof.digest, parseHex(digest, 32))) {
      return wrong(`a proof of the checkpoint ${digest}`, 'of something else');
    }
    path = pathOf(proof, anchor, sha256);
  } catch (error) {
    if (faultCode(error) !== 'bad_proof') throw error;
    return wrong('a proof from the report to the timestamp', messageOf(error));
  }
  if (path === undefined) return wrong("the path of the batch's first leaf to its tip", 'another');
  const start = formatLeafProof(parseHex(digest, 32), path, new Uint8Array(0));
  const timestamp = file.slice(start.length);
  const found = hashHex(contentHash(sha256, timestamp));
  return found === anchor.proof ? timestamp : wrong(`the timestamp ${anchor.proof}`, found);
}

/** The steps of a file from its digest to the tip, which must be those of the first leaf of a batch. */
function pathOf(
  { digest, timestamp }: Proof,
  { salt, tip }: Anchor,
  sha256: Sha256,
): readonly Operation[] | undefined {
  const hashes = otsHashes(sha256);
  const end = parseHex(tip, 32);
  const nonce = nonceOf(sha256, parseHex(salt, 32), 0);
  const path: Operation[] = [];
  let message = digest;
  let items = timestamp.items;
  for (;;) {
    const [only, ...more] = items;
    if (only === undefined || !('operation' in only) || more.length > 0) return undefined;
    const { operation, next } = only;
    const hashed = path.length % 2 === 1;
    if (operation.op !== (hashed ? 'sha256' : 'append')) return undefined;
    if (operation.op === 'append') {
      const { argument } = operation;
      const fits = path.length === 0 ? equalBytes(argument, nonce) : argument.length === 32;
      if (!fits) return undefined;
    }
    path.push(operation);
    message = apply(operation, message, hashes);
    if (hashed && equalBytes(message, end)) return path;
    ({ items } = next);
  }
}

/** Whether the headers of a bundle are exactly those of the anchor's blocks. */
function checkSection(
  headers: Bundle['headers'],
  { bitcoin }: Anchor,
  { findings }: CheckContext,
): boolean {
  const before = findings.count;
  for (const { height, header } of bitcoin) {
    const given = headers.find((each) => each.height === height);
    const at = `bundle block ${height}`;
    if (given === undefined) {
      findings.add('bundle_incomplete', at, 'its header and the six that follow', 'none');
    } else if (given.headers.slice(0, 160) !== header) {
      findings.add('anchor_proof_invalid', at, header, given.headers.slice(0, 160));
    }
  }
  for (const { height } of headers) {
    if (bitcoin.some((block) => block.height === height)) continue;
    const at = `bundle headers of height ${height}`;
    findings.add('bundle_malformed', at, 'a block that the batch names', 'another');
  }
  return findings.count === before;
}
