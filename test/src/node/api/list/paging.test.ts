import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodPagePayload } from '@assay/core/answer/period-page';
import { parseCursor, type PagedList } from '@assay/core/answer/page';
import { questionsPayload } from '@assay/core/answer/referee/questions';
import { receiptsPage } from '@assay/core/answer/terminal/receipts';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import { questionOf } from '@assay/core/referee/question-maker';
import { formatDate, parseDate, toDate } from '@assay/core/time/time';
import { arenaRoundsPage, NO_ARENA_BOOK } from '@assay/node/arena/arena-answer';
import { datasetPayload } from '@assay/node/terminal/answer/dataset';
import fc from 'fast-check';
import { ArenaLog } from '../../../core/arena/arena-log.ts';
import { layoffsRule, sha256 } from '../../../core/fixture/fixture.ts';
import { arenaRule, eventOf, REFEREE, Rows } from '../../../core/referee/referee-fixture.ts';
import { revision, ruledLog } from '../../../core/view/small-log.ts';

/** A list that is read in pages while it grows. */
interface Growing {
  readonly list: PagedList;
  /** Appends what makes another row, at a place that `at` decides; at most 40 times. */
  readonly append: (at: number) => void;
  readonly page: (
    limit: number,
    after: string | undefined,
  ) => { readonly ids: readonly string[]; readonly next: string | null };
}

const SYMBOLS = ['AAA', 'BBB', 'CCC'];
const EVERYTHING = 10_000;

function events(): { readonly rows: Rows; readonly append: (at: number) => void } {
  const rows = new Rows();
  for (const symbol of SYMBOLS) rows.list(symbol);
  let count = 0;
  const append = (at: number): void => {
    count += 1;
    // A later entry may be about an earlier time.
    const opened = (at % 40) * 900;
    const body = eventOf(SYMBOLS[count % 3] as string, opened + count * 40 * 900);
    rows.add({ kind: 'event/1', body });
    const closed_at = body.opened_at;
    rows.add({
      kind: 'event-close/1',
      body: { id: body.id, closed_at, reason: 'age', peak_score: 90 },
    });
  };
  return { rows, append };
}

const LISTS: Readonly<Record<PagedList, () => Growing>> = {
  receipts() {
    const { rows, append } = events();
    return {
      list: 'receipts',
      append,
      page(limit, after) {
        const { payload, next } = receiptsPage(rows.views, sha256, { limit, after });
        return { ids: payload.events.map(({ id }) => id), next };
      },
    };
  },
  dataset() {
    const { rows, append } = events();
    return {
      list: 'dataset',
      append,
      page(limit, after) {
        const asked = { since: toDate('2026-03-01'), limit, offset: 0, after };
        const { rows: found, next_cursor } = datasetPayload(rows.views, asked);
        return { ids: found.map((row) => row['event_id'] as string), next: next_cursor };
      },
    };
  },
  questions() {
    const rows = new Rows();
    const named = { rule: REFEREE, hash: arenaRuleHash(sha256, arenaRule()) };
    let count = 0;
    return {
      list: 'questions',
      append(at) {
        count += 1;
        const event = eventOf(SYMBOLS[at % 3] as string, ((at * 40 + count) % 1600) * 900);
        rows.add({ kind: 'question/1', body: questionOf(sha256, event, named, rows.views) });
      },
      page(limit, after) {
        const { questions, next_cursor } = questionsPayload(rows.views, sha256, {
          state: 'all',
          limit,
          after,
        });
        return { ids: questions.map(({ id }) => id), next: next_cursor };
      },
    };
  },
  rounds() {
    const log = new ArenaLog();
    let day = parseDate('2026-08-01');
    return {
      list: 'rounds',
      append() {
        const [period, next] = [formatDate(day), formatDate(day + 1)];
        log.print(period, '1000', `${next}T08:40:00Z`);
        const opened = log.open(`${formatDate(day + 2)}T02:00:00Z`);
        assert.equal(opened.length, 1);
        day += 1;
      },
      page(limit, after) {
        const moment = { state: log.views, sha256, now: 0, book: NO_ARENA_BOOK };
        const found = arenaRoundsPage(moment, { ticker: undefined, limit, after });
        return { ids: found.rounds.map(({ id }) => String(id)), next: found.next_cursor };
      },
    };
  },
  periods() {
    const log = ruledLog();
    const { ticker } = layoffsRule();
    let count = 0;
    return {
      list: 'periods',
      append(at) {
        count += 1;
        // A history may be loaded from the end, or filled where it has a gap.
        const period = formatDate(parseDate('2020-01-04') + 7 * ((at % 40) * 41 + count));
        log.append('revision/1', revision([{ period, value: String(count) }]));
      },
      page(limit, after) {
        const { periods, next_cursor } = periodPagePayload(log.views, ticker, { limit, after });
        return { ids: periods.map(({ period }) => period), next: next_cursor };
      },
    };
  },
};

for (const [name, make] of Object.entries(LISTS)) {
  test(`paging ${name}: every row is seen once while entries are appended`, () => {
    const places = fc.array(fc.nat(1000), { maxLength: 15 });
    const steps = fc.array(
      fc.record({
        limit: fc.integer({ min: 1, max: 5 }),
        added: fc.array(fc.nat(1000), { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 10 },
    );
    fc.assert(
      fc.property(places, steps, (first, pages) => {
        const { list, append, page } = make();
        for (const at of first) append(at);
        const before = page(EVERYTHING, undefined).ids;
        assert.equal(before.length, first.length);
        const seen: string[] = [];
        let after: string | undefined;
        for (let i = 0; ; i += 1) {
          // After the last of the steps the list grows no more, so that reading ends.
          const { limit, added } = pages[i] ?? { limit: 3, added: [] };
          const { ids, next } = page(limit, after);
          assert.ok(ids.length <= limit);
          assert.equal(
            next !== null && ids.length < limit,
            false,
            'a page before the last is full',
          );
          seen.push(...ids);
          if (next === null) break;
          after = parseCursor(list, next);
          for (const at of added) append(at);
        }
        assert.equal(new Set(seen).size, seen.length, 'no row twice');
        assert.deepEqual(
          before.filter((id) => !seen.includes(id)),
          [],
          'no row left out',
        );
        // Those that were there keep their order.
        assert.deepEqual(
          seen.filter((id) => before.includes(id)),
          before,
        );
      }),
      { numRuns: 60 },
    );
  });
}

test('paging: filters and pages together have the rows that fit', () => {
  const { rows, append } = events();
  for (let at = 0; at < 30; at += 1) append(at);
  const all = receiptsPage(rows.views, sha256, { limit: 100 }).payload.events;
  const [first, last] = ['2026-03-03', '2026-03-09'];
  const wanted = all.filter(
    ({ symbol, opened_at }) =>
      symbol === 'BBB' && opened_at.slice(0, 10) >= first && opened_at.slice(0, 10) <= last,
  );
  assert.ok(wanted.length > 2 && wanted.length < 10);
  const asked = { symbol: 'BBB', from: first, to: last, limit: 2 };
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const { payload, next } = receiptsPage(rows.views, sha256, { ...asked, after });
    found.push(...payload.events.map(({ id }) => id));
    if (next === null) break;
    after = parseCursor('receipts', next);
  }
  assert.deepEqual(
    found,
    wanted.map(({ id }) => id),
  );
  // The dataset has the same in the order of the log, by offsets and by cursors.
  const since = toDate(first);
  const byOffset: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page = datasetPayload(rows.views, { since, to: last, symbol: 'BBB', limit: 2, offset });
    byOffset.push(...page.rows.map((row) => row['event_id'] as string));
    offset = page.next_offset;
  }
  assert.deepEqual(byOffset, found.toReversed());
  assert.deepEqual(receiptsPage(rows.views, sha256, { symbol: 'NONE', limit: 9 }).next, null);
});

test('paging: any filter has the rows that fit, in both orders', () => {
  const day = fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined });
  const dateOf = (after: number | undefined): string | undefined =>
    after === undefined ? undefined : formatDate(parseDate('2026-03-01') + after);
  const wanted = fc.record({
    symbol: fc.option(fc.constantFrom(...SYMBOLS, 'NONE'), { nil: undefined }),
    from: day,
    to: day,
    limit: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 25 }), wanted, (places, { limit, ...each }) => {
      const { rows, append } = events();
      for (const at of places) append(at);
      const [from, to] = [dateOf(each.from), dateOf(each.to)];
      const { symbol } = each;
      const all = receiptsPage(rows.views, sha256, { limit: EVERYTHING }).payload.events;
      const expected = all
        .filter((event) => symbol === undefined || event.symbol === symbol)
        .filter(({ opened_at: at }) => from === undefined || at.slice(0, 10) >= from)
        .filter(({ opened_at: at }) => to === undefined || at.slice(0, 10) <= to)
        .map(({ id }) => id);
      const read = (
        page: (after: string | undefined) => ReturnType<Growing['page']>,
        of: PagedList,
      ) => {
        const found: string[] = [];
        for (let after: string | undefined; ;) {
          const { ids, next } = page(after);
          found.push(...ids);
          assert.ok(found.length <= expected.length, 'a row too many');
          if (next === null) return found;
          after = parseCursor(of, next);
        }
      };
      const receipts = read((after) => {
        const { payload, next } = receiptsPage(rows.views, sha256, {
          symbol,
          from,
          to,
          limit,
          after,
        });
        return { ids: payload.events.map(({ id }) => id), next };
      }, 'receipts');
      assert.deepEqual(receipts, expected);
      const since = toDate(from ?? '2026-01-01');
      const dataset = read((after) => {
        const asked = { since, symbol, to, limit, offset: 0, after };
        const { rows: found, next_cursor } = datasetPayload(rows.views, asked);
        return { ids: found.map((row) => row['event_id'] as string), next: next_cursor };
      }, 'dataset');
      assert.deepEqual(dataset, expected.toReversed());
    }),
    { numRuns: 200 },
  );
});
