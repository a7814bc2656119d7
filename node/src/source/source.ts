import type { SourceRequest } from '@assay/core/source/request';

/** One answer of a source: its decoded body, whatever its status is. The rule decides what it is worth. */
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
  /** The milliseconds for a read that takes more than one request; undefined if the source sets no limit. */
  readonly readMs?: number;
  /**
   * The answer of the source to a request whose variables, but not its secrets, are filled in: all pages of its
   * list, in order. It never throws because of a source; it throws the signal's reason once the caller has
   * aborted.
   */
  readonly read: (
    request: SourceRequest,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<SourceAnswer>;
  /**
   * The name of a secret of the request that occurs in what was extracted from its answer; undefined if none
   * does. A source without secrets need not have it.
   */
  readonly repeated?: (request: SourceRequest, bytes: Uint8Array) => string | undefined;
}
