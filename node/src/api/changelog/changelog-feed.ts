import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatUuid8 } from '@assay/core/bytes/uuid';
import { logRow } from '@assay/core/view/log';
import { eventRow } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import type { ScoreEventPayload } from '../../terminal/answer/score-events.ts';
import type { Ship } from './ships.ts';

export const FEED_PATH = '/changelog.atom';
const ATOM_TYPE = 'application/atom+xml';
const XML_TYPE = 'text/xml';

/**
 * The type of a feed for who sends that header Accept (RFC 9110, 12.5.1): XML for a client that names it, and does not name Atom. Some
 * generators of clients know no other type of XML.
 */
export function feedType(accept: string | undefined): string {
  const named = (type: string): boolean =>
    (accept ?? '').split(',').some((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
      return name === type && !parameters.some((each) => /^q=0(\.0*)?$/.test(each));
    });
  const type = named(XML_TYPE) && !named(ATOM_TYPE) ? XML_TYPE : ATOM_TYPE;
  return `${type}; charset=utf-8`;
}

/** What a feed is made of. */
export interface FeedParts {
  readonly ships: readonly Ship[];
  readonly events: readonly ScoreEventPayload[];
  /** Undefined where the record cannot be read. */
  readonly state: ViewState | undefined;
  readonly sha256: Sha256;
  /** The service's address, without a slash at its end; null where the operator has named none. */
  readonly publicUrl: string | null;
}

interface Item {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly updated: string;
  readonly href: string;
}

/** What an empty feed was updated at: a feed has to have a time (RFC 4287, 4.2.15). */
const NEVER = '1970-01-01T00:00:00Z';

/** The changelog as an Atom feed (RFC 4287), newest first. It changes only with what it lists. */
export function changelogFeed({ ships, events, state, sha256, publicUrl }: FeedParts): string {
  const base = `${publicUrl ?? ''}/v1`;
  const log = (state && logRow(state)?.log) ?? 'none';
  const items: readonly Item[] = [
    ...ships.map(({ date, pr, title, summary }) => ({
      // The note is the same wherever the software runs.
      id: idOf(sha256, String(pr)),
      title,
      summary,
      updated: `${date}T00:00:00Z`,
      href: `${base}/changelog`,
    })),
    ...events.map((event) => ({
      // An event is one item: its closing changes it. Other logs have an event of the same asset and time under the same id.
      id: idOf(sha256, `${log}/event/${event.id}`),
      title: `${event.symbol}: event ${event.kind}`,
      summary: `${event.name}: the Activity score was ${event.score_at_open} when the event opened at ${event.opened_at}; its peak ${event.kind === 'open' ? 'so far is' : 'was'} ${event.peak_score}.`,
      updated: (state && eventRow(state, event.id)?.close?.body.closed_at) ?? event.opened_at,
      href: `${base}/asset/${event.symbol}`,
    })),
  ].sort((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0));
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${idOf(sha256, `${log}/0`)}</id>
  <title>Assay: changelog</title>
  <updated>${items[0]?.updated ?? NEVER}</updated>
  <author><name>Assay</name></author>
  <link rel="self" type="application/atom+xml" href="${escape(publicUrl ?? '')}/v1${FEED_PATH}"/>
  <link rel="alternate" type="application/json" href="${escape(base)}/changelog"/>
${items.map(entryOf).join('')}</feed>
`;
}

function entryOf({ id, title, summary, updated, href }: Item): string {
  return `  <entry>
    <id>${escape(id)}</id>
    <title>${escape(title)}</title>
    <updated>${updated}</updated>
    <link rel="alternate" href="${escape(href)}"/>
    <summary>${escape(summary)}</summary>
  </entry>
`;
}

/** The id of what has a name: a UUID that stays the same, whatever the host is (RFC 4287, 4.2.6). */
function idOf(sha256: Sha256, name: string): string {
  const hash = sha256(formatUtf8(`assay/changelog/${name}`));
  return `urn:uuid:${formatUuid8(hash.subarray(0, 16))}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text of XML 1.0: what no document may hold is left out. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"]/g, (each) => ESCAPES[each] ?? each);
}
