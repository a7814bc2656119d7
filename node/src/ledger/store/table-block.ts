import { LevelBytes } from './level-bytes.ts';

/** What follows each user key in a table: the kind of the row and its sequence number, little endian. */
const MARK = 8;
const DELETION = 0;
const VALUE = 1;

/**
 * Whether LevelDB can iterate over the rows of a data block (`doc/table_format.md`) without aborting: each ends
 * inside the block, has a complete key of a known kind, and comes after the one before it; and each restart
 * point is a row with a complete key. The contents of the rows are not checked.
 */
export function isWalkable(block: Uint8Array): boolean {
  try {
    walk(block);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function walk(block: Uint8Array): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const restarts = view.getUint32(block.length - 4, true);
  const end = block.length - 4 * (restarts + 1);
  if (restarts < 1 || end < 0) throw new RangeError('a block without restart points');
  const rows = new LevelBytes(block.subarray(0, end));
  const whole = new Set<number>();
  let last: Uint8Array | undefined;
  while (!rows.isAtEnd) {
    const { at } = rows;
    const [shared, rest, length] = [rows.varint(), rows.varint(), rows.varint()];
    if (shared > (last?.length ?? 0)) throw new RangeError('a key that shares too much');
    const key = new Uint8Array(shared + rest);
    if (last !== undefined) key.set(last.subarray(0, shared));
    key.set(rows.take(rest), shared);
    rows.take(length);
    const kind = key[key.length - MARK];
    if (kind !== DELETION && kind !== VALUE) throw new RangeError('a key without its mark');
    if (last !== undefined && compareKeys(last, key) >= 0) throw new RangeError('keys in disorder');
    if (shared === 0) whole.add(at);
    last = key;
  }
  for (let i = 0; i < restarts; i += 1) {
    const at = view.getUint32(end + 4 * i, true);
    if (at !== end && !whole.has(at)) throw new RangeError('a restart point inside of a row');
  }
}

/** The order of a table: by user key, and of one key the newest first. */
function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const order = Buffer.compare(a.subarray(0, -MARK), b.subarray(0, -MARK));
  if (order !== 0) return order;
  const [first, second] = [markOf(a), markOf(b)];
  return first > second ? -1 : first < second ? 1 : 0;
}

function markOf(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset + key.length - MARK, MARK).getBigUint64(0, true);
}
