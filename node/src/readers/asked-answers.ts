import { represent, type Representation, representation } from '../http/representation.ts';
import type { ApiReply, ApiRequest, WholeReply } from '../http/request.ts';
import { whole } from '../http/reply.ts';
import { headerOf, keptHeaders, writerAway } from './passing.ts';
import { bodyOf, type WriterClient } from './writer-client.ts';

/** Milliseconds for which an answer of the publisher is given to everybody who asks for the same. */
const FRESH_MS = 1000;
/** Milliseconds for which it is still given where the publisher cannot be reached: until a restart is over. */
const STALE_MS = 10_000;
/** The answers that are kept, and the longest of them. */
const MOST_KEPT = 2000;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_KEPT_BYTES = 64 * 1024 * 1024;
/** A target that is longer is asked for each time. */
const LONGEST = 1000;

interface Asked {
  readonly at: number;
  readonly answer: Promise<Kept>;
  bytes: number;
}

type Kept =
  | { readonly kind: 'shown'; readonly shown: Representation }
  | { readonly kind: 'other'; readonly reply: WholeReply };

/**
 * Answers of the publisher that are the same for everybody: the board, the standings. Whatever number of clients asks,
 * the publisher is asked once a second for each of them. While it is away, what it said last is given for some seconds.
 */
export class AskedAnswers {
  readonly #client: WriterClient;
  readonly #now: () => number;
  readonly #asked = new Map<string, Asked>();
  #bytes = 0;

  /** `now` is milliseconds of a clock without steps. */
  constructor(client: WriterClient, now: () => number = () => performance.now()) {
    this.#client = client;
    this.#now = now;
  }

  async answer(request: ApiRequest): Promise<ApiReply> {
    const { path, query } = request;
    const target = query === '' ? path : `${path}?${query}`;
    // The answer of a route may be another for what the client accepts.
    const accept = (request.header('accept') ?? '').slice(0, 200);
    const name = `${target}\n${accept}`;
    const known = this.#asked.get(name);
    if (known !== undefined && this.#now() - known.at < FRESH_MS) {
      return known.answer.then(
        (kept) => replyOf(request, kept),
        () => this.#older(request, known),
      );
    }
    const asked = { at: this.#now(), answer: this.#ask(target, accept, known), bytes: name.length };
    if (name.length <= LONGEST) this.#keep(name, asked, known);
    try {
      return replyOf(request, await asked.answer);
    } catch {
      return this.#older(request, known);
    }
  }

  async #older(request: ApiRequest, known: Asked | undefined): Promise<ApiReply> {
    if (known === undefined || this.#now() - known.at >= STALE_MS) return writerAway(request);
    return known.answer.then(
      (kept) => replyOf(request, kept),
      () => writerAway(request),
    );
  }

  async #ask(target: string, accept: string, former: Asked | undefined): Promise<Kept> {
    const answer = await this.#client.send({
      method: 'GET',
      target,
      headers: accept === '' ? {} : { accept },
    });
    const body = await bodyOf(answer, MOST_BYTES);
    const contentType = headerOf(answer, 'content-type') ?? 'application/octet-stream';
    const cacheControl = headerOf(answer, 'cache-control') ?? 'no-store';
    const headers = keptHeaders(answer);
    const { status } = answer;
    // It has an ETag where the publisher's has one, and the same, for it follows from the body.
    if (status !== 200 || headerOf(answer, 'etag') === undefined) {
      return { kind: 'other', reply: whole(contentType, body, { status, cacheControl, headers }) };
    }
    const own = headers.filter(([name, value]) => name !== 'etag' && !isCodingVary(name, value));
    const shown = representation({ contentType, body, cacheControl, headers: own });
    // The same bytes as before keep the codings that were made of them.
    const before = await former?.answer.catch(() => undefined);
    const isSame =
      before?.kind === 'shown' &&
      before.shown.etag === shown.etag &&
      JSON.stringify(before.shown.headers) === JSON.stringify(shown.headers);
    return isSame ? before : { kind: 'shown', shown };
  }

  #keep(name: string, asked: Asked, former: Asked | undefined): void {
    this.#asked.delete(name);
    this.#bytes -= former?.bytes ?? 0;
    this.#asked.set(name, asked);
    this.#bytes += asked.bytes;
    asked.answer.then(
      (kept) => {
        if (this.#asked.get(name) !== asked) return;
        const { length } = kept.kind === 'shown' ? kept.shown.body : kept.reply.body;
        asked.bytes += length;
        this.#bytes += length;
        this.#trim();
      },
      () => {
        if (this.#asked.get(name) !== asked) return;
        this.#drop(name, asked);
        // What was said before the publisher went away is given until it is too old.
        if (former !== undefined && this.#now() - former.at < STALE_MS) {
          this.#asked.set(name, former);
          this.#bytes += former.bytes;
        }
      },
    );
    this.#trim();
  }

  #trim(): void {
    for (const [name, each] of this.#asked) {
      if (this.#asked.size <= MOST_KEPT && this.#bytes <= MOST_KEPT_BYTES) return;
      this.#drop(name, each);
    }
  }

  #drop(name: string, { bytes }: Asked): void {
    this.#asked.delete(name);
    this.#bytes -= bytes;
  }
}

function replyOf(request: ApiRequest, kept: Kept): ApiReply {
  return kept.kind === 'shown' ? represent(request, kept.shown) : kept.reply;
}

function isCodingVary(name: string, value: string): boolean {
  return name === 'vary' && value.toLowerCase() === 'accept-encoding';
}
