import { concatBytes } from '@assay/core/bytes/bytes';
import { formatUtf8 } from '@assay/core/bytes/utf8';

/** Parts of a relocatable ELF file, as the compiler would write it. */
export interface ObjectParts {
  readonly machine?: number;
  readonly text: readonly Uint8Array[];
  readonly rodata?: Uint8Array;
  /** Section flags of the data: 2 loaded, 3 loaded and writable. */
  readonly rodataFlags?: number;
  /** Place in the text, type, and the symbol by name. */
  readonly relocations?: readonly (readonly [number, number, string])[];
  /** Name, section (1 text, 2 data, 0 elsewhere) and value. */
  readonly symbols?: readonly (readonly [string, number, number])[];
}

/** One instruction of 8 bytes. */
export function op(opcode: number, registers = 0, offset = 0, immediate = 0): Uint8Array {
  const out = new Uint8Array(8);
  const view = new DataView(out.buffer);
  out[0] = opcode;
  out[1] = registers;
  view.setInt16(2, offset, true);
  view.setInt32(4, immediate, true);
  return out;
}

export const EXIT: Uint8Array = op(0x95);

/** The file: null, text, data, relocations of the text, symbols, names. */
export function objectFile(parts: ObjectParts): Uint8Array {
  const symbols = [['', 0, 0] as const, ...(parts.symbols ?? [['entrypoint', 1, 0] as const])];
  const names = concatBytes(...symbols.map(([name]) => formatUtf8(`${name}\0`)));
  let at = 0;
  const table = symbols.map(([name, section, value], i) => {
    const out = new Uint8Array(24);
    const view = new DataView(out.buffer);
    view.setUint32(0, at, true);
    out[4] = i === 0 ? 0 : 0x12;
    view.setUint16(6, section, true);
    view.setBigUint64(8, BigInt(value), true);
    at += name.length + 1;
    return out;
  });
  const relocations = (parts.relocations ?? []).map(([place, type, name]) => {
    const out = new Uint8Array(16);
    const view = new DataView(out.buffer);
    view.setBigUint64(0, BigInt(place), true);
    view.setUint32(8, type, true);
    view.setUint32(
      12,
      symbols.findIndex(([each]) => each === name),
      true,
    );
    return out;
  });
  // Type, flags, bytes, link, info.
  const sections = [
    [0, 0, new Uint8Array(), 0, 0],
    [1, 6, concatBytes(...parts.text), 0, 0],
    [1, parts.rodataFlags ?? 2, parts.rodata ?? new Uint8Array(), 0, 0],
    [9, 0, concatBytes(...relocations), 4, 1],
    [2, 0, concatBytes(...table), 5, 1],
    [3, 0, names, 0, 0],
  ] as const;
  const bodies = sections.map(([, , bytes]) => bytes);
  const end = 64 + bodies.reduce((sum, { length }) => sum + length, 0);
  const head = new Uint8Array(64);
  const view = new DataView(head.buffer);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 1, true);
  view.setUint16(18, parts.machine ?? 247, true);
  view.setBigUint64(40, BigInt(end), true);
  view.setUint16(60, sections.length, true);
  view.setUint16(62, 5, true);
  let offset = 64;
  const headers = sections.map(([type, flags, bytes, linked, info]) => {
    const out = new Uint8Array(64);
    const each = new DataView(out.buffer);
    each.setUint32(4, type, true);
    each.setBigUint64(8, BigInt(flags), true);
    each.setBigUint64(24, BigInt(offset), true);
    each.setBigUint64(32, BigInt(bytes.length), true);
    each.setUint32(40, linked, true);
    each.setUint32(44, info, true);
    offset += bytes.length;
    return out;
  });
  return concatBytes(head, ...bodies, ...headers);
}
