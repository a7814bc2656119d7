import { nextRequest, readMark } from '@assay/core/rule/paging';
import type { SourceRequest } from '@assay/core/source/request';
import type { Clock } from '../../platform/clock.ts';
import type { Source, SourceAnswer, SourcePage } from '../../source/source.ts';
import { hostOf, type Site } from './site.ts';

/** A source without a network: each host is a function of the request and the time. */
export class SiteSource implements Source {
  readonly #sites: ReadonlyMap<string, Site>;
  readonly #now: Clock;

  constructor(sites: ReadonlyMap<string, Site>, now: Clock) {
    this.#sites = sites;
    this.#now = now;
  }

  readonly read = async (
    request: SourceRequest,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<SourceAnswer> => {
    signal?.throwIfAborted();
    const site = this.#sites.get(hostOf(request));
    if (site === undefined) {
      return { kind: 'failed', reason: 'unreachable', detail: 'not a development source' };
    }
    return { kind: 'pages', pages: pagesOf(request, site, this.#now()) };
  };
}

/** All pages of a list, requested one after the other as the rule says. */
function pagesOf(request: SourceRequest, site: Site, now: number): readonly SourcePage[] {
  const { paging } = request;
  const most = paging.kind === 'none' ? 1 : paging.max_pages;
  const pages: SourcePage[] = [];
  let turn: SourceRequest | undefined = request;
  while (turn !== undefined && pages.length < most) {
    const { status = 200, contentType, body, next } = site(turn, now);
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    pages.push({ status, contentType, bytes });
    if (status !== 200) return pages;
    const mark = readMark(paging, bytes);
    if (mark.last) return pages;
    const link: SourceRequest | undefined =
      next === undefined ? undefined : { ...request, url: next };
    turn = nextRequest(request, pages.length, mark) ?? link;
  }
  return pages;
}
