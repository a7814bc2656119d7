import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Benchmark } from '@assay/core/kind/benchmark';
import type { EventOpen } from '@assay/core/kind/event';
import type { ReceiptEntry } from '@assay/core/kind/receipt-entry';
import { formatTime, parseTime } from '@assay/core/time/time';
import { Findings } from '@assay/verifier/verdict/finding';
import { ValueCheck } from '@assay/verifier/terminal/value-check';
import { resumed } from '../../core/fixture/resumed.ts';
import { Random } from '../../core/terminal/random.ts';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';

const RULE = shortRule();
const DAY = 86_400;
const START = parseTime('2026-03-01T00:00:00Z');

/** A commitment, as an honest publisher has one for each asset and time. */
function priceOf(symbol: string, ts: number): string {
  return Buffer.from(`${symbol} ${ts}`.padEnd(32, '.')).toString('hex').slice(0, 64);
}

function event(symbol: string, ts: number, change: object = {}): EventOpen {
  const breadth = { up: 2, down: 1, of: 5 };
  const about = { symbol, opened_at: formatTime(ts), move_24h: 700, breadth };
  return { ...about, price: priceOf(symbol, ts), ...change } as unknown as EventOpen;
}

function receipt(symbol: string, ts: number, change: object = {}): ReceiptEntry {
  const about = { ret: 5, resolved_at: formatTime(ts), price: priceOf(symbol, ts) };
  return { ...about, ...change } as unknown as ReceiptEntry;
}

function benchmark(from: number, to: number, change: object = {}): Benchmark {
  return {
    symbol: 'BTC',
    from: formatTime(from),
    to: formatTime(to),
    ret: 9,
    from_price: priceOf('BTC', from),
    to_price: priceOf('BTC', to),
    ...change,
  } as unknown as Benchmark;
}

/** The places of what is found; all of it is of one code. */
function found(say: (check: ValueCheck) => void): readonly string[] {
  const findings = new Findings();
  say(new ValueCheck(RULE, findings));
  assert.ok(findings.list.every(({ code }) => code === 'value_contradicts'));
  return findings.list.map(({ place }) => place);
}

test('value check: entries that agree are taken', () => {
  assert.deepEqual(
    found((check) => {
      check.tick(START);
      check.event(event('ADA', START), START - DAY, 'a');
      check.event(event('BTC', START, { move_24h: 9 }), START - DAY, 'b');
      const to = START + DAY;
      check.tick(to);
      check.receipt(receipt('ADA', to), event('ADA', START), 'c');
      check.receipt(receipt('BTC', to, { ret: 9 }), event('BTC', START), 'd');
      check.benchmark(benchmark(START, to), 'e');
      check.event(
        event('BTC', to, { move_24h: 9, breadth: { up: 0, down: 0, of: 1 } }),
        START,
        'f',
      );
      check.tick(to + 900);
      check.benchmark(benchmark(START, to + 900, { ret: 10 }), 'g');
      const nothing = { ret: null, resolved_at: null, price: null };
      check.receipt(receipt('ADA', to, nothing), event('ADA', START), 'h');
    }),
    [],
  );
});

test('value check: a tick has one breadth, with its own events in it', () => {
  const at = (...breadths: (readonly [up: number, down: number, of: number, move?: number])[]) =>
    found((check) => {
      check.tick(START);
      for (const [i, [up, down, of, move_24h = 700]] of breadths.entries()) {
        const change = { breadth: { up, down, of }, move_24h };
        check.event(event(`A${i}`, START, change), START - DAY, `${i}`);
      }
    });
  assert.deepEqual(at([2, 0, 3], [2, 0, 3]), []);
  assert.deepEqual(at([2, 0, 3], [1, 0, 3], [2, 0, 3, 100]), ['1/breadth']);
  assert.deepEqual(at([2, 0, 3], [2, 1, 3]), ['1/breadth']);
  assert.deepEqual(at([2, 0, 3], [2, 0, 4]), ['1/breadth']);
  assert.deepEqual(at([0, 2, 3]), ['0/breadth']);
  assert.deepEqual(at([1, 0, 3], [1, 0, 3]), ['1/breadth']);
  assert.deepEqual(at([0, 1, 3, -700], [0, 1, 3, -500]), ['1/breadth']);
  assert.deepEqual(at([2, 1, 3, 499]), ['0/breadth']);
  assert.deepEqual(at([2, 1, 4, -499], [2, 1, 4, 0]), ['1/breadth']);
});

test('value check: a return over the same two ticks is always the same', () => {
  const to = START + DAY;
  const says = (say: (check: ValueCheck) => void) =>
    found((check) => {
      check.tick(to);
      check.benchmark(benchmark(START, to), 'first');
      say(check);
    });
  assert.deepEqual(
    says((check) => check.benchmark(benchmark(START, to, { ret: -9999 }), 'x')),
    ['x/ret'],
  );
  assert.deepEqual(
    says((check) => check.receipt(receipt('BTC', to, { ret: 8 }), event('BTC', START), 'x')),
    ['x/ret'],
  );
  assert.deepEqual(
    says((check) => check.event(event('BTC', to, { move_24h: 700 }), START, 'x')),
    ['x/move_24h'],
  );
  assert.deepEqual(
    says((check) => check.benchmark(benchmark(to, to), 'x')),
    ['x/ret'],
  );
  assert.deepEqual(
    says((check) => check.benchmark(benchmark(to, to, { ret: 0 }), 'x')),
    [],
  );
});

test('value check: a price has one commitment, and a commitment is of one price', () => {
  const to = START + DAY;
  const later = START + 7 * DAY;
  const other = 'ab'.repeat(32);
  const says = (say: (check: ValueCheck) => void) =>
    found((check) => {
      check.tick(to);
      check.benchmark(benchmark(START, to), 'first');
      say(check);
    });
  assert.deepEqual(
    says((check) => {
      check.tick(later);
      check.benchmark(benchmark(START, later, { from_price: other }), 'x');
    }),
    ['x/from_price'],
  );
  assert.deepEqual(
    says((check) => check.event(event('BTC', to, { price: other, move_24h: 700 }), undefined, 'x')),
    ['x/price'],
  );
  assert.deepEqual(
    says((check) => {
      check.receipt(receipt('ADA', to), event('ADA', START), 'a');
      check.event(event('ADA', to, { price: other }), undefined, 'x');
    }),
    ['x/price'],
  );
  // Both ends of a receipt, both of a benchmark, and two assets at one tick.
  const opened = event('ADA', START);
  assert.deepEqual(
    says((check) => check.receipt(receipt('ADA', to, { price: opened.price }), opened, 'x')),
    ['x/price'],
  );
  assert.deepEqual(
    says((check) => {
      check.tick(later);
      check.benchmark(benchmark(START, later, { to_price: priceOf('BTC', START) }), 'x');
    }),
    ['x/to_price'],
  );
  assert.deepEqual(
    says((check) => {
      check.event(event('ADA', to, { price: priceOf('BTC', START) }), undefined, 'x');
    }),
    ['x/price'],
  );
});

test('value check: a commitment of an earlier tick is no other price', () => {
  const opened = event('ADA', START);
  const [day, week] = [START + DAY, START + 7 * DAY];
  assert.deepEqual(
    found((check) => {
      check.tick(day);
      check.receipt(receipt('ADA', day), opened, 'a');
      check.tick(week);
      check.receipt(receipt('ADA', week, { price: priceOf('ADA', day) }), opened, 'x');
      check.event(event('SOL', week, { price: priceOf('ADA', START) }), undefined, 'free');
      check.event(event('DOT', week, { price: priceOf('ADA', day) }), undefined, 'y');
    }),
    ['x/price', 'y/price'],
  );
});

test('value check: what is remembered is bounded by how far a receipt reaches', () => {
  const findings = new Findings();
  const check = new ValueCheck(RULE, findings);
  let most = 0;
  for (let ts = START; ts < START + 120 * DAY; ts += 900) {
    check.tick(ts);
    check.benchmark(benchmark(ts - DAY, ts), 'a');
    check.receipt(receipt('ADA', ts), event('ADA', ts - DAY), 'b');
    most = Math.max(most, check.remembered);
  }
  assert.deepEqual(findings.list, []);
  const reach = 30 * DAY + RULE.receipts.void_after_s + 1800;
  // A benchmark's price and a receipt's at each tick.
  assert.ok(most > reach / 450 && most < (reach + 2 * DAY) / 450 + 6, `${most}`);
});

test('value check: interrupted before every entry, it finds what one finds that never was', () => {
  const said = (seed: number, isCut: boolean): readonly string[] => {
    const draws = new Random(seed);
    const findings = new Findings();
    let check = new ValueCheck(RULE, findings);
    const cut = (): ValueCheck => {
      if (isCut) check = resumed(check, new ValueCheck(RULE, findings));
      return check;
    };
    // Longer than anything is remembered, of which there is little, so that much of it contradicts.
    for (let ts = START; ts < START + 100 * DAY; ts += draws.oneIn(4) ? DAY : 21_600) {
      cut().tick(ts);
      for (let i = 0; i < 3; i += 1) {
        const symbol = ['ADA', 'BTC', 'DOT'][draws.below(3)] as string;
        const from = ts - 21_600 * draws.below(180);
        const place = `${ts} ${i}`;
        const [price, ret] = [priceOf(symbol, draws.oneIn(5) ? from : ts), draws.below(2)];
        const up = draws.below(3);
        const opened = event(symbol, ts, { price, move_24h: ret, breadth: { up, down: 1, of: 5 } });
        if (draws.oneIn(2)) cut().event(opened, from, place);
        cut().receipt(receipt(symbol, ts, { ret, price }), event(symbol, from), place);
        cut().benchmark(benchmark(from, ts, { ret }), place);
      }
    }
    return findings.list.map(({ place, expected, found: text }) => `${place} ${expected} ${text}`);
  };
  for (let seed = 1; seed <= 4; seed += 1) {
    const whole = said(seed, false);
    assert.deepEqual(said(seed, true), whole, `seed ${seed}`);
    for (const text of ['as stated of', 'another commitment', 'as another event', 'among them']) {
      assert.ok(
        whole.some((each) => each.includes(text)),
        text,
      );
    }
  }
});
