import type { Sha256 } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import type { ScoreRuleEntry } from '@assay/core/kind/score-rule-entry';
import type { Split } from '@assay/core/kind/split';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Study } from '@assay/core/kind/study';
import type { Tick } from '@assay/core/kind/tick';
import { isReplay } from '@assay/core/network';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { EventBook, type KeptBook, type PublicLeaf } from '@assay/core/terminal/event/event-book';
import { GRID_SECONDS, type TickGrid, utcGrid } from '@assay/core/terminal/calendar/grid';
import { type GridName, handoverFault, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { STUDIED } from '@assay/core/terminal/study/study-maker';
import { DAY_SECONDS, formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { assetRow, isListable, relistSeconds } from '@assay/core/view/assets';
import { logRow } from '@assay/core/view/log';
import { eventRow } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { BlobsAhead } from './blobs-ahead.ts';
import { ClassStudies, type DueStudy, type KeptStudies, type NamedRule } from './class-studies.ts';
import { checkEdgeStudy } from './edge-check.ts';
import { type KeptOwed, notDue, OwedByTick } from './event-check.ts';
import { countOpenings } from './opening-proofs.ts';
import type { CheckContext } from '../check/read-check.ts';
import { type KeptScores, ScoreCheck } from './score-check.ts';
import { SplitDays } from './split-days.ts';
import { checkStudy } from './study-check.ts';
import type { DueBody, StudyBody } from './terminal-kinds.ts';
import { checkTickLeaves, checkTickTime } from './tick-check.ts';
import { type KeptValues, ValueCheck } from './value-check.ts';
import type { BlockFacts, OpeningFacts, TerminalFacts } from '../verdict/verdict.ts';

const GRIDS: Readonly<Record<GridName, TickGrid>> = { utc_15m: utcGrid, xnys_15m: xnysGrid };

/** The place of an entry. */
export interface EntryPlace {
  readonly seq: number;
  readonly at: TimeText;
  readonly place: string;
}

/** The ticks of a class so far. Times are unix seconds. */
interface ClassTicks {
  /** The rule that its ticks name now. */
  named: NamedRule;
  /** How many versions its ticks have named. */
  versions: number;
  /** The fewest sources that a good tick has needed. */
  sources: number;
  readonly first: number;
  last: number;
  count: number;
  late: number;
  /** Receipts that are void because their asset was delisted. */
  delisted: number;
  /** Nothing follows from its ticks any more, because one could not be read. */
  lost: boolean;
}

/** A class, as its ticks describe it. */
interface Followed {
  readonly ticks: ClassTicks;
  readonly book: EventBook;
  readonly scores: ScoreCheck;
  readonly values: ValueCheck;
  /** For classes that have studies. */
  readonly studies: ClassStudies | undefined;
}

/** What is known of a class between two entries. */
interface KeptClass {
  readonly ticks: ClassTicks;
  readonly book: KeptBook;
  readonly scores: KeptScores;
  readonly values: KeptValues;
  readonly studies: KeptStudies | undefined;
}

/** What the log has of the Terminal, beside its ticks. */
interface TerminalState {
  readonly listed: Readonly<Record<AssetClass, Set<string>>>;
  /** The newest version of each class's rule that the log may have. */
  readonly rules: Map<AssetClass, NamedRule>;
  /** The place of the study that the log has to end with. */
  last: string | undefined;
  /** The leaves of the newest tick; undefined where they cannot be read. */
  leaves: ReadonlyMap<string, PublicLeaf> | undefined;
}

/** What a check of the Terminal knows between two entries. */
export interface KeptTerminal extends TerminalState {
  readonly followed: ReadonlyMap<AssetClass, KeptClass>;
  readonly splits: SplitDays['kept'];
  /** What the newest tick makes due, which is of the class that it names, and the time of its entry. */
  readonly owed: { readonly at: TimeText; readonly entries: KeptOwed } | undefined;
}

/**
 * Follows the Terminal of a log: score rules, assets and splits in their order, every tick with its leaves, and the
 * entries that the ticks make due. It keeps what is open and one state machine for each asset, whatever the number of
 * ticks.
 */
export class TerminalCheck {
  readonly #sha256: Sha256;
  readonly #context: CheckContext;
  readonly #blobs: BlobsAhead;
  #state: TerminalState = {
    listed: { crypto: new Set(), stock: new Set() },
    rules: new Map(),
    last: undefined,
    leaves: undefined,
  };
  readonly #followed = new Map<AssetClass, Followed>();
  readonly #splits = new SplitDays();
  /** What the newest tick makes due, and its class. */
  #owed: { readonly by: Followed; readonly at: TimeText; readonly entries: OwedByTick } | undefined;

  constructor(sha256: Sha256, context: CheckContext) {
    this.#sha256 = sha256;
    this.#context = context;
    this.#blobs = new BlobsAhead((hash, place) => context.evidence.bytes(hash, place));
  }

  /**
   * What a check of the same log needs to go on in the place of this one, once `entry` has ended. It changes with the next
   * entry.
   */
  get kept(): KeptTerminal {
    const followed = new Map<AssetClass, KeptClass>();
    for (const [of, { ticks, book, scores, values, studies }] of this.#followed) {
      followed.set(of, {
        ticks,
        book: book.kept,
        scores: scores.kept,
        values: values.kept,
        studies: studies?.kept,
      });
    }
    const owed = this.#owed && { at: this.#owed.at, entries: this.#owed.entries.kept };
    return { ...this.#state, followed, splits: this.#splits.kept, owed };
  }

  /** Goes on as the check that was kept. Call it before the first entry. */
  resume({ followed, splits, owed, ...state }: KeptTerminal): void {
    this.#state = state;
    this.#splits.resume(splits);
    for (const [of, { ticks, book, scores, values, studies }] of followed) {
      const each = this.#checksOf(of, ticks);
      each.book.resume(book);
      each.scores.resume(scores);
      each.values.resume(values);
      if (studies !== undefined) each.studies?.resume(studies);
      this.#followed.set(of, each);
    }
    if (owed === undefined) return;
    const { at, entries: kept } = owed;
    const by = this.#followed.get(kept.tick.class) as Followed;
    const entries = new OwedByTick(kept.tick, [], this.#context.findings);
    entries.resume(kept);
    this.#owed = { by, at, entries };
  }

  /** The leaves of the newest tick by symbol; undefined where they cannot be read, or where nothing follows from it. */
  get leaves(): ReadonlyMap<string, PublicLeaf> | undefined {
    return this.#state.leaves;
  }

  /** Announces that a tick's blob will be needed soon. */
  prefetch({ blob }: Tick, place: string): void {
    this.#blobs.prefetch(blob, place);
  }

  /** Any other entry than one that a tick makes due. What the tick before it still requires can no longer follow. */
  other(): void {
    this.#goesOn();
    this.#owed?.entries.nameMissing();
    this.#owed = undefined;
  }

  /** An entry of the Terminal; any other kind is left to whom it concerns. */
  async entry(known: KnownBody, where: EntryPlace, state: ViewState): Promise<void> {
    switch (known.kind) {
      case 'score-rule/1':
        this.#scoreRule(known.body, where);
        break;
      case 'asset/1':
        this.#asset(known.body, where, state);
        break;
      case 'split/1':
        this.#split(known.body, where, state);
        break;
      case 'tick/1':
        await this.#tick(known.body, where);
        break;
      case 'study/1':
      case 'study/2':
        await this.#study(known, where, state);
        break;
      case 'event/1':
      case 'event-close/1':
      case 'receipt/1':
      case 'benchmark/1':
        this.#due(known, where, state);
        break;
      default:
    }
  }

  /** Any version may be a class's first. After it must come the next version, under which open events can continue. */
  #scoreRule({ rule }: ScoreRuleEntry, { place }: EntryPlace): void {
    const before = this.#state.rules.get(rule.class);
    const fault = before === undefined ? undefined : handoverFault(before.rule, rule);
    if (fault === undefined) {
      this.#state.rules.set(rule.class, { rule, hash: scoreRuleHash(this.#sha256, rule) });
      return;
    }
    const { expected, found } = fault;
    this.#context.findings.add('score_rule_not_allowed', place, expected, found);
  }

  /** Its class and its decimals must be those of its first entry. */
  #asset(asset: Asset, { place }: EntryPlace, state: ViewState): void {
    const { symbol, class: of, decimals, listed } = asset;
    const before = assetRow(state, symbol);
    if (before !== undefined && (before.class !== of || before.decimals !== decimals)) {
      const expected = `${before.class}, ${before.decimals} decimals, as it was listed first`;
      const found = `${of}, ${decimals} decimals`;
      this.#context.findings.add('asset_not_allowed', place, expected, found);
      return;
    }
    if (listed && before !== undefined && !isListable(state, symbol)) {
      const days = Math.ceil(relistSeconds(state, before) / DAY_SECONDS);
      const expected = `not listed until ${days} days after the tick of ${before.delisted_after}`;
      this.#context.findings.add('asset_not_allowed', place, expected, 'listed again');
    }
    const all = this.#state.listed[of];
    const followed = this.#followed.get(of);
    if (listed) {
      all.add(symbol);
      followed?.book.list(symbol, followed.ticks.last);
      followed?.studies?.list(symbol);
    } else if (all.delete(symbol)) {
      followed?.book.delist(symbol, followed.ticks.last);
      followed?.studies?.delist(symbol);
    }
  }

  /** It must be of a known asset, the only one of its day, and in the log before the first tick that it changes. */
  #split(split: Split, { place }: EntryPlace, state: ViewState): void {
    const { findings } = this.#context;
    const { symbol, effective_at: at } = split;
    const beside = this.#splits.add(split);
    const of = assetRow(state, symbol)?.class;
    if (of === undefined) {
      findings.add('split_not_allowed', place, 'an asset of this log', symbol);
      return;
    }
    if (beside !== undefined) {
      const { numerator, denominator, effective_at } = beside;
      const expected = `a day or more from that of ${effective_at}, ${numerator} for ${denominator}`;
      findings.add('split_not_allowed', place, expected, at);
    }
    const last = this.#followed.get(of)?.ticks.last;
    if (last === undefined || parseTime(at) > last) return;
    findings.add('split_not_allowed', place, `in force after the tick of ${formatTime(last)}`, at);
  }

  async #tick(tick: Tick, { seq, at, place }: EntryPlace): Promise<void> {
    const { findings, tally } = this.#context;
    tally.ticks += 1;
    this.#state.leaves = undefined;
    const { class: of } = tick;
    const named = this.#ruleOf(tick, place);
    if (named === undefined) return;
    const before = this.#followed.get(of);
    const grid = gridOf(named);
    const listed = this.#state.listed[of];
    const isListed = (symbol: string): boolean => listed.has(symbol);
    const logBefore = { grid, last: before?.ticks.last, isListed };
    const inTime = checkTickTime(tick, at, place, logBefore, findings);
    const read = await checkTickLeaves(tick, place, logBefore, this.#blobs, this.#sha256, findings);
    if (!inTime) return;
    const leaves = read && new Map<string, PublicLeaf>(read.map((leaf) => [leaf.symbol, leaf]));
    this.#state.leaves = leaves;
    const ts = parseTime(tick.ts);
    const followed = before ?? this.#follow(of, named, ts);
    const { ticks, book, scores, values, studies } = followed;
    studies?.tick(named, ts, seq, ticks.lost);
    if (ticks.named !== named) handOver(followed, named);
    ticks.last = ts;
    ticks.count += 1;
    if (parseTime(at) > ts + GRID_SECONDS) ticks.late += 1;
    if (read === undefined) ticks.lost = true;
    if (read === undefined || leaves === undefined || ticks.lost) return;
    const dues = book.step(ts, leaves);
    const index = grid.indexOf(ts) as number;
    studies?.step({ ts, index, leaves, dues });
    scores.tick(index, read, place, findings);
    values.tick(ts);
    const moved = dues.some(({ kind }) => kind === 'open') ? scores.moved : 0;
    const about = { class: of, rule: named.hash, place, moved };
    this.#owed = { by: followed, at, entries: new OwedByTick(about, dues, findings) };
  }

  /** An entry that a tick makes due. */
  #due(entry: DueBody, { at, place }: EntryPlace, state: ViewState): void {
    this.#goesOn();
    const { findings, tally } = this.#context;
    if (entry.kind === 'event/1') tally.events += 1;
    if (entry.kind === 'receipt/1') tally.receipts += 1;
    if (entry.kind === 'benchmark/1') tally.benchmarks += 1;
    const of = entry.kind === 'event/1' ? entry.body.class : classOf(state, entry.body.id);
    // Nobody knows what is due after a tick that cannot be read.
    if (of !== undefined && this.#followed.get(of)?.ticks.lost === true) return;
    if (this.#owed === undefined) {
      notDue(entry, place, 'no tick right before it that makes it due', findings);
    } else if (this.#owed.entries.take(entry, place)) {
      // They are appended with their tick, because whoever wrote one later knew more than the tick did.
      if (at !== this.#owed.at) {
        findings.add('due_late', place, `written at ${this.#owed.at}, with its tick`, at);
      }
      this.#said(entry, place, state, this.#owed.by);
    }
  }

  /** Records what an entry that is due states about vendor values. */
  #said(entry: DueBody, place: string, state: ViewState, by: Followed): void {
    const { ticks, scores, values, studies } = by;
    switch (entry.kind) {
      case 'event/1': {
        const { body } = entry;
        scores.event(body, place, this.#context.findings);
        const index = scores.moveFrom(body.symbol);
        const from = index === undefined ? undefined : gridOf(ticks.named).timeOf(index);
        values.event(body, from, place);
        if (this.#state.leaves !== undefined) studies?.open(body, this.#state.leaves, from);
        break;
      }
      case 'receipt/1': {
        if (entry.body.reason === 'delisted') ticks.delisted += 1;
        const event = eventRow(state, entry.body.id)?.open.body;
        if (event !== undefined) values.receipt(entry.body, event, place);
        break;
      }
      case 'benchmark/1':
        values.benchmark(entry.body, place);
        break;
      case 'event-close/1':
        break;
    }
  }

  /**
   * Its range must be the one that its place in the log determines: in a replay everything before the study, with nothing
   * after it; in any other log, once, everything before the first tick of the newest month. The rule of the newest tick
   * in the range determines its version. Version 1 may end any log as it ends a replay, because earlier releases asked no
   * origin: nothing can follow it, so that nobody gains a choice by it.
   */
  async #study(entry: StudyBody, { seq, place }: EntryPlace, state: ViewState): Promise<void> {
    const { findings, tally } = this.#context;
    tally.studies += 1;
    const { class: of, from, to } = entry.body;
    const followed = this.#followed.get(of);
    const studies = followed?.studies;
    if (followed === undefined || studies === undefined) {
      const expected = `a study of a class with ticks, of ${[...STUDIED].join(', ')}`;
      findings.add('study_not_due', `${place}/class`, expected, of);
      return;
    }
    const inReplay = isReplay(logRow(state)?.origin ?? '');
    const endsLog = inReplay || (entry.kind === 'study/1' && to === seq);
    const owed = endsLog ? studies.ending(seq, followed.ticks.lost) : studies.due;
    if (endsLog && to === seq) this.#state.last = place;
    if (from !== 0 || owed?.range.to !== to) {
      const expected =
        owed === undefined
          ? `no study of ${of} before a month begins that owes one`
          : `from 0 to ${owed.range.to}${inReplay ? ', as the last entry of a replay' : ''}`;
      findings.add('study_not_due', `${place}/to`, expected, `from ${from} to ${to}`);
      return;
    }
    if (entry.kind !== `study/${owed.version}`) {
      const expected = `study/${owed.version}, as the rule of the newest tick before entry ${to} says`;
      findings.add('study_not_due', `${place}/kind`, expected, entry.kind);
      return;
    }
    if (!endsLog) studies.settle();
    await this.#checkStudy(entry.body, place, owed, gridOf(followed.ticks.named), studies, state);
  }

  #checkStudy(
    study: Study,
    place: string,
    owed: DueStudy,
    grid: TickGrid,
    { stated }: ClassStudies,
    state: ViewState,
  ): Promise<void> {
    const sha256 = this.#sha256;
    if (owed.version === 1) {
      return checkStudy(study, place, owed.range, state, sha256, this.#context);
    }
    return checkEdgeStudy(study, place, owed.range, { state, grid, sha256, stated }, this.#context);
  }

  /**
   * Names what the end of the log of this origin leaves open, and what its leaves cannot show. The months of a replay owe no
   * studies.
   */
  finish(origin: string | undefined): void {
    const { notChecked } = this.#context;
    const left = this.#owed?.entries.left ?? 0;
    if (left > 0) {
      notChecked.add(
        'terminal',
        `the ${left} entries that the newest tick makes due and that the log ends before`,
        'a publisher appends them with their tick: a longer log must have them next',
        'later',
      );
    }
    for (const [of, { ticks, studies }] of this.#followed) {
      const skipped = origin !== undefined && isReplay(origin) ? 0 : (studies?.skipped ?? 0);
      if (skipped > 0) {
        notChecked.add(
          'terminal',
          `what ${skipped} month${skipped === 1 ? '' : 's'} of ${of} without a study would have shown`,
          'a publisher may have lost what opens its ticks, or have left out what did not please',
          'ask_publisher',
        );
      }
      notChecked.add(
        'terminal',
        `the scores of ${ticks.count} ticks of ${of}, and the moves and returns of its events`,
        'committed, not recomputed: they rest on vendor values; events and receipts follow from the scores. Whoever has the values: assay receipts check',
        'market',
      );
      if (ticks.lost)
        notChecked.add(
          'terminal',
          `events of ${of} after a tick that could not be read`,
          'see there',
          'again',
        );
    }
  }

  /** The facts about the ticks of each class. Classes without ticks are left out. */
  facts(
    state: ViewState,
    blockOf: (batch: number) => BlockFacts | undefined,
  ): readonly TerminalFacts[] {
    return ASSET_CLASSES.flatMap((of) => {
      const followed = this.#followed.get(of);
      if (followed === undefined) return [];
      return [factsOf(of, followed.ticks, countOpenings(this.#sha256, state, of, blockOf))];
    });
  }

  /** An entry follows the study that a replay ends with. */
  #goesOn(): void {
    const { last } = this.#state;
    if (last === undefined) return;
    const found = 'an entry after it';
    this.#context.findings.add('study_not_due', `${last}/to`, 'nothing after it', found);
    this.#state.last = undefined;
  }

  /** The newest score rule of the class, which a tick must name; undefined with a finding where it does not. */
  #ruleOf({ class: of, rule }: Tick, place: string): NamedRule | undefined {
    const newest = this.#state.rules.get(of);
    if (newest?.hash === rule) return newest;
    const expected =
      newest === undefined
        ? `a score rule of ${of} in this log`
        : `version ${newest.rule.version} of ${of}, ${newest.hash}`;
    this.#context.findings.add('tick_rule', place, expected, rule);
    const followed = this.#followed.get(of);
    if (followed !== undefined) followed.ticks.lost = true;
    return undefined;
  }

  #follow(of: AssetClass, named: NamedRule, ts: number): Followed {
    const followed = this.#checksOf(of, {
      named,
      versions: 1,
      sources: named.rule.sources.required,
      first: ts,
      last: ts,
      count: 0,
      late: 0,
      delisted: 0,
      lost: false,
    });
    for (const symbol of this.#state.listed[of]) followed.book.list(symbol, ts);
    this.#followed.set(of, followed);
    return followed;
  }

  /** A class with these ticks, and with checks that know none of them yet. */
  #checksOf(of: AssetClass, ticks: ClassTicks): Followed {
    const { named, first } = ticks;
    const { rule } = named;
    return {
      ticks,
      book: new EventBook({ rule, grid: gridOf(named), sha256: this.#sha256 }),
      scores: new ScoreCheck(rule),
      values: new ValueCheck(rule, this.#context.findings),
      studies: STUDIED.has(of) ? new ClassStudies(named, first) : undefined,
    };
  }
}

/** The grid of a class. All versions of its rule have the same. */
function gridOf({ rule }: NamedRule): TickGrid {
  return GRIDS[rule.grid];
}

/** The ticks of a class are under a later version from now on. */
function handOver({ ticks, book, scores }: Followed, named: NamedRule): void {
  book.under(named.rule);
  scores.under(named.rule);
  ticks.named = named;
  ticks.versions += 1;
  ticks.sources = Math.min(ticks.sources, named.rule.sources.required);
}

function classOf(state: ViewState, id: string): AssetClass | undefined {
  return eventRow(state, id)?.open.body.class;
}

function factsOf(of: AssetClass, ticks: ClassTicks, openings: OpeningFacts): TerminalFacts {
  const { named, versions, sources, first, last, count, late, delisted } = ticks;
  const grid = gridOf(named);
  const span = (grid.indexOf(last) as number) - (grid.indexOf(first) as number) + 1;
  return {
    class: of,
    rule: { version: named.rule.version, hash: named.hash, versions },
    sources,
    ticks: count,
    from: formatTime(first),
    to: formatTime(last),
    missed: span - count,
    late,
    delisted,
    openings,
    scores: 'committed',
  };
}
