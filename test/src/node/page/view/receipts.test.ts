import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageFailure } from '@assay/node/page/page';
import { RECEIPTS_PAGE } from '@assay/node/page/view/receipts';
import { CLOSED_EVENT } from '../fixture/closed-event.ts';
import { madeOf, markupOf, textOf } from '../fixture/page-ask.ts';

const FIRST = '/v1/receipts?limit=25&from=2000-01-01';

test('receipts: events with what followed, and the next page as a plain link', async () => {
  const answers = { [FIRST]: { body: { events: [CLOSED_EVENT], next_cursor: 'a+b' } } };
  const text = await textOf(RECEIPTS_PAGE, { answers });
  assert.match(text, /ETH Ether &lt;b&gt; 72 peak 81 −3\.40 % BTC \+1\.02 %/);
  const markup = await markupOf(RECEIPTS_PAGE, { answers });
  assert.match(markup, /<a href="\/receipts\?cursor=a%2Bb" rel="next">Earlier events<\/a>/);
  assert.doesNotMatch(markup, /Newest events/);
});

test('receipts: a page of one asset keeps the asset in its links', async () => {
  const answers = {
    [`${FIRST}&symbol=ETH&cursor=c`]: { body: { events: [CLOSED_EVENT], next_cursor: 'd' } },
  };
  const given = { answers, query: 'symbol=%20eth&cursor=c' };
  const markup = await markupOf(RECEIPTS_PAGE, given);
  assert.match(markup, /<a href="\/receipts\?symbol=ETH&amp;cursor=d" rel="next">/);
  assert.match(markup, /<a href="\/receipts\?symbol=ETH">Newest events<\/a>/);
  const made = await madeOf(RECEIPTS_PAGE, given);
  assert.ok('body' in made);
  assert.equal(made.canonical, '/receipts?symbol=ETH');
});

test('receipts: an empty page says why it is empty, and the last page has no next one', async () => {
  const empty = { body: { events: [], next_cursor: null } };
  for (const [query, target, expected] of [
    ['', FIRST, /No event has closed yet/],
    ['symbol=x', `${FIRST}&symbol=X`, /No event of X has closed/],
    ['cursor=c', `${FIRST}&cursor=c`, /There are no earlier events/],
  ] as const) {
    const markup = await markupOf(RECEIPTS_PAGE, { answers: { [target]: empty }, query });
    assert.match(markup, expected);
    assert.doesNotMatch(markup, /rel="next"|<table/);
  }
});

test('receipts: what somebody typed is text, and a bad cursor is the API’s refusal', async () => {
  const typed = '"><script>';
  const asked = new URLSearchParams({
    limit: '25',
    from: '2000-01-01',
    symbol: typed.toUpperCase(),
  });
  const answers = {
    [`/v1/receipts?${asked.toString()}`]: { body: { events: [], next_cursor: null } },
  };
  const query = new URLSearchParams({ symbol: typed }).toString();
  assert.doesNotMatch(await markupOf(RECEIPTS_PAGE, { answers, query }), /<script/i);
  const refused = { status: 400, detail: '/cursor: not a cursor of this list' };
  await assert.rejects(
    markupOf(RECEIPTS_PAGE, { answers: { [`${FIRST}&cursor=x`]: refused }, query: 'cursor=x' }),
    (error: unknown) => error instanceof PageFailure && error.status === 400,
  );
});
