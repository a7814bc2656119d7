import { concatBytes, equalBytes } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import { contentHash, type HashHex, type Sha256, taggedBytes } from '../hash/hash.ts';
import { hashHex, integer, object, type Parse } from '../wire/schema.ts';
import type { RowsSum } from './rows-root.ts';
import { formatWire, parseWire } from '../wire/wire.ts';

const DIGEST_BYTES = 32;

/**
 * What a log's database states about itself. The head guard has the signed form of size and root.
 *
 *     {"root":"<64 hex>","rows":<n>,"rows_root":"<64 hex>","size":<n>}  canonical JSON
 *     sha256("assay/head/v1" 0x00 || the JSON)                          32 bytes
 */
export interface Head extends RowsSum {
  readonly size: number;
  readonly root: HashHex;
}

const size = integer(1, Number.MAX_SAFE_INTEGER);

const parseShape: Parse<Head> = object<Head>({
  size,
  root: hashHex,
  rows: integer(0, Number.MAX_SAFE_INTEGER),
  rows_root: hashHex,
});

/** A head in the format from before rows had digests. It says nothing of rows, so that whoever reads it derives them. */
export type OlderHead = Pick<Head, 'size' | 'root'>;

const parseOlder: Parse<OlderHead> = object<OlderHead>({ size, root: hashHex });

export function formatHead(sha256: Sha256, head: Head): Uint8Array {
  const wire = formatWire(head);
  return concatBytes(wire, digestOf(sha256, wire));
}

/** Throws `bad_length`, `not_canonical` or `malformed`, and `ledger_corrupt` where the digest is of other bytes. */
export function parseHead(sha256: Sha256, bytes: Uint8Array): Head {
  const end = bytes.length - DIGEST_BYTES;
  if (end < 0) {
    const expected = `at least ${DIGEST_BYTES} bytes`;
    throw new Fault('bad_length', 'head', { expected, found: `${bytes.length}` });
  }
  const wire = bytes.subarray(0, end);
  if (!equalBytes(digestOf(sha256, wire), bytes.subarray(end))) {
    throw new Fault('ledger_corrupt', 'head', { expected: 'bytes that have their digest' });
  }
  return parseShape(parseWire(wire), 'head');
}

export function formatOlderHead({ size: entries, root }: OlderHead): Uint8Array {
  return formatWire({ root, size: entries });
}

/** A head that was written before rows had digests; undefined for anything else. */
export function parseOlderHead(bytes: Uint8Array): OlderHead | undefined {
  try {
    return parseOlder(parseWire(bytes), 'head');
  } catch {
    return undefined;
  }
}

function digestOf(sha256: Sha256, wire: Uint8Array): Uint8Array {
  return contentHash(sha256, taggedBytes('assay/head/v1', wire));
}
