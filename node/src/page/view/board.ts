import type { BoardAsset, BoardPayload } from '../../terminal/answer/board.ts';
import { change, count, multiple } from '../figure.ts';
import { moment } from '../format.ts';
import { type Html, html, live, unseen } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';

/** The plural of a class of assets, as sentences begin with it. */
const CLASSES: Readonly<Record<string, string>> = { crypto: 'Crypto assets', stock: 'Stocks' };

/** `/board`: every asset by its score, the events that are open, and the classes that have no reading of now. */
export const BOARD_PAGE: Page = {
  path: '/board',
  async make({ ask }) {
    const { assets, halted_classes: halted } = bodyOf(await ask<BoardPayload>('/v1/board'));
    const hot = assets.filter(({ open_event: event }) => event !== null);
    return {
      title: 'Board: activity of all assets',
      description: `The Activity score of ${assets.length} assets, the highest first, and ${hot.length} open events.`,
      canonical: '/board',
      body: html`<h1>Board</h1>
        <p class="lead">
          The Activity score says from 0 to 100 how unusual the price and the volume of an asset
          are, compared with its own past. A high score opens an event. What followed each event
          is in the <a href="/receipts">receipts</a>, and what followed events of one kind on average
          is in the <a href="/base-rates">base rates</a>.
        </p>
        ${halted.map(haltedLine)}
        <p class="dim">${live('at', newest(assets))}</p>
        <h2>Open events</h2>
        ${
          hot.length === 0
            ? html`<p>No event is open.</p>`
            : html`<div class="cards">${hot.map(card)}</div>`
        }
        ${assets.map(({ symbol, open_event: event }) => event === null && unseen(`${symbol}.event`, 'This event has closed.'))}
        <h2>All assets</h2>
        ${assetTable(assets)}`,
      follows: ['tick', 'event', 'event-close', 'asset'],
      alternates: [{ type: 'application/json', href: '/v1/board', title: 'The board as JSON' }],
    };
  },
};

/** A halted class, named where nobody can miss it. */
function haltedLine(of: string): Html {
  return html`<p class="state wait">
    <strong>${CLASSES[of] ?? of} are halted:</strong> their newest reading is too old, so that none
    of them stands here. <a href="/status">Since when</a>
  </p>`;
}

function newest(assets: readonly BoardAsset[]): string {
  const times = assets.flatMap(({ ts }) => (ts === null ? [] : [ts])).sort();
  const last = times.at(-1);
  return last === undefined
    ? 'There is no reading yet.'
    : `The newest reading is of ${moment(last)}.`;
}

function card({ symbol, name, score, open_event: event }: BoardAsset): Html | false {
  if (event === null) return false;
  const { opened_at, score_at_open: opened, peak_score: peak } = event;
  const state = `Open since ${moment(opened_at)}. It opened at ${opened}, and its highest score so far is ${peak}.`;
  return html`<article class="card">
    <h3><a href="/a/${symbol}">${symbol}</a> <span class="dim">${name}</span></h3>
    <p class="number">${live(`${symbol}.score`, count(score))}</p>
    <p class="state wait">${live(`${symbol}.event`, state)}</p>
  </article>`;
}

function assetTable(assets: readonly BoardAsset[]): Html {
  if (assets.length === 0) return html`<p>No asset is listed.</p>`;
  const isPartly = assets.some(({ ts, measured }) => ts !== null && !measured);
  return html`<p class="dim">
      An em dash stands where there is not enough history for a figure.
      ${isPartly && 'This service did not measure every move and every volume itself: those are missing, too.'}
    </p>
    <div class="scroll" tabindex="0" role="region" aria-label="All assets">
      <table class="tight">
        <thead>
          <tr>
            <th scope="col">Asset</th>
            <th scope="col" class="figure">Score</th>
            <th scope="col" class="figure">An hour before</th>
            <th scope="col" class="figure">Price, one day</th>
            <th scope="col" class="figure">Volume against usual</th>
            <th scope="col">Read at</th>
          </tr>
        </thead>
        <tbody>
          ${assets.map(row)}
        </tbody>
      </table>
    </div>`;
}

function row(asset: BoardAsset): Html {
  const { symbol, name, score, score_1h: before, move_24h: move, vol_mult: volume, ts } = asset;
  const read = ts === null ? '—' : `${moment(ts)}${asset.current ? '' : ', not of now'}`;
  return html`<tr>
    <td><a href="/a/${symbol}">${symbol}</a> <span class="dim">${name}</span></td>
    <td class="figure">${live(`${symbol}.score`, count(score))}</td>
    <td class="figure">${live(`${symbol}.before`, count(before))}</td>
    <td class="figure">${live(`${symbol}.move`, change(move))}</td>
    <td class="figure">${live(`${symbol}.volume`, multiple(volume))}</td>
    <td class="dim">${live(`${symbol}.read`, read)}</td>
  </tr>`;
}
