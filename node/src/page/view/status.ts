import type { Status } from '../../api/status.ts';
import { grouped, moment, short } from '../format.ts';
import { type Filling, type Html, html, live } from '../html.ts';
import { type Asked, bodyOf, type Page } from '../page.ts';

const HEADLINES = {
  ok: ['good', 'All is well'],
  degraded: ['wait', 'Something is late or wrong; what is published stays as it is'],
  halted: ['bad', 'Halted: nothing is published now'],
} as const;

/** `/status`: how the service is, and what is wrong with it. */
export const STATUS_PAGE: Page = {
  path: '/status',
  async make({ ask }) {
    const asked = await ask<Status>('/v1/status');
    const status = haltedOf(asked) ?? bodyOf(asked);
    const [tone, headline] = HEADLINES[status.state];
    return {
      title: 'Status',
      description: `How this service is: ${headline}.`,
      canonical: '/status',
      status: asked.status,
      follows: ['report', 'close', 'anchor', 'statement'],
      alternates: [{ type: 'application/json', href: '/v1/status', title: 'The status as JSON' }],
      body: html`<h1>Status</h1>
<p class="lead ${tone}">${live('headline', headline, tone)}</p>
<p>${live('reasons', status.reasons.join(' '))}</p>
${status.notice !== null && html`<p>${status.notice}</p>`}
<h2>The log</h2>
${logFacts(status)}
<h2>Bitcoin</h2>
${anchorFacts(status)}
<h2>Solana</h2>
${feedFacts(status)}
<h2>Storage</h2>
${storageFacts(status)}
<h2>The newest number of each index</h2>
<table><thead><tr><th scope="col">Index</th><th scope="col">Newest period that was published</th></tr></thead>
<tbody>${Object.entries(status.indices).map(
        ([name, { newest_printed: newest }]) =>
          html`<tr><td><a href="/i/${name.toLowerCase()}">${name}</a></td><td>${live(`printed.${name}`, newest ?? 'none yet')}</td></tr>`,
      )}</tbody></table>
<p class="dim">This is what the service says of itself. What it published can be <a href="/verify">checked</a>, and its <a href="/record">record</a> follows from the log alone. By its own clock it is ${moment(status.now)}.</p>`,
    };
  },
};

/** The status of a halted service, which the problem in its place has as members; undefined where it is not halted. */
function haltedOf({ problem }: Asked<Status>): Status | undefined {
  return problem?.['state'] === 'halted' ? (problem as unknown as Status) : undefined;
}

/** A list of names and facts; those without a fact are left out. */
function facts(rows: readonly (readonly [string, Filling])[]): Html {
  const shown = rows.filter(([, fact]) => fact !== null && fact !== undefined);
  if (shown.length === 0) return html`<p class="dim">There is nothing yet.</p>`;
  return html`<dl class="facts">${shown.map(
    ([name, fact]) => html`<dt>${name}</dt><dd>${fact}</dd>`,
  )}</dl>`;
}

function logFacts({ origin, log_size, log_root, transport }: Status): Html {
  return facts([
    ['Name (origin)', origin],
    ['Entries', html`<a href="/log">${live('size', grouped(String(log_size)))}</a>`],
    ['Root of the tree', log_root !== null && html`<code>${live('root', log_root)}</code>`],
    ['Served by', transport],
  ]);
}

function anchorFacts({ anchors }: Status): Html {
  const { newest_batch, stamped_at, newest_attested, bitcoin_height, beacon_height } = anchors;
  return facts([
    ['Newest batch of stamps', newest_batch === null ? null : live('batch', String(newest_batch))],
    ['Stamped', stamped_at === null ? null : live('stamped', moment(stamped_at))],
    [
      'Newest batch in a block',
      newest_attested === null ? null : live('attested', String(newest_attested)),
    ],
    ['Its block', bitcoin_height === null ? null : live('height', grouped(String(bitcoin_height)))],
    [
      'Newest block that the log names',
      beacon_height === null ? null : live('beacon', grouped(String(beacon_height))),
    ],
  ]);
}

function feedFacts({ feeds }: Status): Html {
  if (feeds.chain === null) return html`<p class="dim">This log is posted on no chain.</p>`;
  const { newest_posted: newest, waiting, waiting_since } = feeds;
  return facts([
    ['Chain', html`<code>${feeds.chain}</code>`],
    ['Program', feeds.program === null ? null : html`<code>${feeds.program}</code>`],
    [
      'Posted last',
      newest === null
        ? null
        : live(
            'posted',
            `${newest.of} of ${newest.ticker}, ${newest.period}, slot ${grouped(String(newest.slot))}`,
          ),
    ],
    [
      'Waiting to be posted',
      waiting === null
        ? null
        : live(
            'waiting',
            waiting_since === null
              ? String(waiting)
              : `${waiting}, the oldest since ${moment(waiting_since)}`,
          ),
    ],
  ]);
}

function storageFacts({ storage }: Status): Html {
  const { damaged, repaired, found, scrub } = storage;
  return html`${facts([
    ['Damaged or missing now', live('damaged', String(damaged))],
    ['Repaired since the start', live('repaired', String(repaired))],
    [
      'Everything was read again',
      scrub === null || scrub.last_ended_at === null ? null : moment(scrub.last_ended_at),
    ],
  ])}${
    found.length > 0 &&
    html`<ul>${found.map(({ part, name, state, found_at }) => html`<li>${part} <code>${short(name)}</code>: ${state}, found ${moment(found_at)}</li>`)}</ul>`
  }`;
}
