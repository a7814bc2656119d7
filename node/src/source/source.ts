import type { SourceRequest } from '@assay/core/source/request';

/** One answer of a source: its decoded body, whatever its status. The rule decides what it is worth. */
export interface SourcePage {
  /** HTTP status, 100 to 599. */
  readonly status: number;
  /** The Content-Type header as sent, at most 256 characters of it. */
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
}

export type SourceFailure = 'unreachable' | 'timeout' | 'too_large' | 'redirect_refused';

export type SourceAnswer =
  | { readonly kind: 'pages'; readonly pages: readonly SourcePage[] }
  | { readonly kind: 'failed'; readonly reason: SourceFailure; readonly detail: string };

export interface Source {
  /** Milliseconds of a read that takes more than one request; undefined where the source sets no limit. */
  readonly readMs?: number;
  /**
   * What the source says to a request whose variables are filled in (its secrets are not): all pages of
   * its list, in order. It never throws for what a source does; it throws the signal's reason once the
   * caller has given up.
   */
  readonly read: (
    request: SourceRequest,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<SourceAnswer>;
  /**
   * The name of a secret of the request that stands in what was made of its answer; undefined where none
   * does. A source that knows no secrets has no need of it.
   */
  readonly repeated?: (request: SourceRequest, bytes: Uint8Array) => string | undefined;
}
