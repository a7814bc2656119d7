import type { HeaderList } from '../http/header.ts';
import {
  prepareCoding,
  represent,
  type Representation,
  representation,
} from '../http/representation.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { RouteTable } from '../http/route.ts';
import type { Clock } from '../platform/clock.ts';
import { askerOf } from './ask.ts';
import type { Assets } from './asset.ts';
import type { CardGallery } from './card-gallery.ts';
import { html } from './html.ts';
import { type Alone, documentOf, pagePolicy } from './layout.ts';
import { type Page, PageFailure, type PageRequest, type PageView } from './page.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** What pages are served with. */
export interface PageServerParts {
  /** The routes that the pages ask. */
  readonly table: RouteTable;
  readonly assets: Assets;
  readonly publicUrl: string | null;
  readonly notice: string | null;
  readonly now: Clock;
  /** Another for each state of the record. */
  readonly version: () => string;
  /** The network of the log; null where it cannot be read. */
  readonly network: () => string | null;
  /** The pictures that previews of its pages show. */
  readonly cards: CardGallery;
  /** For a server that has one page alone. */
  readonly alone?: Alone;
}

/** A page as it was made. */
interface Made {
  readonly status: number;
  readonly representation: Representation;
  readonly live: ReadonlyMap<string, string>;
}

interface Kept {
  readonly version: string;
  /** The milliseconds of the process's clock at which it is made again. */
  readonly until: number;
  readonly made: Promise<Made>;
}

/** A page is made at most this often while the record stays, because some of it depends on the time. */
const FRESH_MS = 1000;
/** The pages that are kept. */
const MOST_KEPT = 500;
/** The longest query that a page is kept for. */
const LONGEST = 300;

const PAGE_HEADERS: HeaderList = [
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), geolocation=(), microphone=()'],
];

/**
 * Makes pages of the answers of the API, and serves them. A page that was made is served again for a second, unless the
 * record changes before.
 */
export class PageServer {
  readonly #parts: PageServerParts;
  readonly #headers: HeaderList;
  readonly #kept = new Map<string, Kept>();

  constructor(parts: PageServerParts) {
    this.#parts = parts;
    const policy = pagePolicy(parts.alone?.log ?? null);
    this.#headers = [['content-security-policy', policy], ...PAGE_HEADERS];
  }

  /** The page that a request asks for. `isShared` says that a JSON route has the same path. */
  async answer(page: Page, request: ApiRequest, isShared: boolean): Promise<ApiReply> {
    const { status, representation: shown } = await this.#made(page, request, isShared);
    if (status !== 200) return { ...shown.full, status };
    await prepareCoding(shown, request);
    return represent(request, shown);
  }

  /** The texts of a page that change, by their keys; undefined where the page cannot be made now. */
  async live(
    page: Page,
    request: ApiRequest,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    const { status, live } = await this.#made(page, request, false);
    return status !== 200 && live.size === 0 ? undefined : Object.fromEntries(live);
  }

  #made(page: Page, request: ApiRequest, isShared: boolean): Promise<Made> {
    const { path, query } = request;
    const name = `${isShared ? 'shared ' : ''}${page.path} ${JSON.stringify(request.params)} ${query}`;
    const version = this.#parts.version();
    const known = this.#kept.get(name);
    const now = performance.now();
    if (known !== undefined && known.version === version && now < known.until) return known.made;
    const made = this.#make(page, request, isShared, known);
    if (path.length + query.length > LONGEST) return made;
    this.#kept.delete(name);
    this.#kept.set(name, { version, until: now + FRESH_MS, made });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    // A page that could not be made is not served again. Whoever waits for it is told.
    made.catch(() => this.#kept.delete(name));
    return made;
  }

  async #make(
    page: Page,
    request: ApiRequest,
    isShared: boolean,
    known: Kept | undefined,
  ): Promise<Made> {
    const { assets, publicUrl, notice, network, cards } = this.#parts;
    const { status, view } = await this.#view(page, request);
    const hasCard = status === 200 && publicUrl !== null && (await cards.canDraw());
    const text = documentOf(view, {
      assets,
      publicUrl,
      notice,
      path: page.path,
      isDevelopment: network() === 'development',
      hasCard,
      alone: this.#parts.alone,
    });
    const fresh = representation({
      contentType: HTML_TYPE,
      body: text,
      cacheControl: status === 200 ? 'public, no-cache' : 'no-store',
      headers: [...this.#headers, ...(isShared ? [['vary', 'accept'] as const] : [])],
    });
    // The same bytes as before keep the codings that were made of them.
    const before = await known?.made.catch(() => undefined);
    const isSame = before?.representation.etag === fresh.etag && before.status === status;
    return {
      status,
      representation: isSame ? before.representation : fresh,
      live: view.body.live,
    };
  }

  async #view(
    page: Page,
    request: ApiRequest,
  ): Promise<{ readonly status: number; readonly view: PageView }> {
    try {
      const made = await page.make(this.#pageRequest(request));
      if (!('missing' in made)) return { status: made.status ?? 200, view: made };
      return { status: 404, view: failedView('There is no such page', made.missing) };
    } catch (error) {
      if (!(error instanceof PageFailure)) throw error;
      const { status, message } = error;
      return { status, view: failedView('This page cannot be shown now', message) };
    }
  }

  #pageRequest(request: ApiRequest): PageRequest {
    const { table, publicUrl, assets, now } = this.#parts;
    return {
      params: request.params,
      query: new URLSearchParams(request.query),
      now: now(),
      publicUrl,
      assets,
      ...askerOf(table, request, publicUrl),
    };
  }
}

function failedView(title: string, detail: string): PageView {
  return {
    title,
    description: detail,
    canonical: '/',
    body: html`<h1>${title}</h1>
      <p>${detail}</p>
      <p><a href="/">All numbers</a>, or <a href="/status">how the service is</a>.</p>`,
  };
}
