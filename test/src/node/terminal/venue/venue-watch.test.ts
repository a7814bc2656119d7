import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import { formatTime, parseTime } from '@assay/core/time/time';
import type { WireObject } from '@assay/core/wire/wire';
import { coinbase } from '@assay/node/terminal/venue/coinbase';
import { kalshi } from '@assay/node/terminal/venue/kalshi';
import type { KeptVenues, VenueStore } from '@assay/node/terminal/venue/kept-venues';
import { CheckedVenues } from '@assay/node/terminal/venue/venue-book';
import { VenueWatch } from '@assay/node/terminal/venue/venue-watch';
import type { TestVendor } from '../vendor-fixture.ts';
import { answering } from './venue-fixture.ts';

const FIRST = parseTime('2026-11-20T02:00:00Z');
const HOUR = 3600;

const product = (base: string) => ({
  id: `${base}-USD`,
  base_currency: base,
  quote_currency: 'USD',
  status: 'online',
});

function assets(
  ...rows: readonly { readonly symbol: string; readonly [key: string]: unknown }[]
): MemoryViews {
  const views = new MemoryViews();
  for (const row of rows) {
    const full = { class: 'crypto', listed: true, display: true, ...row } as WireObject;
    views.write([{ table: 'assets', key: row.symbol, value: full }]);
  }
  return views;
}

interface World {
  now: number;
  kept: KeptVenues | undefined;
  source: TestVendor;
  failing: 'get' | 'set' | undefined;
  readonly told: string[];
  readonly book: CheckedVenues;
  readonly watch: VenueWatch;
  /** As after a restart: another watch on the same store. */
  readonly again: () => Promise<VenueWatch>;
}

function world(): World {
  const told: string[] = [];
  const store: VenueStore = {
    get: () =>
      self.failing === 'get' ? Promise.reject(new Error('damaged')) : Promise.resolve(self.kept),
    set: (kept) => {
      if (self.failing === 'set') return Promise.reject(new Error('full'));
      self.kept = kept;
      return Promise.resolve();
    },
  };
  const make = (book: CheckedVenues): VenueWatch =>
    new VenueWatch(
      {
        venues: [coinbase, kalshi({ META: ['KXMETA'] })],
        source: { read: (request, options) => self.source.read(request, options) },
        store,
        book,
        now: () => self.now,
      },
      {
        onChecked: ({ venues }) => told.push(venues.map(({ venue }) => venue).join(' ')),
        onError: (what, reason) => told.push(`${what}: ${reason}`),
      },
    );
  const book = new CheckedVenues([]);
  const self: World = {
    now: FIRST,
    kept: undefined,
    source: answering({ 'coinbase.com': [product('BTC'), product('ETH'), product('HID')] }),
    failing: undefined,
    told,
    book,
    watch: make(book),
    async again() {
      const watch = make(new CheckedVenues([]));
      await watch.load();
      return watch;
    },
  };
  return self;
}

const LISTED = assets(
  { symbol: 'BTC' },
  { symbol: 'ETH', listed: false },
  { symbol: 'HID', display: false },
);

test('venue watch: at the first start, then at 03:00 UTC, once each', async () => {
  const on = world();
  await on.watch.load();
  await on.watch.poll(assets());
  assert.deepEqual(on.source.asked, [], 'nothing is listed');
  const looks: string[] = [];
  for (const hours of [0, 0.5, 1, 1.5, 24.98, 25, 25.5, 72.9, 73]) {
    on.now = FIRST + hours * HOUR;
    const before = on.source.asked.length;
    await on.watch.poll(LISTED);
    if (on.source.asked.length > before) looks.push(formatTime(on.now));
  }
  assert.deepEqual(looks, [
    '2026-11-20T02:00:00Z',
    '2026-11-20T03:00:00Z',
    '2026-11-21T03:00:00Z',
    '2026-11-23T02:54:00Z',
    '2026-11-23T03:00:00Z',
  ]);
  assert.equal(on.book.version, 5);
  assert.deepEqual(
    on.kept?.venues.map(({ venue, offers }) => [venue, offers.map(({ symbol }) => symbol)]),
    [['coinbase', ['BTC']]],
  );
});

test('venue watch: a restart has what was kept, and a failed check keeps it and says so', async () => {
  const on = world();
  await on.watch.poll(LISTED);
  const watch = await on.again();
  const shown = watch.book.of('BTC');
  assert.deepEqual(
    shown.venues.spot.map(({ venue, checked_at }) => [venue, checked_at]),
    [['coinbase', '2026-11-20T02:00:00Z']],
  );
  assert.equal(on.source.asked.length, 1);
  on.source = answering({});
  on.now = FIRST + HOUR;
  await watch.poll(LISTED);
  assert.deepEqual(watch.book.of('BTC'), {
    ...shown,
    venues_checked_at: '2026-11-20T03:00:00Z',
    venues_notice: 'Not checked: Coinbase (unreachable; its list is of 2026-11-20T02:00:00Z).',
  });
  assert.deepEqual((await on.again()).book.of('BTC'), watch.book.of('BTC'));
});

test('venue watch: shares have prediction markets of the map alone', async () => {
  const on = world();
  on.source = answering({
    'coinbase.com': [product('META')],
    KXMETA: { events: [{ series_ticker: 'KXMETA' }], cursor: '' },
  });
  await on.watch.poll(assets({ symbol: 'META', class: 'stock' }));
  const { venues } = on.book.of('META');
  assert.deepEqual([venues.spot.length, venues.prediction_markets.length], [0, 1]);
});

test('venue watch: a file that cannot be read or written stops nothing', async () => {
  const on = world();
  on.failing = 'get';
  await on.watch.load();
  on.failing = 'set';
  await on.watch.poll(LISTED);
  assert.equal(on.book.of('BTC').venues.spot.length, 1);
  assert.deepEqual(on.told, [
    'the stored venues cannot be read: damaged',
    'coinbase',
    'the venues cannot be stored: full',
  ]);
});

test('venue watch: a stop gives up the check under way, and none follows', async () => {
  const on = world();
  let asked = 0;
  on.watch.start(() => LISTED);
  await on.watch.stop();
  const version = on.book.version;
  on.source = answering({});
  const source = on.source;
  asked = source.asked.length;
  on.now += 48 * HOUR;
  on.watch.start(() => LISTED);
  await on.watch.poll(LISTED);
  assert.deepEqual([on.book.version, source.asked.length], [version, asked]);
  await on.watch.stop();

  const slow = world();
  slow.source = {
    asked: [],
    read: (_request, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };
  slow.watch.start(() => LISTED);
  await slow.watch.stop();
  assert.deepEqual([slow.told, slow.book.version], [[], 0]);
});
