import { whole } from '../../http/reply.ts';
import type { WholeReply } from '../../http/request.ts';

/** A balance, one character for each pixel. */
const PICTURE = [
  '................',
  '.......##.......',
  '.......##.......',
  '..############..',
  '.####..##..####.',
  '.#.#...##...#.#.',
  '.#..#..##..#..#.',
  '#...#..##..#...#',
  '#....#.##.#....#',
  '######.##.######',
  '.####..##..####.',
  '.......##.......',
  '.......##.......',
  '......####......',
  '....########....',
  '................',
] as const;

const SIDE = 16;
const HEADER_BYTES = 6 + 16;
const BITMAP_HEADER_BYTES = 40;
const PALETTE_BYTES = 8;
/** A row is padded to four bytes. */
const ROW_BYTES = 4;
const PLANE_BYTES = SIDE * ROW_BYTES;

/** The icon as a file of Microsoft's format: one image of 16 by 16 pixels with one bit each, dark where the picture is and clear elsewhere. */
export function faviconBytes(): Uint8Array {
  const image = BITMAP_HEADER_BYTES + PALETTE_BYTES + 2 * PLANE_BYTES;
  const bytes = new Uint8Array(HEADER_BYTES + image);
  const view = new DataView(bytes.buffer);
  const u16 = (at: number, value: number): void => view.setUint16(at, value, true);
  const u32 = (at: number, value: number): void => view.setUint32(at, value, true);
  // The directory: an icon, with one image.
  u16(2, 1);
  u16(4, 1);
  bytes.set([SIDE, SIDE, 2], 6);
  u16(10, 1);
  u16(12, 1);
  u32(14, image);
  u32(18, HEADER_BYTES);
  // The header of the bitmap, whose height counts its two planes.
  u32(22, BITMAP_HEADER_BYTES);
  u32(26, SIDE);
  u32(30, 2 * SIDE);
  u16(34, 1);
  u16(36, 1);
  u32(42, 2 * PLANE_BYTES);
  // Two colours, each blue, green, red and a byte that means nothing.
  const palette = HEADER_BYTES + BITMAP_HEADER_BYTES;
  bytes.set([0, 0, 0, 0, 0x6b, 0x3f, 0x1d, 0], palette);
  const colours = palette + PALETTE_BYTES;
  for (const [y, row] of PICTURE.toReversed().entries()) {
    const bits = parseInt(row.replaceAll('.', '0').replaceAll('#', '1'), 2);
    view.setUint16(colours + y * ROW_BYTES, bits);
    view.setUint16(colours + PLANE_BYTES + y * ROW_BYTES, ~bits & 0xff_ff);
  }
  return bytes;
}

function moved(to: string): WholeReply {
  return whole('text/plain; charset=utf-8', '', {
    status: 308,
    cacheControl: 'public, max-age=86400',
    headers: [['location', to]],
  });
}

/** What browsers ask for by themselves, and how people spell an address: answered with GET and HEAD, and in no document. */
export const BROWSER_REPLIES: ReadonlyMap<string, WholeReply> = new Map([
  [
    '/favicon.ico',
    whole('image/vnd.microsoft.icon', faviconBytes(), { cacheControl: 'public, max-age=86400' }),
  ],
  ['/v1', moved('/v1/docs')],
  ['/v1/', moved('/v1/docs')],
  ['/docs/', moved('/docs')],
  ['/v1/docs/', moved('/v1/docs')],
]);
