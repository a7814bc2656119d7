import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { formatLeafProof } from '@assay/core/ots/batch';
import { varuint } from './ots-mutants.ts';
import { numbered } from './ots-world.ts';

/** Files of up to a mebibyte that cost as much as can be had of it. */
export function hostileFiles(): readonly { name: string; bytes: Uint8Array; refused: boolean }[] {
  const end = parseHex('00000000000000000000');
  const head = formatLeafProof(numbered('hostile', 0), [], end).subarray(0, -end.length);
  const file = (...parts: readonly Uint8Array[]): Uint8Array => concatBytes(head, ...parts, end);
  const times = (count: number, part: Uint8Array): Uint8Array => {
    const out = new Uint8Array(count * part.length);
    for (let i = 0; i < count; i += 1) out.set(part, i * part.length);
    return out;
  };
  const big = concatBytes(Uint8Array.of(0xf0), varuint(4064), new Uint8Array(4064));
  const beside = concatBytes(Uint8Array.of(0xff), end);
  const branch = (tag: number): Uint8Array => concatBytes(Uint8Array.of(0xff, tag), end);
  return [
    {
      name: 'attestations by the thousand',
      bytes: file(big, times(49_000, beside)),
      refused: false,
    },
    { name: 'one node too many', bytes: file(times(50_000, beside)), refused: true },
    {
      name: 'long messages by the thousand',
      bytes: file(big, times(24_000, branch(0xf2))),
      refused: true,
    },
    {
      name: 'long messages up to the limit',
      bytes: file(big, times(4_000, branch(0xf2))),
      refused: false,
    },
    {
      name: 'hashes of a long message',
      bytes: file(big, times(24_000, branch(0x67))),
      refused: true,
    },
    { name: 'hexlify by the thousand', bytes: file(times(24_000, branch(0xf3))), refused: false },
    {
      name: 'as deep as the file is long',
      bytes: file(times(1_000_000, Uint8Array.of(0x08))),
      refused: true,
    },
    {
      name: 'forks that never end',
      bytes: concatBytes(head, times(1_000_000, Uint8Array.of(0xff, 0x08))),
      refused: true,
    },
    {
      name: 'forks of forks',
      bytes: concatBytes(head, new Uint8Array(1_000_000).fill(0xff)),
      refused: true,
    },
    {
      name: 'a length beyond all bytes',
      bytes: concatBytes(head, Uint8Array.of(0xf0), varuint(2 ** 53 - 1)),
      refused: true,
    },
    {
      name: 'a number without end',
      bytes: concatBytes(head, Uint8Array.of(0xf0), new Uint8Array(1_000_000).fill(0x80)),
      refused: true,
    },
    { name: 'over a mebibyte', bytes: file(times(100_000, beside)), refused: true },
    { name: 'nothing', bytes: new Uint8Array(0), refused: true },
  ];
}
