import type { Sha256 } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import type { ScoreRuleEntry } from '@assay/core/kind/score-rule-entry';
import type { Split } from '@assay/core/kind/split';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Study } from '@assay/core/kind/study';
import type { Tick } from '@assay/core/kind/tick';
import { isReplay } from '@assay/core/network';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { EventBook, type PublicLeaf } from '@assay/core/terminal/event/event-book';
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
import { ClassStudies, type DueStudy, type NamedRule } from './class-studies.ts';
import { checkEdgeStudy } from './edge-check.ts';
import { notDue, OwedByTick } from './event-check.ts';
import { countOpenings } from './opening-proofs.ts';
import type { CheckContext } from '../check/read-check.ts';
import { ScoreCheck } from './score-check.ts';
import { SplitDays } from './split-days.ts';
import { checkStudy } from './study-check.ts';
import type { DueBody, StudyBody } from './terminal-kinds.ts';
import { checkTickLeaves, checkTickTime } from './tick-check.ts';
import { ValueCheck } from './value-check.ts';
import type { BlockFacts, OpeningFacts, TerminalFacts } from '../verdict/verdict.ts';

const GRIDS: Readonly<Record<GridName, TickGrid>> = { utc_15m: utcGrid, xnys_15m: xnysGrid };

/** The place of an entry. */
export interface EntryPlace {
  readonly seq: number;
  readonly at: TimeText;
  readonly place: string;
}

/** A class, as its ticks describe it. */
interface Followed {
  /** The rule that its ticks name now. */
  named: NamedRule;
  /** How many versions its ticks have named. */
  versions: number;
  /** The fewest sources that a good tick has needed. */
  sources: number;
  readonly grid: TickGrid;
  readonly book: EventBook;
  readonly scores: ScoreCheck;
  readonly values: ValueCheck;
  readonly first: number;
  last: number;
  ticks: number;
  late: number;
  /** Receipts that are void because their asset was delisted. */
  delisted: number;
  /** Nothing follows from its ticks any more, because one could not be read. */
  lost: boolean;
  /** For classes that have studies. */
  readonly studies: ClassStudies | undefined;
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
  readonly #listed: Readonly<Record<AssetClass, Set<string>>> = {
    crypto: new Set(),
    stock: new Set(),
  };
  /** The newest version of each class's rule that the log may have. */
  readonly #rules = new Map<AssetClass, NamedRule>();
  readonly #followed = new Map<AssetClass, Followed>();
  readonly #splits = new SplitDays();
  /** What the newest tick makes due, and its class. */
  #owed: { readonly by: Followed; readonly at: TimeText; readonly entries: OwedByTick } | undefined;
  /** The place of the study that the log has to end with. */
  #last: string | undefined;
  /** The leaves of the newest tick; undefined where they cannot be read. */
  #leaves: ReadonlyMap<string, PublicLeaf> | undefined;

  constructor(sha256: Sha256, context: CheckContext) {
    this.#sha256 = sha256;
    this.#context = context;
    this.#blobs = new BlobsAhead((hash, place) => context.evidence.bytes(hash, place));
  }

  /** The leaves of the newest tick by symbol; undefined where they cannot be read, or where nothing follows from it. */
  get leaves(): ReadonlyMap<string, PublicLeaf> | undefined {
    return this.#leaves;
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
    const before = this.#rules.get(rule.class);
    const fault = before === undefined ? undefined : handoverFault(before.rule, rule);
    if (fault === undefined) {
      this.#rules.set(rule.class, { rule, hash: scoreRuleHash(this.#sha256, rule) });
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
    const all = this.#listed[of];
    const followed = this.#followed.get(of);
    if (listed) {
      all.add(symbol);
      followed?.book.list(symbol, followed.last);
      followed?.studies?.list(symbol);
    } else if (all.delete(symbol)) {
      followed?.book.delist(symbol, followed.last);
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
    const last = this.#followed.get(of)?.last;
    if (last === undefined || parseTime(at) > last) return;
    findings.add('split_not_allowed', place, `in force after the tick of ${formatTime(last)}`, at);
  }

  async #tick(tick: Tick, { seq, at, place }: EntryPlace): Promise<void> {
    const { findings, tally } = this.#context;
    tally.ticks += 1;
    this.#leaves = undefined;
    const { class: of } = tick;
    const named = this.#ruleOf(tick, place);
    if (named === undefined) return;
    const before = this.#followed.get(of);
    const grid = GRIDS[named.rule.grid];
    const listed = this.#listed[of];
    const isListed = (symbol: string): boolean => listed.has(symbol);
    const logBefore = { grid, last: before?.last, isListed };
    const inTime = checkTickTime(tick, at, place, logBefore, findings);
    const read = await checkTickLeaves(tick, place, logBefore, this.#blobs, this.#sha256, findings);
    if (!inTime) return;
    const leaves = read && new Map<string, PublicLeaf>(read.map((leaf) => [leaf.symbol, leaf]));
    this.#leaves = leaves;
    const ts = parseTime(tick.ts);
    const followed = before ?? this.#follow(of, named, ts);
    followed.studies?.tick(named, ts, seq, followed.lost);
    if (followed.named !== named) handOver(followed, named);
    followed.last = ts;
    followed.ticks += 1;
    if (parseTime(at) > ts + GRID_SECONDS) followed.late += 1;
    if (read === undefined) followed.lost = true;
    if (read === undefined || leaves === undefined || followed.lost) return;
    const { book, scores, values } = followed;
    const dues = book.step(ts, leaves);
    const index = grid.indexOf(ts) as number;
    followed.studies?.step({ ts, index, leaves, dues });
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
    if (of !== undefined && this.#followed.get(of)?.lost === true) return;
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
    const { grid, scores, values, studies } = by;
    switch (entry.kind) {
      case 'event/1': {
        const { body } = entry;
        scores.event(body, place, this.#context.findings);
        const index = scores.moveFrom(body.symbol);
        const from = index === undefined ? undefined : grid.timeOf(index);
        values.event(body, from, place);
        if (this.#leaves !== undefined) studies?.open(body, this.#leaves, from);
        break;
      }
      case 'receipt/1': {
        if (entry.body.reason === 'delisted') by.delisted += 1;
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
    const owed = endsLog ? studies.ending(seq, followed.lost) : studies.due;
    if (endsLog && to === seq) this.#last = place;
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
    await this.#checkStudy(entry.body, place, owed, followed.grid, studies, state);
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
    for (const [of, { ticks, lost, studies }] of this.#followed) {
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
        `the scores of ${ticks} ticks of ${of}, and the moves and returns of its events`,
        'committed, not recomputed: they rest on vendor values; events and receipts follow from the scores. Whoever has the values: assay receipts check',
        'market',
      );
      if (lost)
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
      return [factsOf(of, followed, countOpenings(this.#sha256, state, of, blockOf))];
    });
  }

  /** An entry follows the study that a replay ends with. */
  #goesOn(): void {
    if (this.#last === undefined) return;
    const found = 'an entry after it';
    this.#context.findings.add('study_not_due', `${this.#last}/to`, 'nothing after it', found);
    this.#last = undefined;
  }

  /** The newest score rule of the class, which a tick must name; undefined with a finding where it does not. */
  #ruleOf({ class: of, rule }: Tick, place: string): NamedRule | undefined {
    const newest = this.#rules.get(of);
    if (newest?.hash === rule) return newest;
    const expected =
      newest === undefined
        ? `a score rule of ${of} in this log`
        : `version ${newest.rule.version} of ${of}, ${newest.hash}`;
    this.#context.findings.add('tick_rule', place, expected, rule);
    const followed = this.#followed.get(of);
    if (followed !== undefined) followed.lost = true;
    return undefined;
  }

  #follow(of: AssetClass, named: NamedRule, ts: number): Followed {
    const { rule } = named;
    const grid = GRIDS[rule.grid];
    const book = new EventBook({ rule, grid, sha256: this.#sha256 });
    for (const symbol of this.#listed[of]) book.list(symbol, ts);
    const followed: Followed = {
      named,
      versions: 1,
      sources: rule.sources.required,
      grid,
      book,
      scores: new ScoreCheck(rule),
      values: new ValueCheck(rule, this.#context.findings),
      first: ts,
      last: ts,
      ticks: 0,
      late: 0,
      delisted: 0,
      lost: false,
      studies: STUDIED.has(of) ? new ClassStudies(named, ts) : undefined,
    };
    this.#followed.set(of, followed);
    return followed;
  }
}

/** The ticks of a class are under a later version from now on. */
function handOver(followed: Followed, named: NamedRule): void {
  followed.book.under(named.rule);
  followed.scores.under(named.rule);
  followed.named = named;
  followed.versions += 1;
  followed.sources = Math.min(followed.sources, named.rule.sources.required);
}

function classOf(state: ViewState, id: string): AssetClass | undefined {
  return eventRow(state, id)?.open.body.class;
}

function factsOf(of: AssetClass, followed: Followed, openings: OpeningFacts): TerminalFacts {
  const { named, versions, sources, grid, first, last, ticks, late, delisted } = followed;
  const span = (grid.indexOf(last) as number) - (grid.indexOf(first) as number) + 1;
  return {
    class: of,
    rule: { version: named.rule.version, hash: named.hash, versions },
    sources,
    ticks,
    from: formatTime(first),
    to: formatTime(last),
    missed: span - ticks,
    late,
    delisted,
    openings,
    scores: 'committed',
  };
}
