import { contentHash, type HashHex, hashHex as toHex, type Sha256 } from '../hash/hash.ts';
import { parseSourceRequest, type SourceRequest } from '../source/request.ts';
import {
  array,
  hashHex,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';
import { formatWire, parseWire } from '../wire/wire.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { MAX_PAGE_BYTES } from '../limits.ts';
import { type Retain, RETAINS } from '../rule/rule.ts';

/** One answer of a source. */
export interface Page {
  /** HTTP status. */
  readonly status: number;
  readonly sha256: HashHex;
  readonly length: number;
  readonly content_type: string | null;
}

/**
 * What was asked of a source and what it answered, by hash. The times of reading are in the report, so that two readers
 * of the same bytes have the same manifest. Its address is `sha256(canonical manifest)`.
 */
export interface Snapshot {
  readonly type: 'assay-snapshot/1';
  readonly provider: string;
  /** As sent, with secrets left as `{secret:NAME}`. */
  readonly request: SourceRequest;
  readonly pages: readonly Page[];
  /**
   * The program that took text from the pages; null where the rule reads the bytes themselves, or where no text could
   * be taken.
   */
  readonly extractor: Extractor | null;
  readonly retain: Retain;
}

export interface Extractor {
  readonly name: string;
  readonly version: string;
  readonly text_sha256: HashHex;
}

const parseShape: Parse<Snapshot> = object<Snapshot>({
  type: literal('assay-snapshot/1'),
  provider: string(1, 64),
  request: parseSourceRequest,
  pages: array(
    object<Page>({
      status: integer(100, 599),
      sha256: hashHex,
      length: integer(0, MAX_PAGE_BYTES),
      content_type: nullable(string(0, 256)),
    }),
    1,
    10_000,
  ),
  extractor: nullable(
    object<Extractor>({ name: string(1, 64), version: string(1, 64), text_sha256: hashHex }),
  ),
  retain: oneOf(RETAINS),
});

export function formatSnapshot(snapshot: Snapshot): Uint8Array {
  return formatWire(snapshot);
}

/** Throws `not_canonical` or `malformed`, and the errors of `work`. */
export function parseSnapshot(bytes: Uint8Array, work: WorkBudget = NO_LIMIT): Snapshot {
  return parseShape(parseWire(bytes, work), 'snapshot');
}

/** The manifest's address. */
export function snapshotHash(sha256: Sha256, snapshot: Snapshot): HashHex {
  return toHex(contentHash(sha256, formatSnapshot(snapshot)));
}

/** What the log stores in addition to a manifest, by the source's terms: the pages and the text. */
export function keptBlobs({ retain, pages, extractor }: Snapshot): readonly HashHex[] {
  if (retain !== 'bytes') return [];
  const hashes = pages.map(({ sha256 }) => sha256);
  return extractor === null ? hashes : [...hashes, extractor.text_sha256];
}
