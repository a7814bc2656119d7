import type { Sha256 } from '@assay/core/hash/hash';
import { answerTo, type FoldedAnswer } from '@assay/core/answer/answer';
import { type HeaderBlock, headerBlock } from '../http/header.ts';
import { PROBLEM_TYPE } from '../http/problem.ts';
import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import { represent, type Representation, representation } from '../http/representation.ts';
import type { ApiReply, ApiRequest, WholeReply } from '../http/request.ts';
import type { LogRecord } from '../ledger/record.ts';

/** Names the log's size that a folded answer stands for. */
export const LOG_SIZE_HEADER = 'assay-log-size';

/** A cache may keep an answer, and asks again each time whether it still holds. */
const REVALIDATE = 'public, no-cache';
const CSV_TYPE = 'text/csv; charset=utf-8';
/** Paths kept ready; a flood of different ones starts over instead of growing. */
const MAX_READY = 10_000;

type Ready =
  | {
      readonly kind: 'found';
      readonly shown: Representation;
      /** Unix seconds from which it no longer stands, whatever the record says. */
      readonly until?: number;
    }
  | { readonly kind: 'problem'; readonly body: Uint8Array };

/**
 * The published state as answers: each is serialised once after the record has changed, and served
 * from memory until it changes again.
 */
export class Publication {
  readonly #ledger: LogRecord;
  readonly #sha256: Sha256;
  readonly #ready = new Map<string, Ready>();
  #sizeBlock: HeaderBlock;

  constructor(ledger: LogRecord, sha256: Sha256) {
    this.#ledger = ledger;
    this.#sha256 = sha256;
    this.#sizeBlock = sizeBlock(ledger.published?.size ?? 0);
  }

  /** To be called at each publication, with the tables that changed. */
  changed(size: number, tables: ReadonlySet<string>): void {
    this.#sizeBlock = sizeBlock(size);
    if (tables.size > 0) this.#ready.clear();
  }

  /** Whether there is a record to read. */
  get readable(): boolean {
    return this.#ledger.published !== undefined;
  }

  /** The folded answer to `path`; undefined where the log has none. */
  reply(request: Pick<ApiRequest, 'header'>, path: string): ApiReply | undefined {
    if (!this.readable) return undefined;
    const ready = this.#ready.get(path) ?? this.#prepare(path);
    if (ready === undefined) return undefined;
    if (ready.kind === 'found') return represent(request, ready.shown, this.#sizeBlock);
    return whole(PROBLEM_TYPE, ready.body, {
      status: 404,
      cacheControl: NO_STORE,
      blocks: [this.#sizeBlock],
    });
  }

  /**
   * An answer that rests on the record and on the node's own settings, made once for each record, and
   * kept until a time (unix seconds).
   */
  made(
    request: Pick<ApiRequest, 'header'>,
    path: string,
    { body, until }: { readonly body: string; readonly until: number },
  ): ApiReply {
    const source = { contentType: JSON_TYPE, body, cacheControl: REVALIDATE };
    const shown = representation(source);
    this.#keep(path, { kind: 'found', shown, until });
    return represent(request, shown, this.#sizeBlock);
  }

  /** What was made for a path and still stands at `now`. */
  kept(request: Pick<ApiRequest, 'header'>, path: string, now: number): ApiReply | undefined {
    const ready = this.#ready.get(path);
    if (ready?.kind !== 'found' || now >= (ready.until ?? Infinity)) return undefined;
    return represent(request, ready.shown, this.#sizeBlock);
  }

  /** A representation with the size of the log that it stands for. */
  represented(request: Pick<ApiRequest, 'header'>, shown: Representation): ApiReply {
    return represent(request, shown, this.#sizeBlock);
  }

  /** An answer of its own with the size of the log that it stands for. */
  stamped(reply: WholeReply): WholeReply {
    return { ...reply, blocks: [...reply.blocks, this.#sizeBlock] };
  }

  #keep(path: string, ready: Ready): void {
    if (this.#ready.size >= MAX_READY) this.#ready.clear();
    this.#ready.set(path, ready);
  }

  #prepare(path: string): Ready | undefined {
    const answer = answerTo(this.#ledger.shown, this.#sha256, path);
    if (answer === undefined) return undefined;
    const ready = prepare(answer);
    this.#keep(path, ready);
    return ready;
  }
}

function sizeBlock(size: number): HeaderBlock {
  return headerBlock([[LOG_SIZE_HEADER, String(size)]]);
}

function prepare({ status, contentType, body, path }: FoldedAnswer): Ready {
  if (status === 404) return { kind: 'problem', body };
  const csv = contentType === 'text/csv';
  const name = `assay-${path.split('/').at(-2) ?? ''}-history.csv`;
  const headers = csv ? ([['content-disposition', `attachment; filename="${name}"`]] as const) : [];
  const shown = representation({
    contentType: csv ? CSV_TYPE : JSON_TYPE,
    body,
    cacheControl: REVALIDATE,
    headers,
  });
  return { kind: 'found', shown };
}
