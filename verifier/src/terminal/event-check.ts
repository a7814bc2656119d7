import type { HashHex } from '@assay/core/hash/hash';
import type { EventOpen } from '@assay/core/kind/event';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { Due } from '@assay/core/terminal/event/event-book';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { firstDifference } from '../verdict/difference.ts';
import type { FindingCode, Findings } from '../verdict/finding.ts';
import type { DueBody, DueKind } from './terminal-kinds.ts';

/** What the entries of a tick are compared with. */
export interface DueTick {
  readonly class: AssetClass;
  /** Hash of the score rule. */
  readonly rule: HashHex;
  /** The place of the tick's entry. */
  readonly place: string;
  /** How many assets have a move, as its leaves show. */
  readonly moved: number;
}

interface Expected {
  readonly kind: DueKind;
  /** The members of the entry's body that follow from the public leaves. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly words: string;
}

/** The entries of a tick that have not come yet. */
export interface KeptOwed {
  readonly tick: DueTick;
  /** By kind, id and horizon, in the order in which they are due. */
  readonly waiting: Map<string, { readonly order: number; readonly expected: Expected }>;
  /** The greatest order of those that came; -1 before the first. */
  order: number;
}

type Fault = 'missing' | 'differs' | 'not_due';

const CODES: Readonly<Record<DueKind, Readonly<Record<Fault, FindingCode>>>> = {
  'event/1': { missing: 'event_missing', differs: 'event_differs', not_due: 'event_not_due' },
  'event-close/1': { missing: 'event_missing', differs: 'event_differs', not_due: 'event_not_due' },
  'receipt/1': {
    missing: 'receipt_missing',
    differs: 'receipt_differs',
    not_due: 'receipt_not_due',
  },
  'benchmark/1': {
    missing: 'benchmark_missing',
    differs: 'benchmark_differs',
    not_due: 'benchmark_not_due',
  },
};

/**
 * The entries that a tick makes due, by its public leaves and those before it. They follow the tick at once: exactly
 * these, in their order.
 */
export class OwedByTick {
  readonly #findings: Findings;
  #state: KeptOwed;

  constructor(tick: DueTick, dues: readonly Due[], findings: Findings) {
    this.#findings = findings;
    this.#state = { tick, waiting: new Map(), order: -1 };
    for (const [order, due] of dues.entries()) {
      const expected = expectedOf(due, tick);
      this.#state.waiting.set(keyOf(expected.kind, expected.body), { order, expected });
    }
  }

  /** What is still owed. It changes with the next entry. */
  get kept(): KeptOwed {
    return this.#state;
  }

  /** Goes on as what was kept. */
  resume(kept: KeptOwed): void {
    this.#state = kept;
  }

  /** How many entries have not come yet. */
  get left(): number {
    return this.#state.waiting.size;
  }

  /** Checks an entry, and returns whether it is due. */
  take(entry: DueBody, place: string): boolean {
    const { kind } = entry;
    const body = entry.body as unknown as Readonly<Record<string, unknown>>;
    const key = keyOf(kind, body);
    const { waiting } = this.#state;
    const owed = waiting.get(key);
    if (owed === undefined) {
      notDue(entry, place, this.#next(), this.#findings);
      return false;
    }
    waiting.delete(key);
    const { order, expected } = owed;
    if (order < this.#state.order) {
      this.#findings.add(
        CODES[kind].not_due,
        place,
        `${expected.words} before those of its tick that come after it`,
        'after one of them',
      );
    }
    this.#state.order = Math.max(this.#state.order, order);
    const said = Object.fromEntries(Object.keys(expected.body).map((name) => [name, body[name]]));
    const difference = firstDifference(expected.body, said);
    if (difference !== undefined) {
      const { path, expected: wanted, found } = difference;
      this.#findings.add(CODES[kind].differs, `${place}${path}`, wanted, found);
    }
    if (entry.kind === 'event/1') this.#bounds(entry.body, place);
    return true;
  }

  /** Reports which entries did not come, where another entry is in their place. */
  nameMissing(): void {
    const { tick, waiting } = this.#state;
    for (const { expected } of waiting.values()) {
      const { kind, words } = expected;
      this.#findings.add(CODES[kind].missing, tick.place, words, 'nothing of it');
    }
    waiting.clear();
  }

  #next(): string {
    const [first] = this.#state.waiting.values();
    return first === undefined ? 'nothing more of this tick' : first.expected.words;
  }

  /** A score needs a move and a volume. The leaves show how many assets have a move. */
  #bounds({ move_24h: move, vol_mult: volume, breadth }: EventOpen, place: string): void {
    if (move === null || volume === null) {
      this.#differs(`${place}/move_24h`, 'a move and a volume, which its score needs', 'none');
    }
    const { moved } = this.#state.tick;
    if (breadth.of !== moved) {
      this.#differs(`${place}/breadth/of`, `${moved}, good at both ends`, `${breadth.of}`);
    }
  }

  #differs(place: string, expected: string, found: string): void {
    this.#findings.add('event_differs', place, expected, found);
  }
}

/** Reports that no tick makes an entry due. `next` is what is due in its place. */
export function notDue(entry: DueBody, place: string, next: string, findings: Findings): void {
  const { kind, body } = entry;
  const horizon = 'horizon' in body ? ` ${body.horizon}` : '';
  findings.add(CODES[kind].not_due, place, next, `${kind} of ${body.id}${horizon}`);
}

function keyOf(kind: DueKind, body: Readonly<Record<string, unknown>>): string {
  return [kind, body['id'], body['horizon'] ?? ''].join(' ');
}

function expectedOf(due: Due, { class: of, rule }: DueTick): Expected {
  const { id, symbol } = due;
  switch (due.kind) {
    case 'open': {
      const body = { id, symbol, class: of, opened_at: formatTime(due.opened_at), rule };
      return {
        kind: 'event/1',
        body: { ...body, score: due.score },
        words: `the event of ${symbol}, ${id}`,
      };
    }
    case 'close':
      return {
        kind: 'event-close/1',
        body: {
          id,
          closed_at: formatTime(due.closed_at),
          reason: due.reason,
          peak_score: due.peak_score,
        },
        words: `the close of ${symbol}'s event ${id}`,
      };
    case 'receipt': {
      const { horizon, status, reason } = due;
      return {
        kind: 'receipt/1',
        body: { id, horizon, status, resolved_at: timeOf(due.resolved_at), reason },
        words: `the receipt of ${symbol}'s event ${id} after ${horizon}`,
      };
    }
    case 'benchmark': {
      const { horizon, benchmark, reason } = due;
      const [from, to] = [timeOf(due.from), timeOf(due.to)];
      return {
        kind: 'benchmark/1',
        body: { id, horizon, symbol: benchmark, from, to, reason },
        words: `${benchmark} over the receipt of ${symbol}'s event ${id} after ${horizon}`,
      };
    }
  }
}

function timeOf(ts: number | null): TimeText | null {
  return ts === null ? null : formatTime(ts);
}
