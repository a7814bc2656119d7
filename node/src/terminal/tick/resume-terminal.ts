import { equalBytes } from '@assay/core/bytes/bytes';
import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import type { Tick } from '@assay/core/kind/tick';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { Due, PublicLeaf } from '@assay/core/terminal/event/event-book';
import type { TickInput } from '@assay/core/terminal/score/good';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { HORIZON_SECONDS, HORIZONS } from '@assay/core/kind/horizon';
import { type ScoreRule, scoreReach, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { type BoardRow, Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { formatTime, parseTime } from '@assay/core/time/time';
import { assetRow } from '@assay/core/view/assets';
import { type EventRow, eventRow, eventsByOpening } from '@assay/core/view/terminal-events';
import { newestScoreRule } from '@assay/core/view/score-rules';
import { newestTick, ticksBack } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import { formatWire, wire } from '@assay/core/wire/wire';
import type { BlobStore } from '../../blob/blob-store.ts';
import { openedInput } from './opened-input.ts';
import type { TickOpenings } from './tick-openings.ts';
import { bearsOnTicks } from './tick-kinds.ts';

/** What a class is resumed from. */
export interface ResumeParts {
  readonly sha256: Sha256;
  readonly seed: Uint8Array;
  /** The newest rule of the log. */
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
  /** Every entry of the log, in order. */
  readonly entries: AsyncIterable<Uint8Array>;
  /** The rows of the same entries. */
  readonly views: ViewState;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly openings: Pick<TickOpenings, 'at' | 'since'>;
}

export interface Resumed {
  readonly terminal: Terminal;
  /**
   * The values of each of the newest `CHECKED_TICKS` ticks, by its time (unix seconds), oldest first; none from
   * before the newest rule.
   */
  readonly boards: ReadonlyMap<number, ReadonlyMap<string, BoardRow>>;
}

/** How many ticks at the end of a log are computed again, and not only recalled. */
export const CHECKED_TICKS = 96;

/**
 * The terminal of a class as it was when the log's newest tick was written. Older ticks are recalled from their
 * leaves; what opens those that scores depend on is compared with the leaves; and the newest `CHECKED_TICKS`
 * are computed again, as far as they are under the newest version of the rule. Throws `replay_differs` if the
 * log has another entry than this gives or another newest rule, `not_found` for an opening that is needed and
 * missing, `blob_missing`, and what openings and blobs throw.
 */
export async function resumeTerminal(parts: ResumeParts): Promise<Resumed> {
  const resuming = new Resuming(parts);
  const parse = bodyParser(parts.sha256);
  try {
    for await (const bytes of parts.entries) {
      const { seq, kind, body } = parseEntry(bytes);
      if (!bearsOnTicks(kind)) continue;
      const known = parse(kind, body);
      if (known !== undefined) await resuming.take(seq, known);
    }
  } finally {
    await resuming.close();
  }
  return resuming.end();
}

class Resuming {
  readonly #parts: ResumeParts;
  readonly #of: AssetClass;
  readonly #terminal: Terminal;
  readonly #reads: AsyncGenerator<{
    readonly ts: number;
    readonly openings: readonly TickOpening[];
  }>;
  #next: { readonly ts: number; readonly openings: readonly TickOpening[] } | undefined;
  #begun = false;
  /** The rule that the log's next tick of the class names. */
  #named: { readonly rule: ScoreRule; readonly hash: HashHex } | undefined;
  /** Ticks from this time on are computed again, in unix seconds. */
  readonly #checkFrom: number;
  /** Ticks from this time on must have all their openings. */
  readonly #readFrom: number;
  /** Earlier ticks that entries at `checkFrom` or later may cite. */
  readonly #cited: readonly (readonly [from: number, to: number])[];
  readonly #listed = new Set<string>();
  /** What must come next in the log: a whole entry, or what a tick's leaves make due. */
  #expected: (TickDraft | Due)[] = [];
  #last = 0;
  readonly #boards = new Map<number, ReadonlyMap<string, BoardRow>>();

  constructor(parts: ResumeParts) {
    const { sha256, seed, rule, grid, views } = parts;
    this.#parts = parts;
    this.#of = rule.class;
    this.#terminal = new Terminal({ sha256, seed, rule, grid, openings: true });
    this.#checkFrom = checkFrom(views, rule.class) ?? Number.POSITIVE_INFINITY;
    this.#readFrom = neededFrom(views, rule, grid);
    this.#cited = citedSpans(views, rule, this.#checkFrom);
    this.#reads = parts.openings.since(this.#readFrom);
  }

  async take(seq: number, entry: KnownBody): Promise<void> {
    switch (entry.kind) {
      case 'score-rule/1': {
        const { rule } = entry.body;
        if (rule.class !== this.#of) return;
        const hash = scoreRuleHash(this.#parts.sha256, rule);
        const isNewest = hash === this.#terminal.rule;
        this.#named = { rule: isNewest ? this.#parts.rule : rule, hash };
        return;
      }
      case 'asset/1': {
        const { symbol, listed } = entry.body;
        const row = assetRow(this.#parts.views, symbol);
        if (row?.class !== this.#of) return;
        if (listed) {
          this.#terminal.list(
            { ...entry.body, class: row.class, decimals: row.decimals },
            this.#last,
          );
          this.#listed.add(symbol);
        } else if (this.#listed.delete(symbol)) this.#terminal.delist(symbol, this.#last);
        return;
      }
      case 'split/1':
        if (assetRow(this.#parts.views, entry.body.symbol)?.class === this.#of) {
          this.#terminal.split(entry.body);
        }
        return;
      case 'tick/1':
        if (entry.body.class === this.#of) await this.#tick(seq, entry.body);
        return;
      case 'event/1':
        if (entry.body.class === this.#of) this.#follow(seq, entry);
        return;
      case 'event-close/1':
      case 'receipt/1':
      case 'benchmark/1': {
        const event = eventRow(this.#parts.views, entry.body.id);
        if (event?.open.body.class === this.#of) this.#follow(seq, entry);
      }
    }
  }

  end(): Resumed {
    const [missing] = this.#expected;
    if (missing !== undefined) throw differs('its end', missing.kind, 'none');
    if (this.#named !== undefined && this.#named.hash !== this.#terminal.rule) {
      const found = `version ${this.#named.rule.version}`;
      throw differs('its newest score rule', `version ${this.#parts.rule.version}`, found);
    }
    return { terminal: this.#terminal, boards: this.#boards };
  }

  async close(): Promise<void> {
    await this.#reads.return(undefined);
  }

  async #tick(seq: number, body: Tick): Promise<void> {
    const [missing] = this.#expected;
    if (missing !== undefined) throw differs(`entry ${seq}`, missing.kind, 'tick/1');
    const named = this.#named;
    if (named?.hash !== body.rule) {
      throw differs(`entry ${seq}`, `a tick of rule ${named?.hash ?? 'none'}`, `of ${body.rule}`);
    }
    const { blobs } = this.#parts;
    const blob = await blobs.get(body.blob);
    if (blob === undefined) {
      throw new Fault('blob_missing', 'tick leaves', { at: `entry ${seq}`, expected: body.blob });
    }
    const ts = parseTime(body.ts);
    this.#last = ts;
    const leaves = new Map(parseTickLeaves(blob).map((leaf) => [leaf.symbol, leaf]));
    const reads = await this.#readsAt(ts, leaves);
    if (ts < this.#checkFrom) {
      const open: ReadonlyMap<string, PublicLeaf> = leaves;
      this.#expected = [...this.#terminal.recall(ts, open, reads, named.rule)];
      return;
    }
    const step = this.#terminal.step(ts, reads);
    this.#expected = [...step.drafts];
    this.#boards.set(ts, step.board);
    this.#follow(seq, { kind: 'tick/1', body });
  }

  /** Compares an entry with the one that must come next. */
  #follow(seq: number, entry: KnownBody): void {
    const next = this.#expected.shift();
    const found = textOf(entry);
    if (next === undefined) throw differs(`entry ${seq}`, 'nothing more of that tick', found);
    if ('body' in next) {
      const [a, b] = [bytesOf(next), bytesOf(entry)];
      if (next.kind === entry.kind && equalBytes(a, b)) return;
      throw differs(`entry ${seq}`, textOf(next), `${found}, or with another body`);
    }
    if (dueText(next) !== found) throw differs(`entry ${seq}`, dueText(next), found);
  }

  /** What was read at a tick, as far as it is needed: all of it from `readFrom` on. */
  async #readsAt(
    ts: number,
    leaves: ReadonlyMap<string, TickLeaf>,
  ): Promise<ReadonlyMap<string, TickInput>> {
    const whole = ts >= this.#readFrom;
    if (!whole && !this.#cited.some(([from, to]) => ts >= from && ts <= to)) return new Map();
    const openings = whole ? await this.#openingsOf(ts) : await this.#parts.openings.at(ts);
    const reads = new Map<string, TickInput>();
    for (const opening of openings) {
      const { symbol } = opening;
      const commitment = leaves.get(symbol)?.commitment;
      reads.set(symbol, openedInput(this.#parts.sha256, ts, opening, commitment));
    }
    if (whole && reads.size < leaves.size) {
      throw new Fault('not_found', 'tick openings', {
        at: formatTime(ts),
        expected: `${leaves.size} of them, from a back-up`,
        found: String(reads.size),
      });
    }
    return reads;
  }

  async #openingsOf(ts: number): Promise<readonly TickOpening[]> {
    while (!this.#begun || (this.#next !== undefined && this.#next.ts < ts)) {
      this.#begun = true;
      const { done, value } = await this.#reads.next();
      this.#next = done === true ? undefined : value;
    }
    return this.#next?.ts === ts ? this.#next.openings : [];
  }
}

/**
 * The time of the `CHECKED_TICKS`th newest tick after the newest rule, or of the first of them; undefined if
 * there is none.
 */
function checkFrom(views: ViewState, of: AssetClass): number | undefined {
  const rule = newestScoreRule(views, of)?.seq ?? 0;
  let count = 0;
  let from: number | undefined;
  for (const [ts, { seq }] of ticksBack(views, of)) {
    if (seq < rule) break;
    from = parseTime(ts);
    count += 1;
    if (count === CHECKED_TICKS) break;
  }
  return from;
}

/** From which tick on everything that was read is needed to continue a log, in unix seconds. */
export function neededFrom(views: ViewState, rule: ScoreRule, grid: TickGrid): number {
  const newest = newestTick(views, rule.class);
  if (newest === undefined) return 0;
  const from = checkFrom(views, rule.class) ?? parseTime(newest);
  const index = grid.indexOf(from);
  return index === undefined ? from : grid.timeOf(Math.max(0, index - scoreReach(rule)));
}

/**
 * When the prices were read that an entry at `from` or later may cite: those of events that were not done by
 * then.
 */
function citedSpans(
  views: ViewState,
  { class: of, receipts }: ScoreRule,
  from: number,
): readonly (readonly [from: number, to: number])[] {
  const { void_after_s, benchmark_tolerance_s } = receipts;
  const longest = HORIZON_SECONDS['30d'] + void_after_s + benchmark_tolerance_s;
  const spans: (readonly [number, number])[] = [];
  for (const row of eventsByOpening(views)) {
    const { class: own, opened_at } = row.open.body;
    const opened = parseTime(opened_at);
    if (own !== of || (isDone(row) && opened + longest < from)) continue;
    spans.push([opened, opened + benchmark_tolerance_s]);
  }
  return spans;
}

function isDone({ receipts, benchmarks }: EventRow): boolean {
  return HORIZONS.every((horizon) => {
    const receipt = receipts[horizon];
    return receipt?.body.status === 'void' || (receipt !== null && benchmarks[horizon] !== null);
  });
}

function bytesOf({ body }: TickDraft): Uint8Array {
  return formatWire(body);
}

function textOf({ kind, body }: TickDraft): string {
  const { id, horizon } = wire(body);
  return [kind, id, horizon].filter((each) => typeof each === 'string').join(' ');
}

const KIND_OF: Readonly<Record<Due['kind'], string>> = {
  close: 'event-close/1',
  receipt: 'receipt/1',
  benchmark: 'benchmark/1',
  open: 'event/1',
};

function dueText(due: Due): string {
  const horizon = 'horizon' in due ? ` ${due.horizon}` : '';
  return `${KIND_OF[due.kind]} ${due.id}${horizon}`;
}

function differs(at: string, expected: string, found: string): Fault {
  return new Fault('replay_differs', 'ticks of the log', { at, expected, found });
}
