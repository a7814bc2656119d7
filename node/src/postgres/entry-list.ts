import { Fault } from '@assay/core/fault';

const LENGTH_BYTES = 4;

/** Entries one after the other, each after its length as u32, big endian. */
export function formatEntryList(entries: readonly Uint8Array[]): Uint8Array {
  const length = entries.reduce((sum, each) => sum + LENGTH_BYTES + each.length, 0);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const each of entries) {
    view.setUint32(at, each.length);
    bytes.set(each, at + LENGTH_BYTES);
    at += LENGTH_BYTES + each.length;
  }
  return bytes;
}

/** The entries of a list. Throws `bad_length` unless there are exactly `count` of them, and nothing else. */
export function parseEntryList(bytes: Uint8Array, count: number): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length) {
    const end = at + LENGTH_BYTES + view.getUint32(at);
    if (end > bytes.length) break;
    entries.push(bytes.slice(at + LENGTH_BYTES, end));
    at = end;
  }
  if (at === bytes.length && entries.length === count) return entries;
  throw new Fault('bad_length', 'list of entries', {
    expected: `${count} entries and nothing else`,
    found: `${entries.length} entries, ${bytes.length - at} bytes left`,
  });
}
