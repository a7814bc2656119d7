import { formatBase64 } from '@assay/core/bytes/base64';
import { formatHex } from '@assay/core/bytes/hex';
import { isDate } from '@assay/core/time/time';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { aboutText, kindText, NAMED_NOUNS, nounOf } from '../entry-text.ts';
import { grouped, moment, short } from '../format.ts';
import { type Html, html, live } from '../html.ts';
import type { Page, PageRequest, PageView } from '../page.ts';
import { PublishedLog, type ServedEntry } from '../published-log.ts';

/** The entries on a page. */
const SHOWN = 50;
/** How many entries are gone through for a page of one kind, so that a rare kind costs no more than a common one. */
const MOST_SEARCHED = 4096;

const NUMBER = /^(0|[1-9][0-9]{0,14})$/;
const HASH = /^[0-9a-f]{64}$/;

/** What was found for a search, or why nothing was. */
interface Found {
  readonly text: string;
  readonly links: readonly (readonly [href: string, text: string])[];
}

/** The entries on a page, newest first, and where the older ones begin; undefined at the end. */
interface Listing {
  readonly entries: readonly ServedEntry[];
  readonly older: number | undefined;
}

/** `/log`: every entry, newest first, and a search through them. */
export const LOG_PAGE: Page = {
  path: '/log',
  async make(request) {
    const log = await PublishedLog.open(request, nodeSha256);
    const { query } = request;
    const search = (query.get('q') ?? '').trim();
    const kind = (query.get('kind') ?? '').trim();
    const before = query.get('before') ?? '';
    const end = NUMBER.test(before) ? Math.min(Number(before), log.size) : log.size;
    const listing = await listed(log, end, kind);
    return {
      ...TITLES,
      follows: NAMED_NOUNS.map(([noun]) => noun),
      body: html`<h1>The log</h1>
<p class="lead">Everything that this service has ever published, one entry after another. Nothing can be changed or removed without everybody seeing it: each entry names the hash of the one before it, and the signed checkpoint below names them all.</p>
${checkpointFacts(log)}
${searchForm(search, kind)}
${search !== '' && searchResult(await found(search, request, log))}
<h2>Entries</h2>
${entryTable(listing.entries)}
${pager(listing, end, log.size, kind)}`,
    };
  },
};

const TITLES: Pick<PageView, 'title' | 'description' | 'canonical'> = {
  title: 'The log',
  description:
    'Every entry that this service has published, with its hash, and the signed checkpoint.',
  canonical: '/log',
};

async function listed(log: PublishedLog, end: number, kind: string): Promise<Listing> {
  if (kind === '') {
    const entries = await log.entries(end - SHOWN, end);
    return { entries: entries.toReversed(), older: end > SHOWN ? end - SHOWN : undefined };
  }
  const entries: ServedEntry[] = [];
  const first = Math.max(end - MOST_SEARCHED, 0);
  for (let seq = end - 1; seq >= first; seq -= 1) {
    const served = await log.entry(seq);
    if (served === undefined || nounOf(served.entry.kind) !== kind) continue;
    entries.push(served);
    if (entries.length === SHOWN) return { entries, older: seq };
  }
  return { entries, older: first > 0 ? first : undefined };
}

function checkpointFacts({ checkpoint, note }: PublishedLog): Html {
  const signers = note.signatures
    .map(({ name }) => name)
    .filter((name) => name !== checkpoint.origin);
  return html`<dl class="facts"><dt>Name (origin)</dt><dd>${checkpoint.origin}</dd>
<dt>Entries</dt><dd>${live('size', grouped(String(checkpoint.size)))}</dd>
<dt>Root of the tree</dt><dd><code>${live('root', formatBase64(checkpoint.root))}</code></dd>
<dt>Seen by witnesses</dt><dd>${live('witnesses', signers.length === 0 ? 'none' : signers.join(', '))}</dd>
<dt>As a file</dt><dd><a href="/checkpoint">checkpoint</a> (C2SP), and tiles below it</dd></dl>`;
}

function searchForm(search: string, kind: string): Html {
  return html`<form action="/log" method="get" role="search"><label for="q">Find an entry by its number, a day (2026-07-25), the hash of a report, Close or checkpoint, an index or an asset</label>
<p><input id="q" name="q" value="${search}" maxlength="80" autocomplete="off" spellcheck="false"> <button>Find</button></p></form>
<form action="/log" method="get"><label for="kind">Show entries of one kind</label>
<p><select id="kind" name="kind"><option value="">all kinds</option>${NAMED_NOUNS.map(
    ([noun, text]) =>
      html`<option value="${noun}"${noun === kind && html` selected`}>${text}</option>`,
  )}</select> <button>Show</button></p></form>`;
}

/** Looks up a search by what its text can be. */
async function found(search: string, { ask }: PageRequest, log: PublishedLog): Promise<Found> {
  if (NUMBER.test(search)) {
    const seq = Number(search);
    if (seq < log.size)
      return { text: 'That is an entry.', links: [[`/log/${seq}`, `Entry ${grouped(search)}`]] };
    return { text: `The log has ${grouped(String(log.size))} entries, from 0 on.`, links: [] };
  }
  if (isDate(search)) return foundDay(search, log);
  const hash = search.toLowerCase();
  if (HASH.test(hash)) return foundHash(hash, ask, log);
  const name = encodeURIComponent(search);
  const [index, asset] = await Promise.all([
    ask<{ readonly slug: string; readonly ticker: string }>(`/v1/indices/${name}`),
    ask<{ readonly symbol: string }>(`/v1/asset/${name}`),
  ]);
  const links: (readonly [string, string])[] = [];
  if (index.body !== undefined)
    links.push([`/i/${index.body.slug}`, `The index ${index.body.ticker}`]);
  if (asset.body !== undefined)
    links.push([`/a/${asset.body.symbol}`, `The asset ${asset.body.symbol}`]);
  if (links.length > 0) return { text: 'That is a name in the log.', links };
  return { text: 'Nothing was found by that name.', links: [] };
}

async function foundDay(date: string, log: PublishedLog): Promise<Found> {
  const first = await log.firstAt(`${date}T00:00:00Z`);
  const after = await log.firstAt(`${date}T24:00:00Z`);
  const served = await log.entry(first);
  if (served === undefined || !served.entry.at.startsWith(date)) {
    return { text: `No entry was written on ${date}.`, links: [] };
  }
  return {
    text: `On ${date} the log had ${grouped(String(after - first))} new entries.`,
    links: [
      [`/log/${first}`, `The first, entry ${grouped(String(first))}`],
      [`/log?before=${after}`, 'All of them, the newest first'],
    ],
  };
}

/** A hash that the log stamps, or the leaf hash of one of its newest entries. */
async function foundHash(hash: string, ask: PageRequest['ask'], log: PublishedLog): Promise<Found> {
  const proof = await ask<{ readonly stamps: { readonly of: string; readonly seq: number } }>(
    `/v1/proof/${hash}`,
  );
  if (proof.body !== undefined) {
    const { of, seq } = proof.body.stamps;
    return {
      text: `That is the hash of a ${of}.`,
      links: [
        [`/log/${seq}`, `Entry ${grouped(String(seq))}`],
        [`/v1/proof/${hash}`, 'Its proof in Bitcoin'],
      ],
    };
  }
  const newest = await log.entries(log.size - MOST_SEARCHED, log.size);
  const leaf = newest.find((each) => formatHex(each.leaf) === hash);
  if (leaf === undefined) {
    return {
      text: `No report, Close or stamped checkpoint has that hash, and none of the newest ${grouped(String(MOST_SEARCHED))} entries is that leaf.`,
      links: [],
    };
  }
  const { seq } = leaf.entry;
  return {
    text: 'That is a leaf hash.',
    links: [[`/log/${seq}`, `Entry ${grouped(String(seq))}`]],
  };
}

function searchResult({ text, links }: Found): Html {
  return html`<section aria-label="What was found"><p role="status"><strong>${text}</strong></p>${
    links.length > 0 &&
    html`<ul>${links.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}</ul>`
  }</section>`;
}

function entryTable(entries: readonly ServedEntry[]): Html {
  if (entries.length === 0) return html`<p class="dim">None of these entries is of that kind.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Entries"><table><thead><tr><th scope="col" class="figure">Number</th><th scope="col">Time it claims</th><th scope="col">What it is</th><th scope="col">About</th><th scope="col">Leaf hash</th></tr></thead>
<tbody>${entries.map(
    (served) =>
      html`<tr><td class="figure"><a href="/log/${served.entry.seq}">${grouped(String(served.entry.seq))}</a></td><td>${moment(served.entry.at)}</td><td>${kindText(served.entry.kind)}</td><td>${aboutText(served.entry)}</td><td><code>${short(formatHex(served.leaf))}</code></td></tr>`,
  )}</tbody></table></div>`;
}

function pager({ entries, older }: Listing, end: number, size: number, kind: string): Html {
  const query = kind === '' ? '' : `&kind=${encodeURIComponent(kind)}`;
  const shown = entries.length === SHOWN || older === undefined;
  return html`<p>${end < size && html`<a href="/log${kind !== '' && `?kind=${encodeURIComponent(kind)}`}">Newest entries</a>`}${end < size && older !== undefined && ' · '}${
    older !== undefined &&
    html`<a href="/log?before=${older}${query}" rel="next">${shown ? 'Older entries' : `Search entries before ${grouped(String(older))}`}</a>`
  }</p>`;
}
