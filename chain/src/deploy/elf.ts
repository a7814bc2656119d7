/**
 * The length of the file that begins with an ELF, from its own headers; undefined for bytes that are no ELF or
 * an incomplete one. Programs on Solana are ELF64, little endian (gABI 4.1, chapter 4):
 *
 *      0   4  7f 45 4c 46        4   1  2: 64 bit          5   1  1: little endian
 *     32   8  where the program headers begin             40   8  the same of the section headers
 *     54   2  bytes of a program header                   56   2  how many
 *     58   2  bytes of a section header                   60   2  how many
 *
 *     program header   8   8  where the segment begins    32   8  its bytes in the file
 *     section header   4   4  type; 8: none in the file   24   8  where it begins    32   8  its bytes
 */
export function elfLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER || MAGIC.some((each, i) => bytes[i] !== each)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const segments = tableAt(view, { from: 32, size: 54, least: 56 });
  const sections = tableAt(view, { from: 40, size: 58, least: 64 });
  if (segments === undefined || sections === undefined) return undefined;
  const ends = [
    HEADER,
    segments.end,
    sections.end,
    ...segments.places.map((at) => endOf(view, at + 8, at + 32)),
    ...sections.places
      .filter((at) => view.getUint32(at + 4, true) !== NO_BITS)
      .map((at) => endOf(view, at + 24, at + 32)),
  ];
  const end = Math.max(...ends);
  return end <= bytes.length ? end : undefined;
}

const HEADER = 64;
const MAGIC = [0x7f, 0x45, 0x4c, 0x46, 2, 1] as const;
const NO_BITS = 8;

/** Returns where the headers of a table begin and end; undefined if the table is incomplete. */
function tableAt(
  view: DataView,
  { from, size, least }: { readonly from: number; readonly size: number; readonly least: number },
): { readonly places: readonly number[]; readonly end: number } | undefined {
  const count = view.getUint16(size + 2, true);
  if (count === 0) return { places: [], end: 0 };
  const step = view.getUint16(size, true);
  const begin = Number(view.getBigUint64(from, true));
  const end = begin + step * count;
  if (step < least || end > view.byteLength) return undefined;
  return { places: Array.from({ length: count }, (_, i) => begin + step * i), end };
}

function endOf(view: DataView, begin: number, size: number): number {
  return Number(view.getBigUint64(begin, true)) + Number(view.getBigUint64(size, true));
}
