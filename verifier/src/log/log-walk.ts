import { entryBody, type EntryLayout, entryPrev, scanEntry } from '@assay/core/log/entry';
import { messageOf } from '@assay/core/fault';
import { DIGIT_VALUES, formatHex } from '@assay/core/bytes/hex';
import { type Hash, hashHex, type HashHex, leafHash } from '@assay/core/hash/hash';
import { IndexFold } from '@assay/core/view/completeness-fold';
import type { Genesis } from '@assay/core/kind/genesis';
import { type BodyParser, bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import type { CheckpointKeyBody } from '@assay/core/kind/checkpoint-key';
import type { KeyEntry } from '@assay/core/kind/key';
import { isPlainNote } from '@assay/core/kind/note';
import type { RuleEntry } from '@assay/core/kind/rule-entry';
import { successionFaults } from '@assay/core/round/succession';
import { MAX_ANCHOR_LAG } from '@assay/core/kind/anchor';
import { MAX_CLOSING_LAG } from '@assay/core/view/key/checkpoint-keys';
import { TileHistory } from '@assay/core/log/tile-history';
import { formatHashTile } from '@assay/core/log/tile';
import { type FullTile, TileTree } from '@assay/core/log/tile-tree';
import { SeqTimes } from '@assay/core/time/seq-times';
import { parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import { foldEntry } from '@assay/core/view/fold';
import { keysOf, type ReportKey } from '@assay/core/view/key/keys';
import { checkArenaRule } from '../arena/arena-rule-check.ts';
import { ChainCheck } from '../bitcoin/chain-check.ts';
import { ClockCheck } from './clock-check.ts';
import { ClosingHeads } from './closing-heads.ts';
import type { ClosingHead, ReadClosingHead } from '../trust/closing-head.ts';
import type { Environment } from '../verdict/environment.ts';
import type { HeaderLookup } from '../bitcoin/header-lookup.ts';
import type { LogBeforeAnchor } from '../bitcoin/anchor-check.ts';
import { checkClose, checkCloseSignature } from '../check/close-check.ts';
import { checkCosignerSet } from '../check/cosigner-set-check.ts';
import { checkIndexEntry } from '../check/completeness-check.ts';
import { checkCheckpointKey, checkCheckpointKeySignatures } from '../check/checkpoint-key-check.ts';
import { checkKeyEntry, checkKeySignatures } from '../check/key-check.ts';
import { readBody } from './entry-body.ts';
import { InFlight } from './in-flight.ts';
import type { KeptWalk } from './kept-walk.ts';
import { KnownRecords } from './known-records.ts';
import { checkCosignerLogSignatures, CosignerLogCheck } from '../check/cosigner-log-check.ts';
import { checkPrintEntry } from '../check/print-check.ts';
import { type FeedAddresses, feedAddresses } from '@assay/core/feed/program-address';
import {
  checkStatement,
  checkStatementSignatures,
  type LoggedStatement,
} from '../check/statement-check.ts';
import { TerminalCheck } from '../terminal/terminal-check.ts';
import { DeclaredList, isDeclaration, readDeclaration } from '../check/declared.ts';
import { ArenaCheck, type ArenaGround } from '../arena/arena-check.ts';
import { isRoundBody } from '../arena/arena-kinds.ts';
import type { RoundPlace } from '../arena/round-check.ts';
import { DEFAULT_LIMITS, type Reached } from '../verdict/limits.ts';
import { RefereeCheck } from '../referee/referee-check.ts';
import { isRefereeDue } from '../referee/referee-kinds.ts';
import { isDueKind } from '../terminal/terminal-kinds.ts';
import { TimeHistory } from '../check/time-history.ts';
import { WalkRows } from './walk-rows.ts';
import { Unstamped } from '../bitcoin/uncovered.ts';
import { checkReport, checkReportReads, checkReportSignature } from '../check/report-check.ts';
import type { CheckContext } from '../check/read-check.ts';
import { checkRevision, isOwed, type Owed, owedBy } from '../check/revision-check.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Read, Report } from '@assay/core/report/report';
import type { Rule } from '@assay/core/rule/rule';
import { reportDigest } from '@assay/core/view/report-digest';
import { reportsOf } from '@assay/core/view/reports';
import type { BitcoinFacts, TerminalFacts, StatementFacts } from '../verdict/verdict.ts';
import type { Seen } from '../bitcoin/window.ts';

/** Signature checks in flight: enough for every core, and few enough for memory. */
const MAX_IN_FLIGHT = 256;
/** Anchors and beacons in flight. Each may wait for a server, and holds the bytes that it answered. */
const MAX_CHAIN_IN_FLIGHT = 8;

/** Leaves back to which the root of a size may be asked for. */
const HISTORY = Math.max(MAX_ANCHOR_LAG, MAX_CLOSING_LAG);

/** Steps of an entry whose body is checked, beside its hash and what its checks charge themselves. */
const KNOWN_STEPS = 8192;
/** Steps of each byte of such an entry, which is scanned, parsed and validated against its schema. */
const KNOWN_BYTE_STEPS = 8;

/** Options of a walk beyond its checks. */
export interface WalkOptions {
  readonly headers?: HeaderLookup | undefined;
  /** Entries for which the facts name the two blocks. */
  readonly entries?: readonly number[];
  /** Unix seconds. */
  readonly now?: number | undefined;
  /** Sealed forecasts to open, at most (`Limits`). */
  readonly openings?: number;
  /** Bytes of entries whose rows are held in memory (`Limits`). */
  readonly foldedBytes?: number;
  /** Where the closing heads of checkpoint keys that ended are read; none where absent. */
  readonly closingHead?: ReadClosingHead | undefined;
}

/** An entry as it was read before its turn. */
interface ReadAhead {
  readonly layout: EntryLayout;
  readonly known: KnownBody | undefined;
}

type KnownOf<K extends KnownBody['kind']> = Extract<KnownBody, { readonly kind: K }>;

/**
 * Follows a log from its first entry. It checks canonical bytes, the hash chain, the tree, times, kinds, rules and
 * signatures; it drafts reports again, runs rules again on the kept bytes, and folds every view.
 */
export class LogWalk {
  readonly views: WalkRows;
  #tree: TileTree;
  readonly #environment: Environment;
  readonly #context: CheckContext;
  readonly #parseBody: BodyParser;
  /** What `prefetch` has read of entries that are still to come. It goes when their bytes do. */
  readonly #ahead = new WeakMap<Uint8Array, ReadAhead>();
  readonly #inFlight = new InFlight(MAX_IN_FLIGHT);
  readonly #chainInFlight = new InFlight(MAX_CHAIN_IN_FLIGHT);
  #history: TileHistory;
  readonly #closing: ClosingHeads;
  readonly #chain: ChainCheck;
  /** An anchor may name the last entry of as many entries back. */
  readonly #times = new TimeHistory(MAX_ANCHOR_LAG + 1);
  readonly #clock: ClockCheck;
  readonly #asked: ReadonlySet<number>;
  readonly #seen: Seen[] = [];
  #prevLeaf: Uint8Array = new Uint8Array(32);
  #at: TimeText | '' = '';
  #firstAt: TimeText | '' = '';
  readonly #unstamped: Unstamped = new Unstamped();
  #log: HashHex | undefined;
  #genesis: Genesis | undefined;
  /** What must follow the newest report. Publishers append it in the same commit, so there is at most one. */
  #owed: Owed | undefined;
  /** What statements and the chain may refer to. */
  readonly #records: KnownRecords;
  readonly #words = new CosignerLogCheck();
  readonly #index: IndexFold;
  readonly #terminal: TerminalCheck;
  readonly #referee: RefereeCheck;
  readonly #arena: ArenaCheck;
  readonly #declared = new DeclaredList();
  #addresses: FeedAddresses | undefined;
  /** The rules of reports so far, by hash. */
  readonly #rules = new Map<HashHex, Rule>();
  /** Reports that were announced before there was a rule for their reads. */
  #early: { readonly seq: number; readonly report: Report }[] = [];
  /** The reads of reports whose kept bytes make other reads than the report states, each of which is a finding. */
  readonly #reread = new Map<HashHex, readonly Read[]>();
  /** When the newest revision of each index was read. */
  readonly #revised = new Map<string, TimeText>();
  /** Entries of the reports that the publisher's signature covers, and their times. */
  readonly #signedReports = new SeqTimes();
  #foldedBytes = 0;
  /** Whether an entry was begun and not taken as a whole. */
  #isWithin = false;
  /** The error of a signature check that could not be completed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    environment: Environment,
    context: CheckContext,
    {
      headers,
      entries = [],
      now,
      openings = DEFAULT_LIMITS.openings,
      foldedBytes = DEFAULT_LIMITS.folded_bytes,
      closingHead,
    }: WalkOptions = {},
  ) {
    this.#closing = new ClosingHeads(closingHead);
    this.#clock = new ClockCheck(now);
    this.#environment = environment;
    this.#context = context;
    this.views = new WalkRows(context.work, environment.rowStore, foldedBytes);
    this.#tree = new TileTree(environment.sha256);
    this.#parseBody = bodyParser(environment.sha256);
    this.#history = new TileHistory(environment.sha256, this.#tree, HISTORY);
    this.#chain = new ChainCheck(environment, context, headers);
    this.#asked = new Set(entries);
    this.#records = new KnownRecords(environment.sha256);
    this.#index = new IndexFold(environment.sha256);
    this.#terminal = new TerminalCheck(environment.sha256, context);
    this.#referee = new RefereeCheck(environment.sha256, context);
    this.#arena = new ArenaCheck(environment, context, openings);
  }

  get size(): number {
    return this.#tree.size;
  }

  get tree(): TileTree {
    return this.#tree;
  }

  /**
   * What the next walk needs to go on from here, beside the rows. Undefined before the first entry, and after one that is
   * no genesis. Call it when `drain` has resolved.
   */
  get kept(): KeptWalk | undefined {
    if (this.#log === undefined || this.#genesis === undefined) return undefined;
    return {
      log: this.#log,
      genesis: this.#genesis,
      tree: this.#tree.kept,
      tiles: this.#history.kept,
      prevLeaf: this.#prevLeaf,
      at: this.#at,
      firstAt: this.#firstAt,
      foldedBytes: this.#foldedBytes,
      times: this.#times.kept,
      closing: this.#closing.kept,
      chain: this.#chain.kept,
      unstamped: this.#unstamped.kept,
      records: this.#records.kept,
      statements: this.#words.kept,
      index: this.#index.kept,
      declared: this.#declared.kept,
      terminal: this.#terminal.kept,
      referee: this.#referee.kept,
      arena: this.#arena.kept,
      owed: this.#owed,
      rules: this.#rules,
      revised: this.#revised,
      signedReports: this.#signedReports.kept,
    };
  }

  /** Goes on as the walk that was kept, whose rows its views have already. Call it before the first entry. */
  resume(kept: KeptWalk): void {
    const { sha256 } = this.#environment;
    const { size, peaks, partial } = kept.tree;
    this.#tree = TileTree.restore(sha256, size, peaks, partial);
    this.#history = new TileHistory(sha256, this.#tree, HISTORY);
    this.#history.resume(kept.tiles);
    this.#log = kept.log;
    this.#prevLeaf = kept.prevLeaf;
    this.#at = kept.at;
    this.#firstAt = kept.firstAt;
    this.#foldedBytes = kept.foldedBytes;
    this.#begin(kept.genesis);
    this.#times.resume(kept.times);
    this.#closing.resume(kept.closing);
    this.#chain.resume(kept.chain);
    this.#unstamped.resume(kept.unstamped);
    this.#records.resume(kept.records);
    this.#words.resume(kept.statements);
    this.#index.resume(kept.index);
    this.#declared.resume(kept.declared);
    this.#terminal.resume(kept.terminal);
    this.#referee.resume(kept.referee);
    this.#arena.resume(kept.arena);
    this.#owed = kept.owed;
    for (const [hash, rule] of kept.rules) this.#rules.set(hash, rule);
    for (const [ticker, at] of kept.revised) this.#revised.set(ticker, at);
    this.#signedReports.resume(kept.signedReports);
  }

  #begin(genesis: Genesis): void {
    this.#genesis = genesis;
    this.#chain.begin(genesis.network);
    this.#addresses = feedAddresses(this.#environment.sha256, genesis);
  }

  /** How far the walk has come, for the limits. */
  get reached(): Reached {
    return {
      entries: this.size,
      foldedBytes: this.#foldedBytes,
      isStored: this.views.isStored,
    };
  }

  /**
   * Whether an entry was taken in part only, or a check could not be completed, because something that it needs could not be
   * read or written. Nothing that follows in such a walk means anything. While an entry is being taken it is true too.
   */
  get isTorn(): boolean {
    return this.#isWithin || this.#failure !== undefined;
  }

  get log(): HashHex | undefined {
    return this.#log;
  }

  /** The time that the log's newest entry claims; empty before the first entry. */
  get at(): TimeText | '' {
    return this.#at;
  }

  /** The time claimed by the first entry that could be read; empty before it. */
  get firstAt(): TimeText | '' {
    return this.#firstAt;
  }

  /** What a co-signer states in this log, where it is a co-signer's; undefined in any other. */
  get words(): StatementFacts | undefined {
    return this.#words.facts;
  }

  /** The ticks of each class that the log has. Call it after `bitcoin`, for what that shows of them. */
  get terminal(): readonly TerminalFacts[] {
    return this.#terminal.facts(this.views, (batch) => this.#chain.holding(batch));
  }

  /** The addresses of the log's accounts on chain; undefined for a log that names no chain. */
  get addresses(): FeedAddresses | undefined {
    return this.#addresses;
  }

  /** What the log declares about itself in notes: entries that it lost, and another log that it succeeds. */
  get declared(): DeclaredList {
    return this.#declared;
  }

  /** The closing heads of the checkpoint keys that ended so far, by their numbers. */
  get closingHeads(): ReadonlyMap<number, ClosingHead> {
    return this.#closing.found;
  }

  root(): Hash {
    return this.#tree.root();
  }

  /** The bytes of a tile that `entry` has just returned. */
  tileBytes({ level, index, hashes }: FullTile): Uint8Array {
    return this.#history.tile(level, index) ?? formatHashTile(hashes);
  }

  /** What Bitcoin shows of the log. Call it at the end, when everything has settled; it may add findings. */
  async bitcoin(pause: () => Promise<void>): Promise<BitcoinFacts> {
    for (const seq of this.#asked) {
      if (seq < this.size) continue;
      this.#context.notChecked.add(
        'scope',
        `entry ${seq}`,
        `the log has ${this.size} entries`,
        'later',
      );
    }
    const end = { size: this.size, at: this.#at, since: this.#unstamped.since };
    return this.#chain.facts(this.views, this.#seen, end, pause);
  }

  /**
   * Starts fetching what these entries will need, so that the walk does not wait for each in turn. `entry` reports
   * those that cannot be read.
   */
  prefetch(entries: readonly Uint8Array[]): void {
    this.#early = [];
    for (const bytes of entries) {
      if (!mayNameBlobs(bytes)) continue;
      try {
        const layout = scanEntry(bytes);
        if (!NAME_BLOBS.has(layout.kind)) continue;
        const known = this.#parseBody(layout.kind, entryBody(bytes, layout));
        this.#ahead.set(bytes, { layout, known });
        if (known?.kind === 'tick/1') this.#terminal.prefetch(known.body, placeOf(layout.seq));
        if (known?.kind === 'revision/1') this.#context.evidence.prefetch(known.body.snapshot);
        if (known?.kind !== 'report/1') continue;
        const { report } = known.body;
        this.#prefetchReads(report);
        if (!this.#rules.has(report.rule.hash)) this.#early.push({ seq: layout.seq, report });
      } catch {
        // `entry` adds the finding when it reaches this entry.
      }
    }
  }

  /** Has what a report read fetched, and read on another thread, where the rule is one that reports had before it. */
  #prefetchReads({ rule: { hash: ruleHash }, reads, period: name }: Report): void {
    const { evidence } = this.#context;
    const rule = this.#rules.get(ruleHash);
    const period = parseDate(name);
    for (const { provider: id, snapshot: hash } of reads) {
      if (hash === null) continue;
      const provider = rule?.providers.find((each) => each.id === id);
      evidence.prefetch(hash, ({ pages, text }) => {
        if (rule === undefined || provider === undefined || pages === undefined) return;
        evidence.answers.prefetch(rule, provider, { hash, pages, text }, period);
      });
    }
  }

  /** Records the rule of a report, and has the reads of later ones under it done that were announced before. */
  #knowRule(hash: HashHex, rule: Rule, seq: number): void {
    const isNew = !this.#rules.has(hash);
    this.#rules.set(hash, rule);
    if (!isNew || this.#environment.readElsewhere === undefined) return;
    for (const { seq: of, report } of this.#early) {
      if (of > seq && report.rule.hash === hash) this.#prefetchReads(report);
    }
  }

  /**
   * Checks the next entry. Returns the tiles that it fills, without a promise where nothing has to be waited for. Calls
   * must not overlap.
   */
  entry(bytes: Uint8Array): readonly FullTile[] | Promise<readonly FullTile[]> {
    this.#isWithin = true;
    const taken = this.#take(bytes);
    if (taken instanceof Promise) return taken.then((filled) => this.#taken(filled));
    return this.#taken(taken);
  }

  #taken(filled: readonly FullTile[]): readonly FullTile[] {
    this.#isWithin = false;
    return filled;
  }

  #take(bytes: Uint8Array): readonly FullTile[] | Promise<readonly FullTile[]> {
    const seq = this.size;
    const leaf = leafHash(this.#environment.sha256, bytes);
    const layout = this.#scan(bytes, seq);
    this.#context.tally.entries += 1;
    this.#log ??= hashHex(leaf);
    this.#times.note(seq, layout?.at);
    if (layout === undefined || !isDueKind(layout.kind)) {
      this.#terminal.other();
      if (layout === undefined || !isRefereeDue(layout.kind)) this.#referee.other(this.views);
    }
    if (this.#asked.size > 0 && this.#asked.has(seq)) {
      this.#seen.push({ seq, kind: layout?.kind ?? 'none that can be read' });
    }
    if (layout !== undefined && !isPlainNote(bytes, layout)) {
      const place = placeOf(seq);
      this.#context.work.charge(KNOWN_STEPS + KNOWN_BYTE_STEPS * bytes.length);
      const known =
        this.#ahead.get(bytes)?.known ??
        readBody(this.#parseBody, bytes, layout, place, this.#context.findings);
      if (known?.kind === 'note/1' && isDeclaration(known.body.text)) {
        return this.#declare(known.body.text, seq).then(() => this.#append(leaf));
      }
      if (known !== undefined && known.kind !== 'note/1') {
        this.#foldedBytes += bytes.length;
        return this.#known(known, seq, layout.at, place).then(() => {
          this.#records.note(known, seq, leaf, this.views);
          const filled = this.#append(leaf);
          const flushing = this.views.flush(this.#foldedBytes);
          return flushing === undefined ? filled : flushing.then(() => filled);
        });
      }
    }
    return this.#append(leaf);
  }

  async #declare(text: string, seq: number): Promise<void> {
    const log = this.#log as HashHex;
    this.#declared.add(await readDeclaration(text, { seq, log }, this.#environment));
  }

  #append(leaf: Hash): readonly FullTile[] {
    this.#prevLeaf = leaf;
    const filled = this.#tree.append(leaf);
    if (filled.length > 0) this.#history.keep(filled);
    this.#closing.appended(this.size, () => this.root());
    return filled;
  }

  /** Resolves when every pending signature has been checked; rejects if one could not be checked. */
  async settle(): Promise<void> {
    this.#stillOwed('the revisions that it shows');
    const { findings, notChecked } = this.#context;
    this.#declared.name(notChecked);
    this.#terminal.finish(this.#genesis?.origin);
    this.#referee.finish(this.views);
    this.#arena.finish(this.views, this.#at);
    if (this.#genesis !== undefined) {
      this.#clock.finish(this.#genesis.network, findings, notChecked);
    }
    await this.drain();
    this.#context.evidence.finish();
  }

  /**
   * The time of a report's entry; undefined where the publisher has not signed the report, or the signature is not
   * checked yet.
   */
  signedReportAt(seq: number): TimeText | undefined {
    return this.#signedReports.get(seq);
  }

  /** Like `settle`, for a log that is followed further: nothing is reported of what its end leaves open. */
  async drain(): Promise<void> {
    await this.#inFlight.ended();
    await this.#chainInFlight.ended();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #scan(bytes: Uint8Array, seq: number): EntryLayout | undefined {
    const { findings } = this.#context;
    let layout: EntryLayout;
    try {
      layout = this.#ahead.get(bytes)?.layout ?? scanEntry(bytes);
    } catch (error) {
      findings.add('entry_malformed', placeOf(seq), 'a canonical entry', messageOf(error));
      return undefined;
    }
    if (layout.seq !== seq) {
      findings.add('entry_out_of_order', placeOf(seq), `seq ${seq}`, `seq ${layout.seq}`);
    }
    if (!hexMatches(bytes, layout.prevStart, this.#prevLeaf)) {
      findings.add(
        'chain_broken',
        placeOf(seq),
        `prev ${formatHex(this.#prevLeaf)}, the hash of entry ${seq - 1} as it is here`,
        `prev ${entryPrev(bytes, layout)}`,
      );
    }
    if (this.#firstAt === '') this.#firstAt = layout.at;
    if (layout.at < this.#at) {
      findings.add('time_decreases', placeOf(seq), `at ${this.#at} or later`, layout.at);
    } else {
      this.#at = layout.at;
      this.#clock.note(layout.at, seq);
      this.#unstamped.entry(layout.kind, seq, layout.at);
    }
    if ((layout.kind === 'genesis/1') !== (seq === 0)) {
      findings.add(
        'genesis_misplaced',
        placeOf(seq),
        seq === 0 ? 'genesis/1' : 'any kind but genesis',
        layout.kind,
      );
    }
    return layout;
  }

  async #known(known: KnownBody, seq: number, at: TimeText, place: string): Promise<void> {
    this.#words.note(known.kind, place, this.#context);
    switch (known.kind) {
      case 'genesis/1':
        if (seq === 0) this.#begin(known.body);
        break;
      case 'rule/1':
        this.#rule(known.body, at, place);
        break;
      case 'report/1':
        await this.#report(known, seq, at, place);
        return;
      case 'revision/1':
        await this.#revision(known, seq, at, place);
        return;
      case 'close/1':
        await this.#close(known, seq, at, place);
        return;
      case 'index/1':
        checkIndexEntry(known.body, { seq, at, place }, this.views, this.#index, this.#context);
        break;
      case 'anchor/1':
        this.#unstamped.batch(known.body.to);
        await this.#anchor(known, seq, at, place);
        break;
      case 'beacon/1':
        if (this.#genesis === undefined) break;
        await this.#limit(this.#chain.beacon(known.body, seq, at, place), this.#chainInFlight);
        break;
      case 'cosigners/1':
        if (this.#genesis === undefined) break;
        checkCosignerSet(
          known.body,
          at,
          place,
          this.#genesis,
          this.views,
          this.#environment.sha256,
          this.#context.findings,
        );
        break;
      case 'key/1':
        await this.#key(known.body, place);
        break;
      case 'key/2':
        await this.#checkpointKey(known.body, seq, place);
        break;
      case 'cosign/1':
      case 'dissent/1':
        await this.#statement(known, seq, at, place);
        break;
      case 'print/1':
        checkPrintEntry(
          known.body,
          at,
          place,
          {
            state: this.views,
            addresses: this.#addresses,
            due: (digest) => this.#records.due(digest, this.views),
          },
          this.#context,
        );
        break;
      case 'statement/1':
        if (this.#genesis === undefined) break;
        this.#words.check(
          known.body,
          at,
          place,
          this.#keys(this.#genesis)[0],
          this.views,
          this.#context,
        );
        await this.#limit(
          checkCosignerLogSignatures(known.body, place, this.#environment, this.#later()),
        );
        break;
      case 'arena-rule/1':
        checkArenaRule(known.body, place, this.views, this.#context.findings);
        break;
      case 'question/1':
      case 'answers/1':
      case 'outcome/1':
        await this.#referee.entry(known, { at, place }, this.views);
        break;
      case 'note/1':
        return;
      default:
        await this.#other(known, { seq, at, place });
    }
    this.#fold(known, seq, at);
  }

  /** Checks an entry of the Arena or of the Terminal. */
  async #other(known: KnownBody, where: RoundPlace): Promise<void> {
    if (isRoundBody(known)) {
      await this.#arena.entry(known, where, this.#arenaGround());
      return;
    }
    await this.#terminal.entry(known, where, this.views);
    this.#follow(known, where.at, where.place);
  }

  #arenaGround(): ArenaGround {
    return {
      log: this.#log as HashHex,
      state: this.views,
      rootAt: (size) => this.#history.root(size),
      limit: async (work) => this.#limit(work),
    };
  }

  /** Records what questions and outcomes follow from: a tick, and the events that it opened. */
  #follow(known: KnownBody, at: TimeText, place: string): void {
    if (known.kind === 'event/1') this.#referee.event(known.body);
    if (known.kind !== 'tick/1') return;
    const { leaves } = this.#terminal;
    const { class: of, ts } = known.body;
    this.#referee.tick({ class: of, ts: parseTime(ts), at, place, leaves });
  }

  async #key(entry: KeyEntry, place: string): Promise<void> {
    if (this.#genesis === undefined) return;
    const { sha256 } = this.#environment;
    checkKeyEntry(entry, place, this.views, sha256, this.#context.findings);
    const log = this.#log as HashHex;
    await this.#limit(checkKeySignatures(entry, log, place, this.#environment, this.#later()));
  }

  async #checkpointKey(body: CheckpointKeyBody, seq: number, place: string): Promise<void> {
    if (this.#genesis === undefined) return;
    const { sha256 } = this.#environment;
    const { findings } = this.#context;
    const isFit = checkCheckpointKey(body, seq, place, this.views, sha256, findings);
    if (isFit && body.type === 'checkpoint-key') {
      await this.#closing.take(body.number - 1, seq, (size) => this.#history.root(size));
    }
    const log = this.#log as HashHex;
    await this.#limit(
      checkCheckpointKeySignatures(body, log, place, this.#environment, this.#later()),
    );
  }

  /** The report key in force, in hex, and all report keys that the log has so far. */
  #keys({ report_key: first }: Genesis): readonly [string, readonly ReportKey[]] {
    const keys = keysOf(this.views);
    return [keys.at(-1)?.key ?? first, keys];
  }

  async #statement(
    logged: LoggedStatement,
    seq: number,
    at: TimeText,
    place: string,
  ): Promise<void> {
    const report = checkStatement(
      logged,
      seq,
      at,
      place,
      {
        log: this.#log as HashHex,
        state: this.views,
        reported: (hash) => this.#records.reported(hash, this.views),
        rootAt: (size) => this.#history.root(size),
        reread: (hash) => this.#reread.get(hash),
      },
      this.#environment.sha256,
      this.#context,
    );
    await this.#limit(
      checkStatementSignatures(logged, report, place, this.#environment, this.#later()),
    );
  }

  #fold(known: KnownBody, seq: number, at: TimeText): void {
    const entry = { ...known, seq, at, log: this.#log as HashHex };
    this.views.write(foldEntry(entry, this.views, this.#environment.sha256));
  }

  async #report(
    known: KnownOf<'report/1'>,
    seq: number,
    at: TimeText,
    place: string,
  ): Promise<void> {
    const { body } = known;
    const { report } = body;
    this.#context.tally.reports += 1;
    this.#stillOwed('the revisions that its bytes show');
    if (this.#genesis === undefined) {
      this.#fold(known, seq, at);
      return;
    }
    this.#chain.published(seq, report.published_at);
    const logBefore = { log: this.#log as HashHex, genesis: this.#genesis, state: this.views };
    const rule = checkReport(body, at, place, logBefore, this.#context);
    const [key, keys] = this.#keys(this.#genesis);
    await this.#limit(
      checkReportSignature(body, key, keys, place, this.#environment, this.#later()).then(
        (good) => {
          if (good) this.#signedReports.note(seq, at);
        },
      ),
    );
    // A final that keeps bytes printed before requires nothing new, because those have had their revisions.
    const held = reportsOf(this.views, report.ticker, report.period).some(
      (before) => firstDifference(before.report.reads, report.reads) === undefined,
    );
    this.#fold(known, seq, at);
    if (rule === undefined) return;
    this.#knowRule(report.rule.hash, rule, seq);
    const reads = await checkReportReads(body, rule, place, this.#context);
    if (reads !== undefined && firstDifference(reads, report.reads) !== undefined) {
      this.#reread.set(reportDigest(this.#environment.sha256, body), reads);
    }
    const owed = held ? undefined : await owedBy(report, rule, place, this.views, this.#context);
    this.#owed = owed;
  }

  async #revision(
    known: KnownOf<'revision/1'>,
    seq: number,
    at: TimeText,
    place: string,
  ): Promise<void> {
    const { ticker, snapshot, read_at: readAt } = known.body;
    const { findings } = this.#context;
    const owed = this.#owed;
    if (owed !== undefined && (owed.rule.ticker !== ticker || owed.snapshot !== snapshot)) {
      this.#stillOwed(`the revisions of snapshot ${owed.snapshot}`);
    }
    const last = this.#revised.get(ticker);
    if (last !== undefined && readAt < last) {
      findings.add(
        'report_times',
        place,
        `read at ${last} or later, as the revision before`,
        readAt,
      );
    } else {
      this.#revised.set(ticker, readAt);
    }
    await checkRevision(known.body, at, place, this.views, this.#context);
    this.#fold(known, seq, at);
    if (owed !== undefined && !isOwed(owed, this.views)) this.#owed = undefined;
  }

  async #close(known: KnownOf<'close/1'>, seq: number, at: TimeText, place: string): Promise<void> {
    this.#stillOwed('the revisions that its bytes show');
    if (this.#genesis !== undefined) {
      checkClose(known.body, at, place, this.views, this.#environment, this.#context);
      const [key, keys] = this.#keys(this.#genesis);
      const log = this.#log as HashHex;
      await this.#limit(
        checkCloseSignature(known.body, log, key, keys, place, this.#environment, this.#later()),
      );
    }
    this.#fold(known, seq, at);
  }

  async #anchor(
    { body }: KnownOf<'anchor/1'>,
    seq: number,
    at: TimeText,
    place: string,
  ): Promise<void> {
    if (this.#genesis === undefined) return;
    const logBefore: LogBeforeAnchor = {
      origin: this.#genesis.origin,
      state: this.views,
      rootAt: (size) => this.#history.root(size),
      beaconHeight: (of) => this.#chain.beaconHeight(of),
      timeOf: (of) => this.#times.of(of),
    };
    await this.#limit(this.#chain.anchor(body, seq, at, place, logBefore), this.#chainInFlight);
  }

  /** Reports that what a report requires did not follow. */
  #stillOwed(expected: string): void {
    if (this.#owed === undefined) return;
    this.#context.findings.add('revision_missing', this.#owed.place, expected, 'another entry');
    this.#owed = undefined;
  }

  #rule({ rule }: RuleEntry, at: TimeText, place: string): void {
    this.#context.tally.rules += 1;
    if (this.#genesis === undefined) return;
    for (const fault of successionFaults(rule, this.#genesis.network, this.views, at)) {
      this.#context.findings.add('rule_not_allowed', place, fault.expected, fault.found);
    }
  }

  /** What a check gets that ends later than its entry: its findings stand where it began. */
  #later(): CheckContext {
    return { ...this.#context, findings: this.#context.findings.later() };
  }

  /** Lets `work` go on beside the walk. Waits only while as much is under way already as may be. */
  #limit(work: Promise<void>, room: InFlight = this.#inFlight): Promise<void> {
    return room.add(
      work.catch((error: unknown) => {
        this.#failure ??= { error };
      }),
    );
  }
}

function placeOf(seq: number): string {
  return `entry ${seq}`;
}

/** Whether the hex digits at `start` spell `hash`. It allocates nothing, because it runs for every entry. */
function hexMatches(bytes: Uint8Array, start: number, hash: Uint8Array): boolean {
  for (let i = 0; i < hash.length; i += 1) {
    const high = DIGIT_VALUES[bytes[start + 2 * i] as number] as number;
    const low = DIGIT_VALUES[bytes[start + 2 * i + 1] as number] as number;
    if (high * 16 + low !== hash[i]) return false;
  }
  return true;
}

/** Bytes from the end of an entry's kind to the digits of its seq: `","prev":"`, 64 digits, `","seq":`. */
const KIND_TO_SEQ = 10 + 64 + 8;

/** Kinds whose entries name bytes that a check needs at once. */
const NAME_BLOBS: ReadonlySet<string> = new Set(['report/1', 'revision/1', 'tick/1']);

/**
 * Whether an entry's kind ends like `report/1`, `revision/1` or `tick/1`. This is enough to know which blobs to fetch,
 * at a fraction of the cost of a scan. A wrong answer costs only a fetch, because the check itself does not rely on it.
 */
function mayNameBlobs(bytes: Uint8Array): boolean {
  let at = bytes.length - 8;
  while (at > 0 && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at -= 1;
  const last = bytes[at + 1 - KIND_TO_SEQ - 3];
  return last === 0x74 || last === 0x6e || last === 0x6b;
}
