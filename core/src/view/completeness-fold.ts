import { contentHash, hashHex, type HashHex, type Sha256 } from '../hash/hash.ts';
import { type IndexLeaf, type IndexList, keyLeaf, ruleLeaf } from '../completeness/leaf.ts';
import type { IndexContent, IndexRoot } from '../kind/index-entry.ts';
import { seriesId } from '../report/print.ts';
import { SortedTree } from '../completeness/sorted-tree.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { eventLeaves, printLeaves } from './completeness.ts';
import { checkpointKeysFrom, checkpointPromises } from './key/checkpoint-keys.ts';
import { keysOf } from './key/keys.ts';
import { logRow } from './log.ts';
import { ruleVersions, tickers } from './rules.ts';
import type { ViewState } from './view.ts';

/** The lists of the first entries of a log, from which an `IndexFold` goes on. */
export interface KeptIndex {
  readonly size: number;
  /** The leaves of each list, one behind the other. */
  readonly prints: Uint8Array;
  readonly events: Uint8Array;
}

/**
 * The sorted lists of a log as it grows. Each print and event is added once. Rules and keys are few, and are listed
 * again each time.
 */
export class IndexFold {
  readonly #sha256: Sha256;
  readonly prints: SortedTree;
  readonly events: SortedTree;
  #size = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
    this.prints = new SortedTree(sha256, 'prints');
    this.events = new SortedTree(sha256, 'events');
  }

  /** The entries whose prints and events were added. */
  get size(): number {
    return this.#size;
  }

  get kept(): KeptIndex {
    return { size: this.#size, prints: this.prints.bytes, events: this.events.bytes };
  }

  /** Goes on from the lists of another fold. Call it before anything was added. */
  resume({ size, prints, events }: KeptIndex): void {
    this.prints.addBytes(prints);
    this.events.addBytes(events);
    this.#size = size;
  }

  /**
   * What the first `size` entries hold. `state` must have at least their rows, and must not have lost any since the
   * last call. Throws a TypeError for a smaller size than before.
   */
  at(state: ViewState, size: number): IndexContent {
    if (size < this.#size) throw new TypeError('IndexFold: entries cannot be taken back');
    this.prints.add(printLeaves(state, this.#size, size));
    this.events.add(eventLeaves(state, this.#size, size));
    this.#size = size;
    return {
      prints: rootOf(this.prints),
      keys: keysRoot(state, this.#sha256, size),
      rules: listed(this.#sha256, 'rules', ruleLeaves(state, size, this.#sha256)),
      events: rootOf(this.events),
    };
  }
}

/** What the first `size` entries of a log hold, from its rows alone. For a single call, or for a recount. */
export function recomputeIndex(state: ViewState, sha256: Sha256, size: number): IndexContent {
  return new IndexFold(sha256).at(state, size);
}

/** Only the list of keys of the first `size` entries, which can be made from the entries of the keys alone. */
export function keysRoot(state: ViewState, sha256: Sha256, size: number): IndexRoot {
  return listed(sha256, 'keys', keyLeaves(state, size, sha256));
}

/** The list of rules of the first `size` entries, for proofs of its versions. */
export function rulesTree(state: ViewState, sha256: Sha256, size: number): SortedTree {
  return treeOf(sha256, 'rules', ruleLeaves(state, size, sha256));
}

/** The list of rules of a log that has only this rule. `series` is that of its index. */
export function soleRuleRoot(
  sha256: Sha256,
  {
    series,
    version,
    hash,
  }: { readonly series: HashHex; readonly version: number; readonly hash: HashHex },
): IndexRoot {
  return listed(sha256, 'rules', [ruleLeaf(series, version, hash)]);
}

function listed(sha256: Sha256, list: IndexList, leaves: Iterable<IndexLeaf>): IndexRoot {
  return rootOf(treeOf(sha256, list, leaves));
}

function treeOf(sha256: Sha256, list: IndexList, leaves: Iterable<IndexLeaf>): SortedTree {
  const tree = new SortedTree(sha256, list);
  tree.add(leaves);
  return tree;
}

function rootOf(tree: SortedTree): IndexRoot {
  return { count: tree.size, root: hashHex(tree.root()) };
}

function* ruleLeaves(state: ViewState, size: number, sha256: Sha256): Generator<IndexLeaf> {
  const log = logRow(state)?.log;
  if (log === undefined) return;
  for (const ticker of tickers(state)) {
    const series = hashHex(seriesId(sha256, log, ticker));
    for (const { rule, hash, seq } of ruleVersions(state, ticker)) {
      if (seq < size) yield ruleLeaf(series, rule.version, hash);
    }
  }
}

/** The report keys and the checkpoint keys so far, with the commitments of each. */
function* keyLeaves(state: ViewState, size: number, sha256: Sha256): Generator<IndexLeaf> {
  const row = logRow(state);
  if (row === undefined) return;
  const vkey = hashHex(contentHash(sha256, formatUtf8(row.checkpoint_vkey)));
  yield keyLeaf('checkpoint', 0, vkey);
  yield* laterCheckpointLeaves(state, size, sha256);
  for (const each of keysOf(state)) {
    const { number, key, seq, to_seq: ended, revoked } = each;
    if (seq >= size) return;
    yield keyLeaf('report', number, key);
    yield keyLeaf('next', number, each.next_key_sha256);
    yield keyLeaf('recovery', number, each.recovery_key_sha256);
    if (revoked && ended !== null && ended < size) yield keyLeaf('revoked', number, key);
  }
}

/** The checkpoint keys after the first, each promise, and the recovery keys that their entries committed to. */
function* laterCheckpointLeaves(
  state: ViewState,
  size: number,
  sha256: Sha256,
): Generator<IndexLeaf> {
  for (const promise of checkpointPromises(state)) {
    if (promise.seq >= size) continue;
    yield keyLeaf('next-checkpoint', promise.number, promise.next_checkpoint_sha256);
    yield keyLeaf('checkpoint-recovery', promise.number - 1, promise.recovery_key_sha256);
  }
  for (const row of checkpointKeysFrom(state, 1)) {
    if (row.seq >= size) continue;
    yield keyLeaf('checkpoint', row.number, hashHex(contentHash(sha256, formatUtf8(row.vkey))));
    yield keyLeaf('next-checkpoint', row.number + 1, row.next_checkpoint_sha256);
    yield keyLeaf('checkpoint-recovery', row.number, row.recovery_key_sha256);
  }
}
