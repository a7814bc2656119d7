import type { AssetPayload } from '../../terminal/answer/asset.ts';
import type { NoRatePayload, RatePayload } from '../../terminal/answer/base-rate.ts';
import type { OpenEventPayload } from '../../terminal/answer/board.ts';
import { VENUE_GROUPS, type VenueGroup, type VenuePayload } from '../../terminal/answer/venues.ts';
import type { Assets } from '../asset.ts';
import { eventTable } from '../event-table.ts';
import { change, count, multiple } from '../figure.ts';
import { day, moment } from '../format.ts';
import { type Html, html, live } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';
import { type HourlyScore, scoreChart } from '../score-chart.ts';
import { assetRate } from './asset-rate.ts';

const DAY_MS = 86_400_000;

const CLASSES: Readonly<Record<string, string>> = { crypto: 'crypto asset', stock: 'stock' };

/** `/a/{symbol}`: an asset's score now, its events with what followed, where it trades, and its base rate or why it has none. */
export const ASSET_PAGE: Page = {
  path: '/a/:symbol',
  async make({ ask, params, query, assets }) {
    const asked = encodeURIComponent(params['symbol'] ?? '');
    const answer = await ask<AssetPayload>(`/v1/asset/${asked}`);
    if (answer.status === 404) return { missing: answer.detail ?? 'There is no such asset.' };
    const body = bodyOf(answer);
    const { symbol, name } = body.asset;
    const days = DAYS.find((each) => String(each) === query.get('days')) ?? 30;
    const rate = await ask<RatePayload | NoRatePayload>(`/v1/base-rate/${asked}`);
    return {
      title: `${symbol}: activity of ${name}`,
      description: `The Activity score of ${name}, its events, and what followed each of them.`,
      canonical: `/a/${symbol}`,
      body: html`<h1>${name} <span class="dim">${symbol}</span></h1>
        ${scoreNow(body)}
        <h2>Open event</h2>
        <p>${live('event', eventText(body.open_event))}</p>
        <h2>What usually followed</h2>
        ${assetRate(rate, body.asset)}
        <h2>Receipts so far</h2>
        ${receipts(body)}
        <h2 id="scores">Scores of ${days === 1 ? 'a day' : `${days} days`}</h2>
        ${history(body, days, zoomPart(symbol, assets))}
        <h2>Where it trades</h2>
        ${venues(body)}`,
      scripts: ['scores.js'],
      follows: ['tick', 'event', 'event-close', 'asset', 'study'],
      alternates: [
        { type: 'application/json', href: `/v1/asset/${symbol}`, title: 'The asset as JSON' },
        { type: 'application/json', href: `/v1/base-rate/${symbol}`, title: 'Its base rate' },
      ],
    };
  },
};

function scoreNow({ asset, latest }: AssetPayload): Html {
  const { symbol, class: of, listed } = asset;
  return html`<p class="number large">${live('score', count(latest?.score ?? null))}</p>
    <p class="unit">
      Activity score of this ${CLASSES[of] ?? of}, from 0 to 100: how unusual its price and its
      volume are, compared with its own past
    </p>
    ${!listed && html`<p class="state wait">${symbol} is not listed any more. Its past stays.</p>`}
    <p class="state ${latest?.current === true ? 'none' : 'wait'}">${live('read', readText(latest))}</p>
    <dl class="facts">
      <dt>An hour before</dt>
      <dd>${live('before', count(latest?.score_1h ?? null))}</dd>
      <dt>Price over one day</dt>
      <dd>${live('move', change(latest?.move_24h ?? null))}</dd>
      <dt>Volume of one day</dt>
      <dd>${live('volume', volumeText(latest?.vol_mult ?? null))}</dd>
    </dl>`;
}

function readText(latest: AssetPayload['latest']): string {
  if (latest === null) return 'There has been no good reading in 30 days.';
  const at = `Read at ${moment(latest.ts)}.`;
  return latest.current ? at : `${at} This reading is not of now.`;
}

function volumeText(times: number | null): string {
  return times === null ? '—' : `${multiple(times)} its 30-day average`;
}

function eventText(event: OpenEventPayload | null): string {
  if (event === null) return 'No event is open. A high score opens one.';
  const { opened_at, score_at_open: opened, peak_score: peak } = event;
  return `An event is open since ${moment(opened_at)}. It opened at a score of ${opened}, and the highest score so far is ${peak}.`;
}

function receipts({ asset: { symbol, name }, past_events: events }: AssetPayload): Html {
  if (events.length === 0) return html`<p>No event of this asset has closed yet.</p>`;
  return html`<p class="dim">
      A receipt says what the price did after an event opened, beside the benchmark in the same
      time. Once it is written, it never changes.
    </p>
    ${eventTable(events, { label: `Closed events of ${name}`, isOfOne: true })}
    <p><a href="/receipts?symbol=${symbol}">All closed events of ${symbol}</a></p>`;
}

/** How much of the 30 days may be looked at, as plain links. */
const DAYS = [30, 7, 1] as const;

function history(
  { asset: { symbol }, scores_30d: all }: AssetPayload,
  days: number,
  zoom: Html,
): Html {
  const newest = Date.parse(all.at(-1)?.ts ?? '');
  const scores = all.filter(({ ts }) => newest - Date.parse(ts) <= days * DAY_MS);
  return html`<nav class="pager" aria-label="How many days">
      ${DAYS.map(
        (each) =>
          html`<a href="/a/${symbol}?days=${each}#scores"${each === days && html` aria-current="true"`}>${each === 1 ? '1 day' : `${each} days`}</a>`,
      )}
    </nav>
    ${scoreChart(scores, `Activity score of ${symbol}, hour by hour`)} ${zoom}
    <details>
      <summary>The same by days</summary>
      <table>
        <caption>
          From the readings of full hours. <a href="/v1/asset/${symbol}">All of them as JSON</a>
        </caption>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col" class="figure">Readings</th>
            <th scope="col" class="figure">Lowest</th>
            <th scope="col" class="figure">Highest</th>
            <th scope="col" class="figure">Last</th>
          </tr>
        </thead>
        <tbody>
          ${daysOf(scores).map(
            ({ date, known }) =>
              html`<tr>
                <td>${day(date)}</td>
                <td class="figure">${known.length}</td>
                <td class="figure">${known.length === 0 ? '—' : Math.min(...known)}</td>
                <td class="figure">${known.length === 0 ? '—' : Math.max(...known)}</td>
                <td class="figure">${known.at(-1) ?? '—'}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>`;
}

/** Where the chart stands that people zoom into. Without a script nothing of it is shown. */
function zoomPart(symbol: string, assets: Assets): Html {
  return html`<div
    id="zoom"
    data-code="${assets.get('zoom.js').path}"
    data-look="${assets.get('zoom.css').path}"
    data-source="/v1/asset/${symbol}"
    hidden
  >
    <button id="zoom-open" type="button">Zoom into the 30 days</button>
    <p role="status" class="dim"></p>
  </div>`;
}

/** The scores of each day, the newest day first. */
function daysOf(
  scores: readonly HourlyScore[],
): readonly { readonly date: string; readonly known: readonly number[] }[] {
  const days = new Map<string, number[]>();
  for (const { ts, score } of scores) {
    const date = ts.slice(0, 10);
    const known = days.get(date) ?? [];
    if (score !== null) known.push(score);
    days.set(date, known);
  }
  return [...days].map(([date, known]) => ({ date, known })).reverse();
}

const GROUPS: Readonly<Record<VenueGroup, string>> = {
  spot: 'Spot: it is bought and sold itself',
  perpetuals: 'Perpetuals: contracts on it that do not end',
  futures: 'Futures: contracts on it that end on a day',
  prediction_markets: 'Prediction markets on what becomes of it',
};

function venues({ venues: by, venues_checked_at: at, venues_notice: notice }: AssetPayload): Html {
  const groups = VENUE_GROUPS.filter((group) => by[group].length > 0);
  return html`${
    groups.length === 0
      ? html`<p>No venue is known.</p>`
      : groups.map(
          (group) =>
            html`<h3>${GROUPS[group]}</h3>
                <ul>
                  ${by[group].map(venueLine)}
                </ul>`,
        )
  }
    <p class="dim">
      ${notice}
      ${at !== null && `Checked against the lists of the venues on ${moment(at)}.`}
      ${groups.length > 0 && 'Nobody pays for these links.'}
    </p>`;
}

/** Only a link to the web stands as a link, whatever a list of venues holds. */
function venueLine({ name, url, us_available: isInUs }: VenuePayload): Html {
  const link = /^https?:\/\//.test(url)
    ? html`<a href="${url}" rel="noopener nofollow">${name}</a>`
    : html`${name}`;
  return html`<li>${link}${!isInUs && html` <span class="dim">not for customers in the United States</span>`}</li>`;
}
