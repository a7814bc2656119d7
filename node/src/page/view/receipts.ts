import type { ReceiptsPayload } from '@assay/core/answer/terminal/receipts';
import { eventTable } from '../event-table.ts';
import { type Html, html } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';

/** How many events stand on one page. */
const LIMIT = 25;

/** A day that is before all events. The API names the next page only where a page is asked for by its bounds. */
const FIRST_DAY = '2000-01-01';

/** `/receipts`: closed events and what followed them, newest first, in pages that are plain links. */
export const RECEIPTS_PAGE: Page = {
  path: '/receipts',
  async make({ ask, query }) {
    const symbol = query.get('symbol')?.trim().toUpperCase() ?? '';
    const cursor = query.get('cursor') ?? '';
    const asked = new URLSearchParams({ limit: String(LIMIT), from: FIRST_DAY });
    if (symbol !== '') asked.set('symbol', symbol);
    if (cursor !== '') asked.set('cursor', cursor);
    const { events, next_cursor: next } = bodyOf(
      await ask<ReceiptsPayload & { readonly next_cursor: string | null }>(
        `/v1/receipts?${asked.toString()}`,
      ),
    );
    const of = symbol === '' ? '' : ` of ${symbol}`;
    const address = addressOf(symbol, null);
    return {
      title: `Receipts${of}: what followed each event`,
      description: `Closed events${of}, the newest first, each with the return after a day, a week and 30 days beside the benchmark.`,
      canonical: address,
      body: html`<h1>Receipts${of}</h1>
        <p class="lead">
          An event opens when the <a href="/board">Activity score</a> of an asset is high. It is
          written to the log at once, before anybody knows what follows. A day, a week and 30 days
          later a receipt says what the price did, beside the benchmark in the same time. None of
          this can be changed or left out afterwards, good or bad.
        </p>
        ${filter(symbol)}
        ${
          events.length === 0
            ? html`<p>${nothing(symbol, cursor)}</p>`
            : eventTable(events, { label: `Closed events${of}`, isOfOne: false })
        }
        <nav class="pager" aria-label="More events">
          ${cursor !== '' && html`<a href="${address}">Newest events</a>`}
          ${next !== null && html`<a href="${addressOf(symbol, next)}" rel="next">Earlier events</a>`}
        </nav>
        <h2>The whole record</h2>
        <p>
          <a href="/v1/receipts/dataset?format=csv">All closed events as CSV</a>, hidden assets
          among them, and <a href="/v1/receipts/dataset">the same as JSON</a>. The links under
          “Proof in Bitcoin” are OpenTimestamps files: they show that the record was there before a
          block of Bitcoin was mined.
        </p>`,
      alternates: [
        {
          type: 'application/json',
          href: `/v1/receipts?${asked.toString()}`,
          title: 'These events as JSON',
        },
        {
          type: 'text/csv',
          href: '/v1/receipts/dataset?format=csv',
          title: 'All closed events as CSV',
        },
      ],
    };
  },
};

function addressOf(symbol: string, cursor: string | null): string {
  const query = new URLSearchParams();
  if (symbol !== '') query.set('symbol', symbol);
  if (cursor !== null) query.set('cursor', cursor);
  return query.size === 0 ? '/receipts' : `/receipts?${query.toString()}`;
}

function filter(symbol: string): Html {
  return html`<form action="/receipts" role="search">
    <label for="symbol">Only of one asset</label>
    <input id="symbol" name="symbol" value="${symbol}" size="16" maxlength="16" autocapitalize="characters" />
    <button>Show</button>
  </form>`;
}

function nothing(symbol: string, cursor: string): string {
  if (cursor !== '') return 'There are no earlier events.';
  return symbol === '' ? 'No event has closed yet.' : `No event of ${symbol} has closed.`;
}
