import { Fault } from '@assay/core/fault';
import { type Address, getAddressDecoder } from '@solana/kit';

/**
 * An account of the upgradeable loader, little endian (bincode of its `UpgradeableLoaderState`):
 *
 *     0   4  kind u32: 0 none, 1 buffer, 2 program, 3 program data
 *
 *     buffer        4   1  1 where there is an authority    5  32  authority   37 ...  bytes
 *     program       4  32  address of the program data
 *     program data  4   8  slot u64 of the last deployment
 *                  12   1  1 where there is an authority   13  32  authority   45 ...  bytes
 *
 * The heads are as long without an authority as with one; what stands in its place then has no meaning.
 */
export type LoaderAccount =
  | { readonly kind: 'buffer'; readonly authority: Address | null; readonly bytes: Uint8Array }
  | { readonly kind: 'program'; readonly programData: Address }
  | {
      readonly kind: 'program data';
      readonly deployedAt: bigint;
      readonly authority: Address | null;
      readonly bytes: Uint8Array;
    };

export const BUFFER_HEAD = 37;
export const PROGRAM_LENGTH = 36;
export const PROGRAM_DATA_HEAD = 45;

/**
 * Parses the bytes of an account of the loader. Throws `malformed` for bytes that the loader does not write.
 */
export function parseLoaderAccount(data: Uint8Array): LoaderAccount {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const kind = data.length < 4 ? 0 : view.getUint32(0, true);
  switch (kind) {
    case 1:
      requireHead(data, BUFFER_HEAD);
      return {
        kind: 'buffer',
        authority: authorityAt(data, 4),
        bytes: data.subarray(BUFFER_HEAD),
      };
    case 2:
      requireHead(data, PROGRAM_LENGTH);
      return { kind: 'program', programData: addressAt(data, 4) };
    case 3:
      requireHead(data, PROGRAM_DATA_HEAD);
      return {
        kind: 'program data',
        deployedAt: view.getBigUint64(4, true),
        authority: authorityAt(data, 12),
        bytes: data.subarray(PROGRAM_DATA_HEAD),
      };
    default:
      throw malformed('a buffer, a program or its data', `kind ${kind}`);
  }
}

function requireHead(data: Uint8Array, length: number): void {
  if (data.length < length) throw malformed(`${length} bytes at least`, String(data.length));
}

function authorityAt(data: Uint8Array, at: number): Address | null {
  const some = data[at];
  if (some !== 0 && some !== 1) throw malformed('0 or 1 before the authority', String(some));
  return some === 0 ? null : addressAt(data, at + 1);
}

function addressAt(data: Uint8Array, at: number): Address {
  return getAddressDecoder().decode(data.subarray(at, at + 32));
}

function malformed(expected: string, found: string): Fault {
  return new Fault('malformed', 'loader account', { expected, found });
}
