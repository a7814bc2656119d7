import { bitcoinNetworkOf, type BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import type { HashHex } from '@assay/core/hash/hash';
import { type Anchor, MAX_REORGANISED } from '@assay/core/kind/anchor';
import type { Beacon } from '@assay/core/kind/beacon';
import type { Network } from '@assay/core/network';
import { SeqTimes } from '@assay/core/time/seq-times';
import type { TimeText } from '@assay/core/time/time';
import { type AnchorRow, anchorsBack } from '@assay/core/view/anchors';
import { stampsBetween } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import { type LogBeforeAnchor, checkAnchor, checkAnchorProof } from './anchor-check.ts';
import { checkBeacon } from './beacon-check.ts';
import { BeaconHistory, type KeptBeacons } from './beacon-history.ts';
import type { BlockRules, CheckedBlock } from './block-check.ts';
import { checkAfterBlock, checkBeforeBlock, type ClaimedTime } from './block-time.ts';
import type { Environment } from '../verdict/environment.ts';
import { type HeaderLookup, sourceFacts } from './header-lookup.ts';
import type { CheckContext } from '../check/read-check.ts';
import { pendingWhy } from './pending.ts';
import { type LogEnd, uncoveredOf } from './uncovered.ts';
import type {
  BitcoinFacts,
  BitcoinTrust,
  BlockFacts,
  PendingBatch,
  Window,
} from '../verdict/verdict.ts';
import { type Seen, windowOf } from './window.ts';

/** How many pending batches a verdict lists: the newest. */
const MAX_PENDING = 5;
/** How many runs of following headers are kept, because neighbouring batches are often in the same block. */
const MAX_FOLLOWING = 64;
const MAX_FOLLOWING_BYTES = 480;

/** From the most trusted to the least. */
const ORDER: readonly BitcoinTrust[] = ['headers', 'explorer', 'work', 'none'];

/** The result for an issue of a batch. */
interface Outcome {
  readonly seq: number;
  readonly place: string;
  readonly blocks: readonly CheckedBlock[];
}

/** What a `ChainCheck` without given headers knows so far. */
export interface KeptChain {
  readonly outcomes: ReadonlyMap<number, Outcome>;
  readonly beacons: KeptBeacons;
  /** As `SeqTimes` keeps them. */
  readonly published: Uint8Array;
}

/**
 * Follows what a log claims about Bitcoin: each beacon and anchor in the order of the log, and the facts at the end.
 */
export class ChainCheck {
  readonly #environment: Environment;
  readonly #context: CheckContext;
  readonly #given: HeaderLookup | undefined;
  #network: BitcoinNetwork = bitcoinNetworkOf('production');
  /** Results of the newest issue of each batch. */
  readonly #outcomes = new Map<number, Outcome>();
  readonly #beacons = new BeaconHistory();
  /** The times at which reports claim to be published. */
  readonly #published = new SeqTimes();
  /** For each batch the best block that holds it or a later one, filled in by `facts`. */
  readonly #holding = new Map<number, BlockFacts>();
  /** Least recently used first. */
  readonly #following = new Map<HashHex, Promise<Uint8Array | undefined>>();

  constructor(environment: Environment, context: CheckContext, headers: HeaderLookup | undefined) {
    this.#environment = environment;
    this.#context = context;
    this.#given = headers;
  }

  get kept(): KeptChain {
    return {
      outcomes: this.#outcomes,
      beacons: this.#beacons.kept,
      published: this.#published.kept,
    };
  }

  /** Goes on as the one that was kept, in a log of the same network. */
  resume({ outcomes, beacons, published }: KeptChain): void {
    for (const [batch, outcome] of outcomes) this.#outcomes.set(batch, outcome);
    this.#beacons.resume(beacons);
    this.#published.resume(published);
  }

  /** Sets the chain that the log is stamped on, which its first entry names. */
  begin(network: Network): void {
    this.#network = bitcoinNetworkOf(network);
    if (this.#given === undefined || this.#lookup !== undefined) return;
    this.#context.notChecked.add(
      'times',
      `the log's blocks against the headers given, which are of ${this.#given.network}`,
      `the log is of ${this.#network.name}`,
      'headers',
    );
  }

  /** The best block that holds a batch or a later one. It is known after `facts`. */
  holding(batch: number): BlockFacts | undefined {
    return this.#holding.get(batch);
  }

  /** The largest height that a beacon before entry `seq` names. */
  beaconHeight(seq: number): number | undefined {
    return this.#beacons.heightBefore(seq);
  }

  /** Records a report's time until the blocks are known. */
  published(seq: number, at: TimeText): void {
    this.#published.note(seq, at);
  }

  /** Checks a beacon when the walk reaches it. The caller bounds how many of the returned promises are pending. */
  beacon(beacon: Beacon, seq: number, at: TimeText, place: string): Promise<void> {
    const order = this.#beacons.note(seq, beacon.height);
    if (order === undefined) {
      const known = this.#beacons.heightBefore(seq) ?? 0;
      const expected = `a height of ${known - MAX_REORGANISED} at least: one before it names ${known}`;
      this.#context.findings.add('beacon_invalid', place, expected, `${beacon.height}`);
    }
    return this.#header(beacon, order, at, place);
  }

  async #header(
    beacon: Beacon,
    order: number | undefined,
    at: TimeText,
    place: string,
  ): Promise<void> {
    const context = this.#later();
    const checked = await checkBeacon(beacon, place, this.#rules, context);
    if (checked === undefined) return;
    // No later entry may claim an earlier time, so what holds for this entry holds for them too.
    checkAfterBlock({ how: 'recorded', at, place }, checked.facts, context);
    if (order !== undefined) this.#beacons.checked(order, checked);
  }

  /** What a check gets that ends later than its entry: its findings stand where it began. */
  #later(): CheckContext {
    return { ...this.#context, findings: this.#context.findings.later() };
  }

  /** Checks an anchor against the rows before it, and then returns the promise of the other checks. */
  anchor(
    anchor: Anchor,
    seq: number,
    at: TimeText,
    place: string,
    logBefore: LogBeforeAnchor,
  ): Promise<void> {
    const { sha256 } = this.#environment;
    checkAnchor(anchor, seq, at, place, logBefore, sha256, this.#context);
    const leaves = 1 + stampsBetween(logBefore.state, anchor.from, anchor.to).length;
    return this.#proof(anchor, leaves, seq, place);
  }

  async #proof(anchor: Anchor, leaves: number, seq: number, place: string): Promise<void> {
    const { evidence } = this.#context;
    const following = new Set<string>(anchor.bitcoin.map((block) => block.following));
    const kept = (hash: HashHex, at: string): Promise<Uint8Array | undefined> =>
      following.has(hash) ? this.#headers(hash, at) : evidence.bytes(hash, at);
    const blocks = await checkAnchorProof(anchor, leaves, place, this.#rules, kept, this.#later());
    if (blocks === undefined) return;
    const before = this.#outcomes.get(anchor.batch);
    const outcome = { seq, place, blocks };
    if (before === undefined || before.seq < seq) {
      this.#outcomes.set(anchor.batch, outcome);
      if (before !== undefined) this.#superseded(before);
    } else {
      this.#superseded(outcome);
    }
  }

  #headers(hash: HashHex, place: string): Promise<Uint8Array | undefined> {
    const known = this.#following.get(hash) ?? this.#context.evidence.bytes(hash, place);
    this.#following.delete(hash);
    this.#following.set(hash, known);
    const [oldest] = this.#following.keys();
    if (this.#following.size > MAX_FOLLOWING && oldest !== undefined) {
      this.#following.delete(oldest);
    }
    // Bytes longer than headers are not what was asked for, and not worth the memory.
    void known.then(
      (bytes) => (bytes?.length ?? 0) > MAX_FOLLOWING_BYTES && this.#following.delete(hash),
      () => undefined,
    );
    return known;
  }

  /** A block that an earlier issue named and that the chain has lost since is no lie. */
  #superseded({ place, blocks }: Outcome): void {
    for (const { facts, differs } of blocks) {
      if (differs === undefined) continue;
      if (!differs.stale) {
        const at = `${place}, block ${facts.height}`;
        this.#context.findings.add('header_differs', at, differs.expected, differs.found);
        continue;
      }
      this.#context.notChecked.add(
        'times',
        `block ${facts.block} at height ${facts.height}, which ${place} names`,
        'the headers given have another there; a later issue of the batch replaces it',
        'later',
      );
    }
  }

  get #lookup(): HeaderLookup | undefined {
    return this.#given?.network === this.#network.name ? this.#given : undefined;
  }

  get #rules(): BlockRules {
    const { sha256 } = this.#environment;
    return { sha256, network: this.#network, lookup: this.#lookup };
  }

  /**
   * What Bitcoin shows of the log, once every check has settled. Adds findings for what differs. `pause` is called now
   * and then; an error that it throws ends the work.
   */
  async facts(
    state: ViewState,
    asked: readonly Seen[],
    end: LogEnd,
    pause: () => Promise<void>,
  ): Promise<BitcoinFacts> {
    this.#beacons.settle();
    await everySo(this.#published, pause, ([seq, at]) => this.#checkPublished(seq, at));
    const holding = this.#holding;
    holding.clear();
    const pending: PendingBatch[] = [];
    let pendingCount = 0;
    let best: { readonly size: number; readonly block: BlockFacts } | undefined;
    let held: BlockFacts | undefined;
    await everySo(anchorsBack(state), pause, (row) => {
      const good = this.#blocksOf(row);
      held = good[0] ?? held;
      if (held !== undefined) holding.set(row.batch, held);
      this.#checkOrder(row, good);
      for (const block of good) {
        const place = `batch ${row.batch}, to entry ${row.to - 1}`;
        checkBeforeBlock({ how: 'stamped', at: row.stamped_at, place }, block, this.#context);
        // Newest first, so an older one replaces it only if it is better.
        if (best === undefined || rank(block) < rank(best.block)) best = { size: row.to, block };
      }
      if (row.bitcoin.length > 0) return;
      pendingCount += 1;
      if (pending.length < MAX_PENDING) pending.push(pendingBatch(row));
    });
    this.#namePending(pending, pendingCount);
    const windows: Window[] = [];
    await everySo(asked, pause, (seen) => {
      windows.push(windowOf(seen, state, holding, this.#beacons));
    });
    return {
      network: this.#network.name,
      trust: best?.block.trust ?? 'none',
      source: sourceFacts(this.#lookup),
      anchored: best === undefined ? null : { size: best.size, ...best.block },
      newest_beacon: this.#beacons.highestBefore(Number.POSITIVE_INFINITY) ?? null,
      pending,
      pending_count: pendingCount,
      uncovered: uncoveredOf(state, end),
      windows,
    };
  }

  #checkPublished(seq: number, at: TimeText): void {
    const claimed: ClaimedTime = { how: 'published', at, place: `entry ${seq}` };
    const blocks = this.#beacons.latestBefore(seq);
    if (blocks === undefined) return;
    const { vouched, latest } = blocks;
    if (vouched !== undefined) checkAfterBlock(claimed, vouched, this.#context);
    if (latest !== vouched) checkAfterBlock(claimed, latest, this.#context);
  }

  /**
   * Two blocks of one chain must be in the order of their batches in the log. Two blocks of different chains are named
   * as a reservation.
   */
  #checkOrder({ to }: AnchorRow, good: readonly BlockFacts[]): void {
    const beacon = this.#beacons.highestBefore(to);
    const [block] = good;
    if (beacon === undefined || block === undefined || block.height > beacon.height) return;
    const known = block.trust === beacon.trust && block.trust === this.#lookup?.kind;
    if (known) {
      const expected = `a block above ${beacon.height}, which entry ${beacon.seq} names`;
      const { findings } = this.#context;
      findings.add('anchor_not_reproduced', `batch up to entry ${to}`, expected, `${block.height}`);
      return;
    }
    this.#context.notChecked.add(
      'times',
      `which of two blocks the chain has: ${beacon.height}, which entry ${beacon.seq} names, or ` +
        `${block.height}, which holds that entry`,
      'a reorganisation took one of them back; given headers would show it',
      'headers',
    );
  }

  /** The good blocks of a batch, the best trust first, then the lowest. */
  #blocksOf({ batch, seq }: AnchorRow): readonly BlockFacts[] {
    const outcome = this.#outcomes.get(batch);
    if (outcome === undefined || outcome.seq !== seq) return [];
    const good: BlockFacts[] = [];
    for (const { facts, differs } of outcome.blocks) {
      if (differs === undefined) good.push(facts);
      else {
        const place = `${outcome.place}, block ${facts.height}`;
        this.#context.findings.add('header_differs', place, differs.expected, differs.found);
      }
    }
    return good.sort((a, b) => rank(a) - rank(b) || a.height - b.height);
  }

  #namePending(pending: readonly PendingBatch[], count: number): void {
    const [newest] = pending;
    if (newest === undefined) return;
    const calendars = [...new Set(pending.flatMap((each) => each.calendars))].sort();
    const { from, to, since } = pending.at(-1) ?? newest;
    const chain = this.#network.name === 'bitcoin' ? 'Bitcoin' : 'development';
    this.#context.notChecked.add(
      'times',
      count === 1
        ? `that a ${chain} block holds the stamps of entries ${from} to ${to - 1}: pending since ${since}`
        : `that ${chain} blocks hold the stamps of ${count} batches: the newest is pending since ${newest.since}`,
      pendingWhy(calendars, this.#network.name),
      'later',
    );
  }
}

/** Steps between two pauses. */
const PAUSE_STEPS = 4096;

async function everySo<T>(
  items: Iterable<T>,
  pause: () => Promise<void>,
  take: (item: T) => void,
): Promise<void> {
  let steps = 0;
  for (const item of items) {
    steps += 1;
    if (steps % PAUSE_STEPS === 0) await pause();
    take(item);
  }
}

function rank({ trust }: BlockFacts): number {
  return ORDER.indexOf(trust);
}

function pendingBatch(row: AnchorRow): PendingBatch {
  const { batch, from, to, stamped_at: since, calendars } = row;
  return { batch, from, to, since, calendars: calendars.map(({ uri }) => uri) };
}
