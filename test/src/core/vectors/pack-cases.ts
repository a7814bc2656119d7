import { createHash } from 'node:crypto';
import { formatHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { toHashHex } from '@assay/core/hash/hash';
import { formatPack, MAX_PACKED_BYTES, type PackedBlob, splitPack } from '@assay/core/log/pack';

function blobOf(text: string): PackedBlob {
  const hash = toHashHex(createHash('sha256').update(text).digest('hex'));
  return { hash, bytes: formatUtf8(text) };
}

const partRow = (
  name: string,
  part: number,
  parts: number,
  texts: readonly string[],
): Record<string, unknown> => ({
  name,
  part,
  parts,
  blobs: texts.map((text) => ({ sha256: blobOf(text).hash, text })),
  hex: formatHex(formatPack({ part, parts, blobs: texts.map(blobOf) })),
});

/** Parts and their bytes, both ways. */
export const PACK_PART_CASES: readonly object[] = [
  partRow('no blobs', 0, 1, []),
  partRow('two blobs, one of them empty', 0, 1, ['{"type":"assay-snapshot/1"}', '']),
  partRow('the last of several parts', 2, 3, ['week,claims\n2026-07-25,218000\n']),
];

const whole = formatHex(formatPack({ part: 0, parts: 1, blobs: [blobOf('a'), blobOf('b')] }));
const header = whole.slice(0, 32);
const [first, second] = [whole.slice(32, 32 + 74), whole.slice(32 + 74)] as const;
const long = (MAX_PACKED_BYTES + 1).toString(16).padStart(8, '0');

/** Bytes that are no part of a pack. */
export const REFUSED_PACK_CASES: readonly object[] = [
  { name: 'no bytes', hex: '', fault: 'bad_length' },
  { name: 'a header that is cut', hex: header.slice(0, 30), fault: 'bad_length' },
  { name: 'another magic', hex: `4153534159504b32${whole.slice(16)}`, fault: 'malformed' },
  {
    name: 'a part beyond the last',
    hex: `${header.slice(0, 16)}00010001${whole.slice(24)}`,
    fault: 'malformed',
  },
  { name: 'no parts', hex: `${header.slice(0, 16)}00000000${whole.slice(24)}`, fault: 'malformed' },
  {
    name: 'too many parts',
    hex: `${header.slice(0, 16)}00000011${whole.slice(24)}`,
    fault: 'malformed',
  },
  {
    name: 'several parts and no blob',
    hex: `${header.slice(0, 16)}0000000200000000`,
    fault: 'malformed',
  },
  { name: 'a blob fewer than it says', hex: header + first, fault: 'malformed' },
  {
    name: 'a blob more than it says',
    hex: `${header.slice(0, 24)}00000001${first}${second}`,
    fault: 'malformed',
  },
  { name: 'a blob twice', hex: header + first + first, fault: 'malformed' },
  { name: 'a blob that is cut', hex: whole.slice(0, -2), fault: 'bad_length' },
  {
    name: 'a record that is cut',
    hex: `${header}${first}${second.slice(0, 40)}`,
    fault: 'bad_length',
  },
  { name: 'a byte more', hex: `${whole}00`, fault: 'bad_length' },
  {
    name: 'a blob that is too long for a pack',
    hex: `${header}${first.slice(0, 64)}${long}00`,
    fault: 'malformed',
  },
];

const MIB = 1_048_576;
const FOUR_OF = Array.from({ length: 5 }, () => MIB);

const splitRow = (name: string, lengths: readonly number[]): Record<string, unknown> => ({
  name,
  lengths,
  parts: splitPack(lengths),
});

/** Which blobs of a bundle are in which part, by their lengths. */
export const PACK_SPLIT_CASES: readonly object[] = [
  splitRow('none', []),
  splitRow('few', [0, 300, 4096]),
  splitRow('the fourth MiB has no room beside three', FOUR_OF),
  splitRow('one that is too long is passed over', [300, MIB + 1, 300]),
  splitRow('a later one does not go back to an earlier part', [MIB, MIB, MIB, MIB, 10]),
  splitRow('what fills a part to its last byte', [MIB, MIB, MIB, MIB - 16 - 4 * 36, 0]),
  splitRow('one byte more', [MIB, MIB, MIB, MIB - 16 - 4 * 36 + 1]),
  splitRow(
    'more than sixteen parts',
    Array.from({ length: 50 }, () => MIB),
  ),
];
