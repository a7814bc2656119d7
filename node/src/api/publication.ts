import type { ChangedTables, LogRecord } from '../ledger/record.ts';
import type { Sha256 } from '@assay/core/hash/hash';
import { foldedAnswer, type FoldedAnswer } from '@assay/core/answer/answer';
import {
  type FoldedLog,
  type FoldedRoute,
  formatFolded,
  type Given,
} from '@assay/core/answer/routes';
import type { SortedTree } from '@assay/core/completeness/sorted-tree';
import type { IndexRow } from '@assay/core/view/completeness';
import { IndexFold } from '@assay/core/view/completeness-fold';
import { type HeaderBlock, headerBlock, type HeaderList } from '../http/header.ts';
import { PROBLEM_TYPE } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import { represent, type Representation, representation } from '../http/representation.ts';
import type { ApiReply, ApiRequest, WholeReply } from '../http/request.ts';
import { AnswerCache, type Ready } from './answer-cache.ts';

/** The header with the size of the log that a folded answer is for. */
export const LOG_SIZE_HEADER = 'assay-log-size';

/** A cache may store an answer, but must ask each time whether it is still valid. */
const REVALIDATE = 'public, no-cache';
export const CSV_TYPE = 'text/csv; charset=utf-8';
/** The bytes of all answers that are cached (64 MiB). */
const MAX_READY = 64 * 1024 ** 2;

/**
 * The published state as answers. Each is serialised once for the record, or whatever else it is made from, and
 * served from memory until that changes.
 */
export class Publication {
  /** Every answer that is kept ready, whatever it rests on. */
  readonly cache: AnswerCache = new AnswerCache(MAX_READY);
  readonly #ledger: LogRecord;
  readonly #sha256: Sha256;
  #fold: IndexFold | undefined;
  #changes = 0;
  #version = 'record 0';
  #sizeBlock: HeaderBlock;

  constructor(ledger: LogRecord, sha256: Sha256) {
    this.#ledger = ledger;
    this.#sha256 = sha256;
    this.#sizeBlock = sizeBlock(ledger.published?.size ?? 0);
  }

  /** Called at each publication, with the tables that changed. */
  changed(size: number, tables: ChangedTables): void {
    this.#sizeBlock = sizeBlock(size);
    if (tables !== 'all' && tables.size === 0) return;
    this.#changes += 1;
    this.#version = `record ${this.#changes}`;
  }

  /** Whether there is a record to read. */
  get readable(): boolean {
    return this.#ledger.published !== undefined;
  }

  /** Another for each record whose rows differ. */
  get version(): string {
    return this.#version;
  }

  /** What was asked of a route, as the log spells it; undefined where the log has no such thing. */
  parse({ parse }: FoldedRoute, given: Given): Given | undefined {
    return parse === undefined ? given : parse(this.#ledger.shown, given);
  }

  /** The answer of a folded route, kept under the path that was asked for; undefined where the log has none. */
  folded(
    request: Pick<ApiRequest, 'header' | 'path' | 'query' | 'params'>,
    route: FoldedRoute,
    parameters: Given,
  ): ApiReply | undefined {
    const { path, query, params } = request;
    const name = route.query === undefined || query === '' ? path : `${path}?${query}`;
    const ready =
      this.cache.get(name, this.#version) ??
      this.#prepare(name, route, { ...params, ...parameters });
    return ready && this.reply(request, ready);
  }

  /** An answer with the size of the log that it stands for. */
  reply(request: Pick<ApiRequest, 'header'>, ready: Ready): ApiReply {
    return 'kind' in ready ? this.stamped(ready) : represent(request, ready, this.#sizeBlock);
  }

  /** A problem with the size of the log that it stands for. */
  stamped(reply: WholeReply): WholeReply {
    return { ...reply, blocks: [...reply.blocks, this.#sizeBlock] };
  }

  #prepare(name: string, route: FoldedRoute, asked: Given): Ready | undefined {
    const given = this.parse(route, asked);
    if (given === undefined) return undefined;
    // Other spellings of a path share what is made for it.
    const path = formatFolded(route, given);
    const known = this.cache.get(path, this.#version);
    const answer = known === undefined ? foldedAnswer(this.#log, route, given) : undefined;
    const ready = known ?? (answer && prepare(answer));
    if (ready === undefined) return undefined;
    if (known === undefined) this.cache.keep(path, this.#version, ready);
    if (name !== path) this.cache.keepSpelling(name, this.#version, path);
    return ready;
  }

  get #log(): FoldedLog {
    return {
      state: this.#ledger.shown,
      sha256: this.#sha256,
      printsOf: (row) => this.#printsOf(row),
    };
  }

  /** The published log only grows, and so does its newest index entry. What is new in it is added once. */
  #printsOf({ size }: IndexRow): SortedTree {
    this.#fold ??= new IndexFold(this.#sha256);
    if (this.#fold.size < size) this.#fold.at(this.#ledger.shown, size);
    return this.#fold.prints;
  }
}

function sizeBlock(size: number): HeaderBlock {
  return headerBlock([[LOG_SIZE_HEADER, String(size)]]);
}

function prepare({ status, contentType, body, path, next }: FoldedAnswer): Ready {
  if (status === 404) return whole(PROBLEM_TYPE, body, { status, cacheControl: NO_STORE });
  if (contentType !== 'text/csv') return jsonShown(body, next);
  return fileShown(CSV_TYPE, body, `assay-${path.split('/').slice(-2).join('-')}`);
}

/** JSON that a client must revalidate each time. `next` is the query of the page that follows. */
export function jsonShown(body: Uint8Array | string, next?: string): Representation {
  const headers = nextLink(next);
  return representation({ contentType: JSON_TYPE, body, cacheControl: REVALIDATE, headers });
}

/**
 * The link to the page that follows (RFC 8288). It has a query alone, which resolves against the address that was asked
 * for (RFC 3986, section 5.2.2), whatever stands before the path there.
 */
function nextLink(next: string | undefined): HeaderList {
  return next === undefined ? [] : [['link', `<?${next}>; rel="next"`]];
}

/** The same of a file, to be kept under a name. */
export function fileShown(
  contentType: string,
  body: Uint8Array | string,
  name: string,
  next?: string,
): Representation {
  return representation({
    contentType,
    body,
    cacheControl: REVALIDATE,
    headers: [['content-disposition', `attachment; filename="${name}"`], ...nextLink(next)],
  });
}
