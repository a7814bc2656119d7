import { currentRule } from '@assay/core/answer/index';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { JSON_TYPE, TEXT_TYPE } from '../../http/reply.ts';
import { represent, type Representation, representation } from '../../http/representation.ts';
import type { ApiReply, ApiRequest } from '../../http/request.ts';
import { route, type Route } from '../../http/route.ts';
import { DOCS_CSP, docsPage, type ListedIndex } from './docs-page.ts';
import { llmsText } from './llms-text.ts';
import { asyncDocument } from '../events/async-document.ts';
import { openApiDocument } from './openapi.ts';
import { getAsyncApi, getDocs, getLlms, getOpenApi } from '../operation/service-operations.ts';

const REVALIDATE = 'public, no-cache';
const HTML_TYPE = 'text/html; charset=utf-8';

/** Names of the host that the page is made for, each once: a page takes a tenth of a second, and a client may send any name. */
const MAX_PAGES = 4;
/** Stands for the address of the service in the page of all other names. */
const ANY_ADDRESS = 'https://the.host.of.this.page';

/** The address that a request was sent to; undefined for what is no host name, for the client chose it. */
function addressOf(host: string | undefined): string | undefined {
  const isName =
    host !== undefined &&
    /^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$|^\[[0-9a-f:]{2,39}\](:\d{1,5})?$/.test(host);
  return isName ? `http://${host.toLowerCase()}` : undefined;
}

/** What describes the routes: the document itself, and the texts that are made of it. */
interface Described {
  readonly document: ReturnType<typeof openApiDocument>;
  readonly openApi: Representation;
  readonly llms: Representation;
}

/**
 * The routes that describe `others` and themselves. Each text is made once, when somebody first asks for one of them:
 * the document takes a fifth of a second, which a start need not wait for. The page is made anew when the list of
 * indexes changes, is searched by `searchScript`, and names `publicUrl`, or else the host that was asked, if it is one of the first few.
 */
export function documentRoutes(
  others: readonly Route[],
  indices: () => readonly ListedIndex[],
  publicUrl: string | null = null,
  searchScript?: string,
): readonly Route[] {
  const fixed =
    (make: () => Representation) =>
    (request: ApiRequest): ApiReply =>
      represent(request, make());
  let made: Described | undefined;
  let asyncApi: Representation | undefined;
  const described = (): Described => (made ??= describe([...others, ...own]));
  const pages = new Map<string, Representation>();
  let listed = '';

  const shownPage = (request: ApiRequest): ApiReply => {
    const list = indices();
    const key = JSON.stringify(list);
    if (key !== listed) pages.clear();
    listed = key;
    const asked = publicUrl ?? addressOf(request.header('host')) ?? ANY_ADDRESS;
    const isKept = pages.has(asked) || pages.size < MAX_PAGES;
    const base = isKept ? asked : ANY_ADDRESS;
    const page =
      pages.get(base) ??
      representation({
        contentType: HTML_TYPE,
        body: docsPage(described().document, list, base, searchScript),
        cacheControl: REVALIDATE,
        headers: [
          ['content-location', '/docs'],
          ['content-security-policy', DOCS_CSP],
          ['referrer-policy', 'no-referrer'],
        ],
      });
    pages.set(base, page);
    return represent(request, page);
  };
  const own: readonly Route[] = [
    route(
      'GET',
      '/openapi.json',
      fixed(() => described().openApi),
      { operation: getOpenApi },
    ),
    route(
      'GET',
      '/asyncapi.json',
      fixed(() => (asyncApi ??= asyncApiShown())),
      { operation: getAsyncApi },
    ),
    route('GET', '/docs', shownPage, { operation: getDocs }),
    route(
      'GET',
      '/llms.txt',
      fixed(() => described().llms),
      { unversioned: true, operation: getLlms },
    ),
  ];
  return own;
}

function asyncApiShown(): Representation {
  const body = JSON.stringify(asyncDocument());
  return representation({ contentType: JSON_TYPE, body, cacheControl: REVALIDATE });
}

function describe(routes: readonly Route[]): Described {
  const document = openApiDocument(routes);
  const openApi = representation({
    contentType: JSON_TYPE,
    body: JSON.stringify(document),
    cacheControl: REVALIDATE,
  });
  const llms = representation({
    contentType: TEXT_TYPE,
    body: llmsText(document),
    cacheControl: REVALIDATE,
  });
  return { document, openApi, llms };
}

const CADENCES = { week_ending_saturday: 'weekly', utc_day: 'daily', month: 'monthly' } as const;

/** The indexes of the log, for the page. */
export function listedIndices(state: ViewState): readonly ListedIndex[] {
  return tickers(state).map((ticker) => {
    const { rule } = currentRule(state, ticker);
    const { display, title, unit, period } = rule;
    return { ticker: display, title, unit, cadence: CADENCES[period] };
  });
}
