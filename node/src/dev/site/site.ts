import type { SourceRequest } from '@assay/core/source/request';

/** One page of a host of the development network. */
export interface SitePage {
  /** The default is 200. */
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** The next page, as a Link header would name it. */
  readonly next?: string;
}

/** Returns the answer of a host to a request at a time (unix seconds). */
export type Site = (request: SourceRequest, now: number) => SitePage;

export const NOT_FOUND: SitePage = {
  status: 404,
  contentType: 'text/plain',
  body: 'There is no such page.\n',
};

export function jsonPage(value: unknown): SitePage {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}

/** The query of a URL that may hold `{secret:NAME}`. */
export function queryOf({ url }: SourceRequest): URLSearchParams {
  const cut = url.indexOf('?');
  return new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1));
}

/** The path of a URL, with its leading slash. */
export function pathOf({ url }: SourceRequest): string {
  return /^https?:\/\/[^/?#]+([^?#]*)/.exec(url)?.[1] ?? '';
}

export function hostOf({ url }: SourceRequest): string {
  return /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? '';
}
