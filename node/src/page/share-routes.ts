import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { formatTime } from '@assay/core/time/time';
import { problem } from '../http/problem.ts';
import { NO_STORE, TEXT_TYPE, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import { askerOf } from './ask.ts';
import { brokenBadge, numberBadge } from './badge.ts';
import { numberCard, serviceCard } from './card.ts';
import { html } from './html.ts';
import type { Page } from './page.ts';
import type { PageServerParts } from './page-server.ts';

const SVG_TYPE = 'image/svg+xml';
const PNG_TYPE = 'image/png';
const XML_TYPE = 'application/xml; charset=utf-8';
const BADGE_AGE = 'public, max-age=300';
const BADGE_SUFFIX = '.svg';
const CARD_SUFFIX = '.png';
/** The most addresses of a site map (sitemaps.org, 0.9). */
const MOST_ADDRESSES = 50_000;

/** Nothing in the image may load or run anything, wherever it is opened. Other sites may show it. */
const BADGE_HEADERS = [
  ['content-security-policy', "default-src 'none'"],
  ['cross-origin-resource-policy', 'cross-origin'],
] as const;

type ShareParts = Pick<
  PageServerParts,
  'table' | 'publicUrl' | 'network' | 'now' | 'version' | 'cards'
>;

/**
 * What others show and search engines read: the badge of each number, its card in previews of links, the site map, and
 * `robots.txt`.
 */
export function shareRoutes(parts: ShareParts, pages: readonly Page[]): readonly Route[] {
  const options = { unversioned: true, isPage: true } as const;
  return [
    route('GET', '/badge/:file', (request) => badge(request, parts), options),
    route('GET', '/card/:file', (request) => card(request, parts), options),
    route('GET', '/card.png', (request) => ownCard(request, parts), options),
    route('GET', '/sitemap.xml', (request) => siteMap(request, parts, pages), options),
    route('GET', '/robots.txt', () => robots(parts), options),
  ];
}

async function badge(
  request: ApiRequest<'file'>,
  { table, publicUrl }: ShareParts,
): Promise<ApiReply> {
  const { file } = request.params;
  const { ask } = askerOf(table, request, publicUrl);
  const { status, body } = await ask<readonly LightIndexPayload[]>('/v1/indices?view=light');
  if (body === undefined) {
    const headers = BADGE_HEADERS;
    return whole(SVG_TYPE, brokenBadge(), { status, cacheControl: NO_STORE, headers });
  }
  const index = named(body, file, BADGE_SUFFIX);
  if (index === undefined) {
    return problem(request, 'not_found', {
      detail: 'A badge is named by an index and .svg, such as /badge/TICKER.svg.',
    });
  }
  return whole(SVG_TYPE, numberBadge(index), { cacheControl: BADGE_AGE, headers: BADGE_HEADERS });
}

/** The index whose ticker or slug is the name of a file. */
function named(
  indices: readonly LightIndexPayload[],
  file: string,
  suffix: string,
): LightIndexPayload | undefined {
  if (!file.endsWith(suffix)) return undefined;
  const name = file.toLowerCase().slice(0, -suffix.length);
  return indices.find(({ ticker, slug }) => ticker.toLowerCase() === name || slug === name);
}

async function card(request: ApiRequest<'file'>, parts: ShareParts): Promise<ApiReply> {
  const { table, publicUrl, cards, version, now } = parts;
  if (publicUrl === null) return unnamed(request);
  const { ask } = askerOf(table, request, publicUrl);
  const { body } = await ask<readonly LightIndexPayload[]>('/v1/indices?view=light');
  if (body === undefined) {
    const detail = 'The picture of a number cannot be drawn now.';
    return problem(request, 'unavailable', { detail });
  }
  const index = named(body, request.params.file, CARD_SUFFIX);
  if (index === undefined) {
    return problem(request, 'not_found', {
      detail: 'A card is named by an index and .png, such as /card/TICKER.png.',
    });
  }
  const facts = { index, at: formatTime(now()), host: new URL(publicUrl).host };
  const png = await cards.png(index.ticker, version(), () => numberCard(facts));
  return cardReply(request, png);
}

async function ownCard(request: ApiRequest, parts: ShareParts): Promise<ApiReply> {
  const { publicUrl, cards, network } = parts;
  if (publicUrl === null) return unnamed(request);
  const isDevelopment = network() === 'development';
  const svg = (): string => serviceCard(isDevelopment, new URL(publicUrl).host);
  return cardReply(request, await cards.png('', String(isDevelopment), svg));
}

function cardReply(request: ApiRequest, png: Uint8Array<ArrayBuffer> | undefined): ApiReply {
  if (png === undefined) {
    const detail = 'This installation draws no pictures: the optional package for it is missing.';
    return problem(request, 'not_found', { detail });
  }
  return whole(PNG_TYPE, png, { cacheControl: BADGE_AGE, headers: BADGE_HEADERS });
}

/** What names whole addresses is not there where the operator has not stated that of the service. */
function unnamed(request: ApiRequest): ApiReply {
  const detail =
    'The operator has not stated the address of this service, which a site map and a picture for previews name.';
  return problem(request, 'not_found', { detail });
}

async function siteMap(
  request: ApiRequest,
  { table, publicUrl }: ShareParts,
  pages: readonly Page[],
): Promise<ApiReply> {
  if (publicUrl === null) return unnamed(request);
  const { ask } = askerOf(table, request, publicUrl);
  const paths: string[] = [];
  for (const { path, addresses } of pages) {
    if (path.includes(':')) paths.push(...((await addresses?.(ask)) ?? []));
    else paths.push(path);
  }
  const urls = [...paths, '/docs']
    .slice(0, MOST_ADDRESSES)
    .map((path) => html`<url><loc>${publicUrl}${path}</loc></url>`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${
    html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`.text
  }\n`;
  return whole(XML_TYPE, body, { cacheControl: BADGE_AGE });
}

/** Search engines are to show no number of a development network (RFC 9309). */
function robots({ publicUrl, network }: ShareParts): ApiReply {
  const lines =
    network() === 'development'
      ? ['User-agent: *', 'Disallow: /']
      : [
          'User-agent: *',
          'Disallow: /v1/',
          'Disallow: /blob/',
          'Disallow: /tile/',
          'Disallow: /live',
        ];
  if (publicUrl !== null) lines.push('', `Sitemap: ${publicUrl}/sitemap.xml`);
  return whole(TEXT_TYPE, `${lines.join('\n')}\n`, { cacheControl: BADGE_AGE });
}
