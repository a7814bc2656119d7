import { equalBytes } from '@assay/core/bytes';
import { entryBody, type EntryLayout, entryPrev, scanEntry } from '@assay/core/entry';
import { messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/hex';
import { type Hash, hashHex, type HashHex, leafHash } from '@assay/core/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import { type BodyParser, bodyParser, isListedKind, type KnownBody } from '@assay/core/kind/kinds';
import type { RuleEntry } from '@assay/core/kind/rule-entry';
import { successionFaults } from '@assay/core/rule/succession';
import { formatHashTile } from '@assay/core/tile';
import { type FullTile, TileTree } from '@assay/core/tile-tree';
import type { TimeText } from '@assay/core/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { Environment } from './environment.ts';
import { checkReport, checkReportReads, checkReportSignature } from './report-check.ts';
import type { CheckContext } from './read-check.ts';
import { checkRevision } from './revision-check.ts';

/** Signature checks in flight; enough for every core, few enough for memory. */
const MAX_IN_FLIGHT = 256;

/**
 * Follows a log from its first entry: canonical bytes, hash chain, tree, times, kinds, rules,
 * signatures, reports drafted again, rules run again on the kept bytes, and the fold of every view.
 */
export class LogWalk {
  readonly views: MemoryViews = new MemoryViews();
  readonly tree: TileTree;
  readonly #environment: Environment;
  readonly #context: CheckContext;
  readonly #parseBody: BodyParser;
  readonly #inFlight = new Set<Promise<void>>();
  #prevLeaf: Uint8Array = new Uint8Array(32);
  #at: TimeText | '' = '';
  #log: HashHex | undefined;
  #genesis: Genesis | undefined;
  #foldedBytes = 0;
  /** A signature check that did not come to an answer. */
  #failure: { readonly error: unknown } | undefined;

  constructor(environment: Environment, context: CheckContext) {
    this.#environment = environment;
    this.#context = context;
    this.tree = new TileTree(environment.sha256);
    this.#parseBody = bodyParser(environment.sha256);
  }

  get size(): number {
    return this.tree.size;
  }

  /** Bytes of the entries that the rows were folded from. */
  get foldedBytes(): number {
    return this.#foldedBytes;
  }

  get log(): HashHex | undefined {
    return this.#log;
  }

  get genesis(): Genesis | undefined {
    return this.#genesis;
  }

  root(): Hash {
    return this.tree.root();
  }

  /**
   * Starts fetching what these entries will need, so that the walk does not wait for each in turn.
   * Entries that cannot be read are left for `entry` to complain about.
   */
  prefetch(entries: readonly Uint8Array[]): void {
    for (const bytes of entries) {
      try {
        const layout = scanEntry(bytes);
        if (layout.kind !== 'report/1' && layout.kind !== 'revision/1') continue;
        const known = this.#parseBody(layout.kind, entryBody(bytes, layout));
        if (known?.kind === 'revision/1') this.#context.evidence.prefetch(known.body.snapshot);
        if (known?.kind !== 'report/1') continue;
        for (const { snapshot } of known.body.report.reads) {
          if (snapshot !== null) this.#context.evidence.prefetch(snapshot);
        }
      } catch {
        // Said where the entry is taken up.
      }
    }
  }

  /**
   * Takes the next entry; the tiles that it fills. Not for two at a time. Resolves at once for
   * entries that need no bytes from elsewhere.
   */
  async entry(bytes: Uint8Array): Promise<readonly FullTile[]> {
    const seq = this.size;
    const place = `entry ${seq}`;
    const leaf = leafHash(this.#environment.sha256, bytes);
    const layout = this.#scan(bytes, seq, place);
    this.#context.tally.entries += 1;
    this.#log ??= hashHex(leaf);
    if (layout !== undefined) {
      const known = this.#body(bytes, layout, place);
      if (known !== undefined) {
        if (known.kind !== 'note/1') this.#foldedBytes += bytes.length;
        await this.#known(known, seq, layout.at, place);
      }
    }
    this.#prevLeaf = leaf;
    return this.tree.append(leaf);
  }

  /** Resolves when every signature that was taken up has been checked; rejects if one could not be. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #scan(bytes: Uint8Array, seq: number, place: string): EntryLayout | undefined {
    const { findings } = this.#context;
    let layout: EntryLayout;
    try {
      layout = scanEntry(bytes);
    } catch (error) {
      findings.add('entry_malformed', place, 'a canonical entry', messageOf(error));
      return undefined;
    }
    if (layout.seq !== seq) {
      findings.add('entry_out_of_order', place, `seq ${seq}`, `seq ${layout.seq}`);
    }
    if (!hexMatches(bytes, layout.prevStart, this.#prevLeaf)) {
      findings.add(
        'chain_broken',
        place,
        `prev ${formatHex(this.#prevLeaf)}`,
        `prev ${entryPrev(bytes, layout)}`,
      );
    }
    if (layout.at < this.#at) {
      findings.add('time_decreases', place, `at ${this.#at} or later`, layout.at);
    } else {
      this.#at = layout.at;
    }
    if ((layout.kind === 'genesis/1') !== (seq === 0)) {
      findings.add(
        'genesis_misplaced',
        place,
        seq === 0 ? 'genesis/1' : 'any kind but genesis',
        layout.kind,
      );
    }
    return layout;
  }

  #body(bytes: Uint8Array, layout: EntryLayout, place: string): KnownBody | undefined {
    const { findings } = this.#context;
    try {
      const known = this.#parseBody(layout.kind, entryBody(bytes, layout));
      if (known === undefined) {
        const listed = isListedKind(layout.kind)
          ? 'a kind that this version checks'
          : "a kind of this format's closed list";
        findings.add('not_understood', place, listed, layout.kind);
      }
      return known;
    } catch (error) {
      findings.add('entry_malformed', place, `a body of ${layout.kind}`, messageOf(error));
      return undefined;
    }
  }

  async #known(known: KnownBody, seq: number, at: TimeText, place: string): Promise<void> {
    const log = this.#log as HashHex;
    switch (known.kind) {
      case 'genesis/1':
        if (seq === 0) this.#genesis = known.body;
        break;
      case 'rule/1':
        this.#rule(known.body, place);
        break;
      case 'report/1': {
        this.#context.tally.reports += 1;
        if (this.#genesis === undefined) break;
        const standing = { log, genesis: this.#genesis, state: this.views };
        const rule = checkReport(known.body, at, place, standing, this.#context);
        const { report_key: key } = this.#genesis;
        await this.#limit(
          checkReportSignature(known.body, key, place, this.#environment, this.#context),
        );
        if (rule !== undefined) await checkReportReads(known.body, rule, place, this.#context);
        break;
      }
      case 'revision/1':
        await checkRevision(known.body, at, place, this.views, this.#context);
        break;
      case 'note/1':
        return;
    }
    this.views.write(foldEntry({ ...known, seq, at, log }, this.views, this.#environment.sha256));
  }

  #rule({ rule }: RuleEntry, place: string): void {
    this.#context.tally.rules += 1;
    if (this.#genesis === undefined) return;
    for (const fault of successionFaults(rule, this.#genesis.network, this.views)) {
      this.#context.findings.add('rule_not_allowed', place, fault.expected, fault.found);
    }
  }

  async #limit(work: Promise<void>): Promise<void> {
    const tracked = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
    if (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
  }
}

const HEX_VALUE = new Int8Array(256).fill(-1);
for (const [i, digit] of Array.from('0123456789abcdef').entries())
  HEX_VALUE[digit.charCodeAt(0)] = i;

/** Whether the hex digits at `start` spell `hash`; builds nothing, for it runs for every entry. */
function hexMatches(bytes: Uint8Array, start: number, hash: Uint8Array): boolean {
  for (let i = 0; i < hash.length; i += 1) {
    const high = HEX_VALUE[bytes[start + 2 * i] as number] as number;
    const low = HEX_VALUE[bytes[start + 2 * i + 1] as number] as number;
    if (high * 16 + low !== hash[i]) return false;
  }
  return true;
}

/** Whether a served or stored full tile is the one that the entries make. */
export function isTile(tile: FullTile, bytes: Uint8Array): boolean {
  return equalBytes(formatHashTile(tile.hashes), bytes);
}
