import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceAnswer } from '@assay/node/source/source';
import { coinbase } from '@assay/node/terminal/venue/coinbase';
import type { KeptVenues } from '@assay/node/terminal/venue/kept-venues';
import { VENUE_IDS } from '@assay/node/terminal/venue/venue';
import { checkVenues, MAX_LIST_BYTES } from '@assay/node/terminal/venue/venue-check';
import { venuesOf } from '@assay/node/terminal/venue/venue-config';
import { never, page, vendor } from '../vendor-fixture.ts';
import { answering, AT, checked, earlier, LISTED } from './venue-fixture.ts';

const ALL = venuesOf({ not_us: [], kalshi: { BTC: ['KXBTC'] }, polymarket: { BTC: ['btc'] } });
const BEFORE: KeptVenues = {
  checked_at: earlier('kraken').checked_at,
  venues: VENUE_IDS.flatMap((id) => earlier(id).venues),
};

const NOT_A_LIST = 'the answer is not its product list';
const huge: SourceAnswer = {
  kind: 'pages',
  pages: [{ status: 200, contentType: null, bytes: new Uint8Array(MAX_LIST_BYTES + 1) }],
};

test('venue check: whatever a venue answers, its earlier list stays and the reason is reported', async () => {
  const cases: readonly (readonly [SourceAnswer, string])[] = [
    [page('<!doctype html><title>Just a moment...</title>'), NOT_A_LIST],
    [page(''), NOT_A_LIST],
    [page('[NaN]'), NOT_A_LIST],
    [page('{"symbols":[{"symbol":"BTCUSDT","symbol":"BTCUSDT"}]}'), NOT_A_LIST],
    [page(`${'['.repeat(100)}${']'.repeat(100)}`), NOT_A_LIST],
    [page('null'), NOT_A_LIST],
    [page('"\ud800"'), NOT_A_LIST],
    [page('[]', 403), 'status 403'],
    [page('{}', 429), 'status 429'],
    [{ kind: 'pages', pages: [] }, NOT_A_LIST],
    [{ kind: 'failed', reason: 'too_large', detail: 'of a host' }, 'too_large'],
    [{ kind: 'failed', reason: 'redirect_refused', detail: 'to a host' }, 'redirect_refused'],
    [huge, 'too_large'],
  ];
  for (const [answer, note] of cases) {
    const kept = await checkVenues(
      ALL,
      LISTED,
      BEFORE,
      vendor(() => answer),
      AT,
      never,
    );
    assert.equal(kept.checked_at, '2026-11-20T03:00:00Z');
    assert.deepEqual(
      kept.venues,
      BEFORE.venues.map((each) => ({ ...each, note })),
    );
    const first = await checkVenues(
      ALL,
      LISTED,
      undefined,
      vendor(() => answer),
      AT,
      never,
    );
    assert.deepEqual(
      first.venues,
      VENUE_IDS.map((venue) => ({ venue, checked_at: null, offers: [], note })),
    );
  }
});

test('venue check: one venue that fails leaves the others, and a good list replaces the old', async () => {
  const row = { id: 'ETH-USD', base_currency: 'ETH', quote_currency: 'USD', status: 'online' };
  const source = answering({ 'coinbase.com': [row] });
  const kept = await checkVenues(ALL, LISTED, BEFORE, source, AT, never);
  assert.deepEqual(
    kept.venues.map(({ venue, note, offers }) => [venue, note, offers.map(({ symbol }) => symbol)]),
    VENUE_IDS.map((venue) =>
      venue === 'coinbase' ? [venue, null, ['ETH']] : [venue, 'unreachable', ['BTC']],
    ),
  );
});

test('venue check: nothing but offers is kept of an answer', async () => {
  const row = { id: 'ETH-USD', base_currency: 'ETH', quote_currency: 'USD', status: 'online' };
  const body = [{ ...row, price: '4321.98', volume: 765, status_message: 'words' }];
  const kept = await checked(coinbase, answering({ 'coinbase.com': body }));
  assert.equal(kept?.offers.length, 1);
  assert.deepEqual(Object.keys(kept?.offers[0] ?? {}).sort(), ['kind', 'symbol', 'url']);
  assert.doesNotMatch(JSON.stringify(kept), /4321|765|words/);
});

test('venue check: whoever gives up hears its own reason', async () => {
  const controller = new AbortController();
  const source = vendor(() => {
    controller.abort(new Error('enough'));
    return '[]';
  });
  const check = checkVenues(ALL, LISTED, BEFORE, source, AT, controller.signal);
  await assert.rejects(check, /enough/);
});
