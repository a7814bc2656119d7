import { formatHex } from '@assay/core/bytes/hex';
import type { Asset } from '@assay/core/kind/asset';
import { Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { TickInput } from '@assay/core/terminal/score/good';
import { formatTime, parseTime } from '@assay/core/time/time';
import { wire, type WireObject } from '@assay/core/wire/wire';
import { beginning } from '../../verifier/fixture/ticked-log.ts';
import { chain, type Draft } from '../../verifier/fixture/published.ts';
import { sha256 } from '../fixture/fixture.ts';
import { shortRule } from '../terminal/score-rule-fixture.ts';

/** A whole log of the Terminal, and lies about single entries of it. */
export interface TerminalLogVector {
  readonly name: string;
  /** Their canonical bytes. */
  readonly entries: readonly string[];
  /** The leaves of the ticks, hex. */
  readonly blobs: readonly string[];
  readonly lies: readonly TerminalLie[];
}

/** The body of entry `seq` with `change` makes a log that is refused, chained again behind it. */
export interface TerminalLie {
  readonly name: string;
  readonly seq: number;
  readonly change: WireObject;
}

const QUARTER = 900;
const DAY = 96;
const START = parseTime('2026-03-01T00:00:00Z');
/** ADA and ETH jump at this tick; ETH is split, and ADA is gone, before the first tick of the next day. */
const JUMP = 30;
const FAR = JUMP + DAY;
/** By then what ADA's event could have had is over. */
const BACK = JUMP + 33 * DAY;

/** Every quarter of an hour until the events have closed, and then only when something is due. */
const TICKS: readonly number[] = [
  ...Array.from({ length: JUMP + 8 }, (_, tick) => tick),
  FAR,
  FAR + 1,
  JUMP + 7 * DAY,
  JUMP + 30 * DAY,
  BACK,
  BACK + 1,
];

const RULE = shortRule({
  sources: { ...shortRule().sources, required: 1 },
  receipts: { void_after_s: 86_400, benchmark: 'BTC', benchmark_tolerance_s: QUARTER },
});

export const TERMINAL_LOG = beginning('development/terminal-vector');

function asset(symbol: string, listed = true): Asset {
  return { symbol, name: symbol, class: 'crypto', decimals: 2, listed, display: true };
}

function readingOf(symbol: string, tick: number): TickInput {
  const jumps = tick === JUMP && symbol !== 'BTC';
  const cents = 10_000 + symbol.charCodeAt(0) + 10 * (tick % 5) + (jumps ? 4000 : 0);
  const price = (symbol === 'ETH' && tick >= FAR ? cents / 2 / 100 : cents / 100).toFixed(3);
  const volume24h = jumps ? '9000' : '1000';
  const stamped_at = formatTime(START + tick * QUARTER);
  const source = { provider: 'recorded', price, volume_24h: volume24h, stamped_at };
  return { price, volume24h, sources: [source] };
}

/** The entries before their chain, and the leaves of the ticks. */
export function terminalDrafts(): {
  readonly drafts: readonly Draft[];
  readonly blobs: readonly Uint8Array[];
} {
  const drafts: Draft[] = [];
  const blobs: Uint8Array[] = [];
  const seed = new Uint8Array(32).fill(5);
  const terminal = new Terminal({ sha256, seed, rule: RULE, grid: utcGrid });
  const listed = new Set(['ADA', 'BTC', 'ETH']);
  const append = (tick: number, { kind, body }: TickDraft): void =>
    void drafts.push({ at: formatTime(START + tick * QUARTER + 60), kind, body: wire(body) });
  const list = (symbol: string, tick: number): void => {
    append(tick, { kind: 'asset/1', body: asset(symbol) });
    terminal.list(asset(symbol), START + tick * QUARTER);
    listed.add(symbol);
  };
  append(-1, { kind: 'genesis/1', body: TERMINAL_LOG.genesis });
  append(-1, { kind: 'score-rule/1', body: { rule: RULE } });
  for (const symbol of listed) list(symbol, -1);
  for (const [i, tick] of TICKS.entries()) {
    const ts = START + tick * QUARTER;
    const before = TICKS[i - 1] ?? -1;
    if (tick === FAR) {
      const effective_at = formatTime(ts - 60);
      const split = { symbol: 'ETH', effective_at, numerator: 2, denominator: 1 };
      terminal.split(split);
      append(before, { kind: 'split/1', body: split });
      append(before, { kind: 'asset/1', body: asset('ADA', false) });
      terminal.delist('ADA', START + before * QUARTER);
      listed.delete('ADA');
    }
    if (tick === BACK + 1) list('ADA', before);
    const reads = new Map([...listed].sort().map((symbol) => [symbol, readingOf(symbol, tick)]));
    const step = terminal.step(ts, reads);
    blobs.push(step.blob);
    for (const draft of step.drafts) append(tick, draft);
  }
  return { drafts, blobs };
}

/** A lie about the first or the last entry of a kind that has these members. */
type Told = readonly [name: string, kind: string, change: WireObject, of?: WireObject];

const TOLD: readonly Told[] = [
  ['a breadth of fewer assets than were good', 'event/1', { breadth: { up: 2, down: 0, of: 2 } }],
  ['a breadth without the event itself', 'event/1', { breadth: { up: 1, down: 0, of: 3 } }],
  ['an event without a move', 'event/1', { move_24h: null }],
  ['a volume that cannot make the score', 'event/1', { vol_mult: 0 }],
  ['another score than the leaf has', 'event/1', { score: 99 }],
  ['another event’s id', 'event/1', { id: 'bf9dc03e-b9a2-8161-bff0-a42826f82d01' }],
  ['another peak', 'event-close/1', { peak_score: 99 }],
  ['another reason', 'event-close/1', { reason: 'silent' }],
  ['a close at another tick', 'event-close/1', { closed_at: '2026-03-01T08:00:00Z' }],
  ['a void for another reason', 'receipt/1', { reason: 'no_data' }, { status: 'void' }],
  [
    'a void in place of a return',
    'receipt/1',
    { status: 'void', resolved_at: null, ret: null, price: null, reason: 'no_data' },
    { status: 'resolved' },
  ],
  [
    'a receipt that another tick resolved',
    'receipt/1',
    { resolved_at: '2026-03-02T07:45:00Z' },
    { status: 'resolved' },
  ],
  ['a benchmark of another asset', 'benchmark/1', { symbol: 'ETH' }],
  ['a benchmark from another tick', 'benchmark/1', { from: '2026-03-01T07:45:00Z' }],
  ['an asset with other decimals', 'asset/1', { decimals: 3 }, { listed: false }],
  ['an asset of another class', 'asset/1', { class: 'stock' }, { listed: false }],
  ['a split of no asset', 'split/1', { symbol: 'NONE' }],
  ['a split after its first tick', 'split/1', { effective_at: '2026-03-01T09:00:00Z' }],
  ['a tick of another rule', 'tick/1', { rule: 'ab'.repeat(32) }],
  ['a tick of more leaves than there are', 'tick/1', { size: 4 }],
  ['a tick off the grid', 'tick/1', { ts: '2026-03-01T00:00:01Z' }],
];

function lieOf(drafts: readonly Draft[], [name, of, change, having = {}]: Told): TerminalLie {
  const seq = drafts.findIndex(
    ({ kind, body }) =>
      kind === of && Object.entries(having).every(([member, value]) => body[member] === value),
  );
  return { name, seq, change };
}

function terminalVector(): TerminalLogVector {
  const { drafts, blobs } = terminalDrafts();
  return {
    name: 'two events, a split, and an asset that is delisted and listed again',
    entries: chain(drafts).map((bytes) => Buffer.from(bytes).toString()),
    blobs: blobs.map(formatHex),
    lies: TOLD.map((each) => lieOf(drafts, each)),
  };
}

export const TERMINAL_LOG_CASES: readonly TerminalLogVector[] = [terminalVector()];
