import type { HashHex } from '@assay/core/hash';
import { hashHex, integer, object, type Parse } from '@assay/core/schema';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire';

/** What the database itself says it holds; the signed form of it stands in the head guard. */
export interface Head {
  readonly size: number;
  readonly root: HashHex;
}

const parseShape: Parse<Head> = object<Head>({
  size: integer(1, Number.MAX_SAFE_INTEGER),
  root: hashHex,
});

export function formatHead(head: Head): Uint8Array {
  return formatWire(head as unknown as WireObject);
}

/** Throws `not_canonical` or `malformed`. */
export function parseHead(bytes: Uint8Array): Head {
  return parseShape(parseWire(bytes), 'head');
}
