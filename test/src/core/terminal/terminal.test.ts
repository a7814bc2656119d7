import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import { bodyParser } from '@assay/core/kind/kinds';
import { type Due, EventBook } from '@assay/core/terminal/event/event-book';
import type { TickInput } from '@assay/core/terminal/score/good';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { scoreReach, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { judgeTick } from '@assay/core/terminal/score/good';
import { ScoreSeries } from '@assay/core/terminal/score/score';
import { MOVED_BP, Terminal, type TickDraft, type TickStep } from '@assay/core/terminal/terminal';
import { parseTickLeaves, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import { tickCommitment, tickSalt } from '@assay/core/terminal/tick/tick-values';
import { formatTime, parseTime } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';
import { Random } from './random.ts';
import { shortRule } from './score-rule-fixture.ts';

const DAY = 86_400;
const TICK = 900;
const START = parseTime('2026-01-01T00:00:00Z');
const SEED = new Uint8Array(32).fill(3);
const BASE = shortRule();
const RULE = shortRule({
  sources: { ...BASE.sources, required: 1 },
  receipts: { void_after_s: DAY, benchmark: 'BTC', benchmark_tolerance_s: TICK },
});
const SYMBOLS = ['ADA', 'BTC', 'ETH', 'SOL'];

function asset(symbol: string, change: Partial<Asset> = {}): Asset {
  const about = { name: symbol, class: 'crypto', listed: true, display: true } as const;
  return { symbol, decimals: 2, ...about, ...change };
}

function input(ts: number, price: number | null, volume = 1000): TickInput {
  const text = price === null ? null : (price / 100).toFixed(2);
  const volume24h = String(volume);
  const stamped_at = formatTime(ts);
  const source = { provider: 'recorded', price: text, volume_24h: volume24h, stamped_at };
  return { price: text, volume24h, sources: [source] };
}

type Reads = ReadonlyMap<string, TickInput>;

/** Readings that wander, and that jump with much volume now and then; some are missing and some are bad. */
function* wander(ticks: number, seed: number): Generator<readonly [ts: number, reads: Reads]> {
  const random = new Random(seed);
  const prices = new Map(SYMBOLS.map((symbol) => [symbol, 50_000 + random.below(100_000)]));
  for (let k = 0; k < ticks; k += 1) {
    const ts = START + TICK * k;
    const reads = new Map<string, TickInput>();
    for (const [i, symbol] of SYMBOLS.entries()) {
      const wild = k > 60 && Math.floor(k / 6) % 29 === 7 * i;
      const before = prices.get(symbol) as number;
      const change = wild ? random.below(160) - 60 : random.below(9) - 4;
      const price = Math.max(100, Math.round(before * (1 + change / 1000)));
      prices.set(symbol, price);
      if (random.oneIn(50)) continue;
      reads.set(symbol, input(ts, random.oneIn(60) ? null : price, wild ? 9000 : 1000));
    }
    if (reads.size > 0) yield [ts, reads];
  }
}

function make(openings = true): Terminal {
  const assets = SYMBOLS.map((symbol) => asset(symbol));
  return new Terminal({ sha256, seed: SEED, rule: RULE, grid: utcGrid, assets, openings });
}

/** Draws over 33 days: every kind of entry, and receipts of every horizon. */
function history(): readonly (readonly [ts: number, reads: Reads, step: TickStep])[] {
  const terminal = make();
  return [...wander(34 * 96, 4)].map(([ts, reads]) => [ts, reads, terminal.step(ts, reads)]);
}

const HISTORY = history();

type BodyOf<K extends TickDraft['kind']> = Extract<TickDraft, { readonly kind: K }>['body'];

function bodies<K extends TickDraft['kind']>(kind: K): readonly BodyOf<K>[] {
  return HISTORY.flatMap(([, , { drafts }]) =>
    drafts.flatMap((draft) => (draft.kind === kind ? [draft.body as BodyOf<K>] : [])),
  );
}

/** Units of an asset's price at a tick, from what was read. */
function unitsAt(symbol: string, time: string): number {
  const found = HISTORY.find(([ts]) => formatTime(ts) === time)?.[1].get(symbol);
  return Math.round(Number(found?.price) * 100);
}

test('terminal: every entry is one that a ledger takes, and all kinds come', () => {
  const parse = bodyParser(sha256);
  const kinds = new Map<string, number>();
  for (const [, , { drafts }] of HISTORY) {
    for (const { kind, body } of drafts) {
      assert.deepEqual(parse(kind, wire(body))?.body, body);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  }
  const counts = ['tick/1', 'event/1', 'event-close/1', 'receipt/1', 'benchmark/1'] as const;
  for (const kind of counts) assert.ok((kinds.get(kind) ?? 0) > 5, `${kind}: ${kinds.get(kind)}`);
  assert.deepEqual([...kinds.keys()].sort(), [...counts].sort());
});

test('terminal: a tick names its leaves, and its openings open them', () => {
  for (const [ts, reads, { drafts, blob, values, board }] of HISTORY) {
    const [tick] = drafts;
    assert.deepEqual(tick, {
      kind: 'tick/1',
      body: {
        class: 'crypto',
        ts: formatTime(ts),
        rule: scoreRuleHash(sha256, RULE),
        size: reads.size,
        root: hashHex(tickRoot(sha256, blob)),
        blob: hashHex(contentHash(sha256, blob)),
      },
    });
    const leaves = parseTickLeaves(blob);
    assert.deepEqual(
      leaves.map(({ symbol }) => symbol),
      [...reads.keys()],
    );
    for (const [i, leaf] of leaves.entries()) {
      const { good, score } = board.get(leaf.symbol) ?? {};
      assert.deepEqual([leaf.good, leaf.score, leaf.ts], [good, score, ts]);
      assert.equal(leaf.good, reads.get(leaf.symbol)?.price !== null);
      const { salt, bytes } = values[i] as (typeof values)[number];
      const expected = Buffer.from(tickCommitment(sha256, salt, bytes));
      assert.deepEqual(Buffer.from(leaf.commitment), expected);
    }
  }
});

/** What an entry says of time and order, which public leaves decide. */
function publicPart({ kind, body }: TickDraft): string {
  const { id, horizon, closed_at, resolved_at, opened_at, from, to, reason } =
    body as unknown as Record<string, unknown>;
  return JSON.stringify({ kind, id, horizon, closed_at, resolved_at, opened_at, from, to, reason });
}

function dueDraft(due: Due): string {
  const time = (ts: number | null): string | null => (ts === null ? null : formatTime(ts));
  const { id } = due;
  switch (due.kind) {
    case 'close':
      return JSON.stringify({
        kind: 'event-close/1',
        id,
        closed_at: time(due.closed_at),
        reason: due.reason,
      });
    case 'receipt':
      return JSON.stringify({
        kind: 'receipt/1',
        id,
        horizon: due.horizon,
        resolved_at: time(due.resolved_at),
        reason: due.reason,
      });
    case 'benchmark':
      return JSON.stringify({
        kind: 'benchmark/1',
        id,
        horizon: due.horizon,
        from: time(due.from),
        to: time(due.to),
        reason: due.reason,
      });
    case 'open':
      return JSON.stringify({ kind: 'event/1', id, opened_at: time(due.opened_at) });
  }
}

test('terminal: the entries behind a tick are those that its leaves make due, in that order', () => {
  const book = new EventBook({ rule: RULE, grid: utcGrid, sha256 });
  for (const symbol of SYMBOLS) book.list(symbol, 0);
  for (const [ts, , { drafts, blob }] of HISTORY) {
    const leaves = new Map(parseTickLeaves(blob).map((leaf) => [leaf.symbol, leaf]));
    assert.deepEqual(drafts.slice(1).map(publicPart), book.step(ts, leaves).map(dueDraft));
  }
});

test('terminal: prices are committed to, returns are of those prices', () => {
  const commitment = (symbol: string, time: string): string => {
    const salt = tickSalt(sha256, SEED, 'price', symbol, parseTime(time));
    return commitmentOf(sha256, salt, BigInt(unitsAt(symbol, time)));
  };
  const bp = (from: number, to: number): number => {
    const exact = (10_000 * (to - from)) / from;
    return Math.sign(exact) * Math.round(Math.abs(exact));
  };
  const opens = new Map(bodies('event/1').map((body) => [body.id, body]));
  for (const { symbol, opened_at, price, rule } of opens.values()) {
    assert.equal(price, commitment(symbol, opened_at));
    assert.equal(rule, scoreRuleHash(sha256, RULE));
  }
  for (const { id, resolved_at, ret, price } of bodies('receipt/1')) {
    const open = opens.get(id);
    assert.ok(open !== undefined);
    if (resolved_at === null) continue;
    assert.equal(price, commitment(open.symbol, resolved_at));
    assert.equal(ret, bp(unitsAt(open.symbol, open.opened_at), unitsAt(open.symbol, resolved_at)));
  }
  const measured = bodies('benchmark/1').filter(({ reason }) => reason === null);
  assert.ok(measured.length > 5);
  assert.ok(bodies('benchmark/1').some(({ reason }) => reason === 'own'));
  for (const { from, to, ret, from_price, to_price } of measured) {
    assert.equal(from_price, commitment('BTC', `${from}`));
    assert.equal(to_price, commitment('BTC', `${to}`));
    assert.equal(ret, bp(unitsAt('BTC', `${from}`), unitsAt('BTC', `${to}`)));
  }
});

test('terminal: an event says how many of its class had moved', () => {
  let moved = 0;
  for (const [, , { drafts, board }] of HISTORY) {
    const moves = [...board.values()].flatMap(({ move }) => (move === null ? [] : [move]));
    for (const draft of drafts) {
      if (draft.kind !== 'event/1') continue;
      const { symbol, breadth, move_24h, vol_mult, score } = draft.body;
      assert.deepEqual(breadth, {
        up: moves.filter((move) => move >= MOVED_BP).length,
        down: moves.filter((move) => move <= -MOVED_BP).length,
        of: moves.length,
      });
      moved += breadth.up + breadth.down;
      const row = board.get(symbol);
      assert.deepEqual([move_24h, vol_mult, score], [row?.move, row?.volMult, row?.score]);
    }
  }
  assert.ok(moved > 0);
});

test('terminal: the same readings give the same bytes, in whatever order they come', () => {
  const again = make();
  for (const [ts, reads, step] of HISTORY.slice(0, 400)) {
    const turned = new Map([...reads].reverse());
    assert.deepEqual(again.step(ts, turned), step);
  }
  const other = new Terminal({
    sha256,
    seed: new Uint8Array(32),
    rule: RULE,
    grid: utcGrid,
    assets: [asset('BTC')],
  });
  const step = other.step(START, new Map([['BTC', input(START, 100)]]));
  assert.deepEqual(step.values, [], 'openings are given to whoever asks for them');
});

/** Rising readings of one asset, with an event at tick 80 and the benchmark beside it. */
function opened(
  split: (terminal: Terminal) => void,
  priceAt: (k: number) => number,
): readonly TickDraft[] {
  const terminal = make(false);
  const drafts: TickDraft[] = [];
  split(terminal);
  for (let k = 0; k < 80 + 97; k += 1) {
    const ts = START + TICK * k;
    const price = 10_000 + 10 * (k % 5) + (k === 80 ? 4000 : 0);
    const reads = new Map([
      ['ADA', input(ts, priceAt(k) * price, k === 80 ? 9000 : 1000)],
      ['BTC', input(ts, 500)],
    ]);
    drafts.push(...terminal.step(ts, reads).drafts.slice(1));
  }
  return drafts;
}

test('terminal: a split in the window of a score or a receipt changes neither', () => {
  const plain = opened(
    () => undefined,
    () => 1,
  );
  const shown = (drafts: readonly TickDraft[]): unknown =>
    drafts.map(({ kind, body }) => {
      const { id, ret, score, move_24h, reason } = body as unknown as Record<string, unknown>;
      return { kind, id, ret, score, move_24h, reason };
    });
  assert.ok(plain.some(({ kind }) => kind === 'receipt/1'));
  for (const at of [78, 120]) {
    const effective_at = formatTime(START + TICK * at - 60);
    const split = opened(
      (terminal) => terminal.split({ symbol: 'ADA', effective_at, numerator: 1, denominator: 4 }),
      (k) => (k >= at ? 4 : 1),
    );
    assert.deepEqual(shown(split), shown(plain), `at tick ${at}`);
    assert.notDeepEqual(
      shown(
        opened(
          () => undefined,
          (k) => (k >= at ? 4 : 1),
        ),
      ),
      shown(plain),
    );
  }
});

test('terminal: an asset that is not listed any more has its receipts voided and no ticks', () => {
  const terminal = make(false);
  const read = (ts: number, ...symbols: readonly string[]): Reads =>
    new Map(symbols.map((symbol) => [symbol, input(ts, 10_000, 1000)]));
  for (let k = 0; k < 80; k += 1)
    terminal.step(START + TICK * k, read(START + TICK * k, 'ADA', 'BTC'));
  const at = START + TICK * 80;
  const { drafts } = terminal.step(
    at,
    new Map([['ADA', input(at, 15_000, 9000)], ...read(at, 'BTC')]),
  );
  assert.deepEqual(
    drafts.map(({ kind }) => kind),
    ['tick/1', 'event/1'],
  );
  terminal.delist('ADA', at);
  assert.throws(() => terminal.delist('ADA', at), { code: 'not_found' });
  assert.throws(() => terminal.step(at + TICK, read(at + TICK, 'ADA')), { code: 'not_found' });
});

test('terminal: what is out of turn is refused', () => {
  const terminal = make();
  const reads: Reads = new Map([['BTC', input(START, 100)]]);
  assert.throws(() => terminal.step(START + 1, reads), { code: 'out_of_range' });
  assert.throws(() => terminal.step(START, new Map()), { code: 'out_of_range' });
  assert.throws(() => terminal.step(START, new Map([['NEW', input(START, 100)]])), {
    code: 'not_found',
  });
  terminal.step(START, reads);
  assert.throws(() => terminal.step(START, reads), { code: 'out_of_range' });
  const split = { symbol: 'BTC', effective_at: formatTime(START), numerator: 2, denominator: 1 };
  assert.throws(() => terminal.split(split), { code: 'out_of_range' });
  assert.throws(() => terminal.list(asset('AAPL', { class: 'stock' }), START), {
    code: 'malformed',
  });
  assert.throws(() => terminal.list(asset('BTC', { decimals: 3 }), START), { code: 'malformed' });
});

/** Symbols and times whose prices the entries of the history cite, but for receipts. */
const CITED: ReadonlySet<string> = new Set([
  ...bodies('event/1').map(({ symbol, opened_at }) => `${symbol} ${opened_at}`),
  ...bodies('benchmark/1').map(({ symbol, from }) => `${symbol} ${from ?? ''}`),
]);

/** Goes on at tick `cut` from leaves, the reads of the rule's reach, and of older ones those that are `kept`. */
function goOn(
  cut: number,
  kept: (symbol: string, time: string) => boolean,
  reach = scoreReach(RULE),
): Terminal {
  const terminal = make();
  for (const [i, [ts, reads, { blob, drafts }]] of HISTORY.slice(0, cut).entries()) {
    const leaves = new Map(parseTickLeaves(blob).map((leaf) => [leaf.symbol, leaf]));
    const some =
      i >= cut - reach ? [...reads] : [...reads].filter(([s]) => kept(s, formatTime(ts)));
    const dues = terminal.recall(ts, leaves, new Map(some));
    assert.equal(dues.length, drafts.length - 1);
  }
  return terminal;
}

/** The first tick from `cut` on at which a terminal says anything else than the history. */
function firstOther(terminal: Terminal, cut: number): number | undefined {
  for (const [i, [ts, reads, step]] of HISTORY.entries()) {
    if (i < cut) continue;
    const { blob, drafts, values } = terminal.step(ts, reads);
    try {
      assert.deepEqual({ blob, drafts, values }, saidIn(step));
    } catch {
      return i;
    }
  }
  return undefined;
}

function saidIn({ blob, drafts, values }: TickStep): Pick<TickStep, 'blob' | 'drafts' | 'values'> {
  return { blob, drafts, values };
}

test('terminal: one that goes on from leaves and what is kept says what one that never stopped says', () => {
  const cited = (symbol: string, time: string): boolean => CITED.has(`${symbol} ${time}`);
  for (const cut of [70, 31 * 96, 33 * 96 + 17]) {
    assert.equal(firstOther(goOn(cut, cited), cut), undefined, `at ${cut}`);
  }
  // With less than the rule's reach a score is another sooner or later.
  assert.ok(firstOther(goOn(31 * 96, cited, 20), 31 * 96) !== undefined);
});

test('terminal: a price that an open event cites must be there when it goes on', () => {
  const cut = 20 * 96;
  const terminal = goOn(cut, () => false);
  assert.throws(() => firstOther(terminal, cut), /opening: expected what opens/);
  const reads: Reads = new Map([['NEW', input(START, 100)]]);
  const leaves = new Map([['NEW', { score: null, good: true }]]);
  assert.throws(() => make().recall(START, leaves, reads), { code: 'not_found' });
  assert.throws(() => make().recall(START + 1, leaves, new Map()), { code: 'out_of_range' });
});

/** A later rule: other windows, other bounds, and stamps must be fresher. */
const LATER = shortRule({
  ...RULE,
  version: 2,
  sources: { ...RULE.sources, max_age_s: 300 },
  returns: { long: 6, short: 3, tolerance: 1, sample: 1, window: 60, min_samples: 20 },
  volume: { day: 6, days: 8, min_days: 4 },
  event: { open: 80, close: 50, consecutive: 3, max: 12, silent: 5, rearm: 20 },
});

/** The readings of the history, some of them with an older stamp: good under the first rule alone. */
const STAMPED: readonly (readonly [ts: number, reads: Reads])[] = HISTORY.map(([ts, reads]) => [
  ts,
  new Map(
    [...reads].map(([symbol, read], i) => {
      if ((ts / TICK + i) % 11 !== 0) return [symbol, read];
      const stamped_at = formatTime(ts - 600);
      return [symbol, { ...read, sources: read.sources.map((each) => ({ ...each, stamped_at })) }];
    }),
  ),
]);

/** The ticks up to `HANDED` under the first rule, and those from there on under the later one. */
const HANDED = 20 * 96 + 5;

type Told = readonly { readonly blob: Uint8Array; readonly drafts: readonly TickDraft[] }[];

/** A terminal of the later rule at tick `at`, from what was said before; `kept` as in `goOn`. */
function goOnLater(
  at: number,
  told: Told,
  kept: (symbol: string, time: string, i: number) => boolean,
): Terminal {
  const assets = SYMBOLS.map((symbol) => asset(symbol));
  const terminal = new Terminal({ sha256, seed: SEED, rule: LATER, grid: utcGrid, assets });
  for (const [i, [ts, reads]] of STAMPED.slice(0, at).entries()) {
    const { blob, drafts } = told[i] as Told[number];
    const leaves = new Map(parseTickLeaves(blob).map((leaf) => [leaf.symbol, leaf]));
    const some = new Map([...reads].filter(([symbol]) => kept(symbol, formatTime(ts), i)));
    const dues = terminal.recall(ts, leaves, some, i < HANDED ? RULE : LATER);
    assert.deepEqual(dues.map(dueDraft), drafts.slice(1).map(publicPart), formatTime(ts));
  }
  return terminal;
}

test('terminal: behind a handover it scores as if the later rule had been there from the start', () => {
  const told: TickStep[] = [];
  const first = make(false);
  for (const [ts, reads] of STAMPED.slice(0, HANDED)) told.push(first.step(ts, reads));
  const later = goOnLater(HANDED, told, () => true);
  assert.equal(later.rule, scoreRuleHash(sha256, LATER));
  for (const [ts, reads] of STAMPED.slice(HANDED)) told.push(later.step(ts, reads));

  const book = new EventBook({ rule: RULE, grid: utcGrid, sha256 });
  for (const symbol of SYMBOLS) book.list(symbol, 0);
  const series = new Map(SYMBOLS.map((symbol) => [symbol, new ScoreSeries(LATER)]));
  let [stale, scores] = [0, 0];
  for (const [i, [ts, reads]] of STAMPED.entries()) {
    const { blob, drafts } = told[i] as TickStep;
    const leaves = new Map(parseTickLeaves(blob).map((leaf) => [leaf.symbol, leaf]));
    const rule = i < HANDED ? RULE : LATER;
    for (const [symbol, read] of reads) {
      // What is good at a tick, the rule that it names says.
      const reading = judgeTick(rule.sources, ts, 2, read);
      const said = reading && series.get(symbol)?.add(ts / TICK, reading);
      const leaf = leaves.get(symbol);
      assert.equal(leaf?.good, said !== undefined);
      if (said !== undefined && judgeTick(LATER.sources, ts, 2, read) === undefined) stale += 1;
      if (i < HANDED) continue;
      assert.equal(leaf?.score, said?.score ?? null);
      if (said?.score != null) scores += 1;
    }
    if (i === HANDED) book.under(LATER);
    assert.deepEqual(drafts.slice(1).map(publicPart), book.step(ts, leaves).map(dueDraft));
    const named = drafts.flatMap(({ body }) => ('rule' in body ? [body.rule] : []));
    assert.deepEqual(new Set(named), new Set([scoreRuleHash(sha256, rule)]));
  }
  assert.ok(stale > 100 && scores > 1000, `${stale} judged otherwise, ${scores} scores`);

  // What is kept is enough: the later windows, and what open events cite, that of ticks good under the first rule alone too.
  const cited = new Set(
    told.flatMap(({ drafts }) =>
      drafts.flatMap(({ kind, body }) => {
        if (kind === 'event/1') return [`${body.symbol} ${body.opened_at}`];
        return kind === 'benchmark/1' ? [`${body.symbol} ${body.from ?? ''}`] : [];
      }),
    ),
  );
  for (const at of [HANDED, HANDED + 30, 33 * 96]) {
    const reach = Math.max(0, at - scoreReach(LATER));
    const terminal = goOnLater(
      at,
      told,
      (symbol, time, i) => i >= reach || cited.has(`${symbol} ${time}`),
    );
    for (const [i, [ts, reads]] of STAMPED.entries()) {
      if (i < at || i >= at + 500) continue;
      const { blob, drafts } = terminal.step(ts, reads);
      const { blob: other, drafts: others } = told[i] as TickStep;
      assert.deepEqual({ blob, drafts }, { blob: other, drafts: others }, `tick ${i} from ${at}`);
    }
  }
});
