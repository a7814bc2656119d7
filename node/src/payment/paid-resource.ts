import type { Operation } from '../http/operation.ts';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';

/** An answer that is sold: nobody gets its bytes before it is paid for, and whoever paid gets exactly these. */
export interface PaidAnswer {
  readonly kind: 'paid';
  /** The exact bytes. They are kept with the payment, so nothing may write to them later. */
  readonly body: Uint8Array;
  readonly contentType: string;
  /**
   * The hash of a leaf of the log, hex: of the entry that the answer shows, or of the newest entry that it follows
   * from. The receipt of the payment names it. Null if the log is empty.
   */
  readonly leafHash: string | null;
  /** The number of that entry; null together with the hash. */
  readonly seq: number | null;
}

/** What can be bought at one path. */
export interface PaidResource {
  /** The pattern of the path, such as `/history/:symbol`. It is also the key of its price. */
  readonly path: string;
  readonly operation: Operation;
  /**
   * What can be refused without making the answer: the problem (400, 404, 503), an answer that is free because there is nothing in it, or
   * undefined where the answer can be made. It is called for every request, before anybody is asked to pay, so it costs no more than a
   * free read may.
   */
  check(request: ApiRequest): Promise<ApiReply | undefined>;
  /**
   * Makes the answer, for a payment that was verified and is not settled yet. What can still fail fails here: a problem reply is
   * sent as it is, and nobody pays for it.
   */
  prepare(request: ApiRequest): Promise<ApiReply | PaidAnswer>;
  /** An answer of the same shape for nothing, which says of itself that it is a sample. */
  sample(request: ApiRequest): ApiReply;
}

/** Whether a request asks for the free sample: `sample=true` in its query. */
export function asksForSample({ query }: Pick<ApiRequest, 'query'>): boolean {
  return new URLSearchParams(query).get('sample') === 'true';
}

/** What a request for something that is not sold gets. */
export function tierClosed(request: ApiRequest): ApiReply {
  return problem(request, 'tier_closed', {
    detail: 'The machine tier is not open yet. Nothing is charged, and no key opens it.',
  });
}
