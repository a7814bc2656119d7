import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { moment, period, value } from '../format.ts';
import { type Html, html, live } from '../html.ts';
import { bodyOf, type Page } from '../page.ts';
import { stateOf } from '../state.ts';

/** `/`: every number of the log, its state, and what is due next. */
export const HOME_PAGE: Page = {
  path: '/',
  async make({ ask }) {
    const indices = bodyOf(await ask<readonly LightIndexPayload[]>('/v1/indices?view=light'));
    const due = indices.toSorted((a, b) => (a.next_release_at < b.next_release_at ? -1 : 1));
    return {
      title: 'Numbers that can be checked',
      description: `${indices.length} index numbers that money settles on, each with the proof of where it comes from.`,
      canonical: '/',
      body: html`<h1>Numbers that money settles on</h1>
        <p class="lead">
          Each number is computed from public sources by a published rule, and signed into a log
          that is anchored in Bitcoin. Its state says how many others have recounted it. You need
          not trust this service for any of it.
        </p>
        <div class="cards">${indices.map(card)}</div>
        <h2>What is due next</h2>
        ${dueTable(due)}`,
      alternates: [
        { type: 'application/json', href: '/v1/indices?view=light', title: 'All numbers as JSON' },
        { type: 'application/atom+xml', href: '/changelog.atom', title: 'What has changed' },
      ],
    };
  },
};

function card(index: LightIndexPayload): Html {
  const { ticker, slug, title, unit, format, cadence, newest_complete: newest } = index;
  const state = stateOf(newest);
  const number = value(newest?.settlement_value ?? newest?.value, format);
  return html`<article class="card">
    <h2><a href="/i/${slug}">${ticker}</a></h2>
    <p class="number">${live(`${slug}.value`, newest?.withheld === true ? 'withheld' : number)}</p>
    <p class="unit">
      ${format !== 'percent' && `${unit}, `}${live(`${slug}.period`, newest === null ? 'no period yet' : period(newest.period, cadence))}
    </p>
    <p class="state ${state.tone}">${live(`${slug}.state`, state.text, state.tone)}</p>
    <p class="dim clamp">${title}</p>
  </article>`;
}

function dueTable(due: readonly LightIndexPayload[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Index</th>
        <th scope="col">Period</th>
        <th scope="col">Published from</th>
      </tr>
    </thead>
    <tbody>
      ${due.map(
        ({ ticker, slug, cadence, next_period, next_release_at }) =>
          html`<tr>
            <td><a href="/i/${slug}">${ticker}</a></td>
            <td>${live(`${slug}.next`, period(next_period, cadence))}</td>
            <td>${live(`${slug}.due`, moment(next_release_at))}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
