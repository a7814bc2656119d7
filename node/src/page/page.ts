import type { ApiAnswer } from '../call/api-caller.ts';
import type { AssetName, Assets } from './asset.ts';
import type { Html } from './html.ts';

/** The answer of a route: its status, and its body as the route's schema has it where the status is 200. */
export interface Asked<Body> extends Pick<ApiAnswer, 'status'> {
  /** Undefined unless the status is 200. */
  readonly body: Body | undefined;
  /** The sentence of the problem that stands in place of the body. */
  readonly detail: string | undefined;
  /** The whole problem; a void period has its signed report inside. */
  readonly problem?: Readonly<Record<string, unknown>> | undefined;
}

/** What a page is made of. */
export interface PageRequest {
  /** The decoded names of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The time for which the page is made, in unix seconds, by the clock of the log. */
  readonly now: number;
  /** The address of the service, without a slash at its end; null where the operator has not stated it. */
  readonly publicUrl: string | null;
  /** Where the files are that the page loads later. */
  readonly assets: Assets;
  /** Asks a route of the API, by its path and its query. */
  readonly ask: <Body>(target: string) => Promise<Asked<Body>>;
  /** The bytes that a route answers with, such as a tile of the log. */
  readonly bytes: (target: string) => Promise<Asked<Uint8Array>>;
}

/** What stands on a page. */
export interface PageView {
  /** The title of the window, without the name of the service. */
  readonly title: string;
  /** One or two sentences for search engines and previews. */
  readonly description: string;
  /** The path under which the page is to be known. */
  readonly canonical: string;
  readonly body: Html;
  /** The status of HTTP that it is served with; 200 without it. */
  readonly status?: number;
  /** The code that it needs beyond what each page has. */
  readonly scripts?: readonly AssetName[];
  /** The nouns of the entries after which its live texts are asked for again. */
  readonly follows?: readonly string[];
  /** The path of its picture in previews; without one it is that of the service. */
  readonly image?: string;
  /** Feeds and other forms of the same content. */
  readonly alternates?: readonly Alternate[];
}

/** Another form of what stands on a page. */
export interface Alternate {
  readonly type: string;
  readonly href: string;
  readonly title: string;
}

/** That there is no such page, and why. */
export interface MissingPage {
  readonly missing: string;
}

/** That the answers of a page cannot be had now. It is shown as a page with the status of the answer. */
export class PageFailure extends Error {
  override readonly name = 'PageFailure';
  readonly status: number;

  /** `detail` is a sentence for a reader. */
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** The body of an answer. Throws PageFailure where there is none. */
export function bodyOf<Body>({ status, body, detail }: Asked<Body>): Body {
  if (body !== undefined) return body;
  throw new PageFailure(status, detail ?? 'The service gave no answer to show here.');
}

/** A page that people look at. */
export interface Page {
  /** The pattern of its path, which may be that of a JSON route. */
  readonly path: string;
  /** The addresses at which it stands, where its pattern has names: for the site map. */
  readonly addresses?: (ask: PageRequest['ask']) => Promise<readonly string[]>;
  /** Makes the page of answers of the API. */
  readonly make: (request: PageRequest) => Promise<PageView | MissingPage>;
}
