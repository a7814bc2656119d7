/** A section of a relocatable ELF file that is loaded. */
export interface Section {
  readonly name: string;
  readonly kind: 'text' | 'rodata';
  readonly data: Uint8Array;
  readonly relocations: readonly Relocation[];
}

export interface Relocation {
  /** Byte in its section. */
  readonly at: number;
  readonly type: number;
  readonly symbol: ObjectSymbol;
}

export interface ObjectSymbol {
  readonly name: string;
  /** The loaded section that it stands in; `undefined` for one that is defined elsewhere. */
  readonly section: number | undefined;
  readonly value: number;
  readonly isSection: boolean;
}

export interface ObjectFile {
  readonly sections: readonly Section[];
  readonly symbols: readonly ObjectSymbol[];
}

const RELOCATABLE = 1;
const EM_BPF = 247;
const SYMBOLS = 2;
const WITH_ADDENDS = 4;
const RELOCATIONS = 9;
const NOTHING = 8;
const WRITE = 1;
const LOAD = 2;
const EXECUTE = 4;
const SYMBOL_IS_SECTION = 3;

interface Header {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly data: Uint8Array;
  readonly link: number;
  readonly info: number;
}

/**
 * The loaded sections of a little-endian 64-bit relocatable ELF file for BPF (System V gABI, chapter 4).
 * Throws for another file, and for a section that would have to be writable.
 */
export function parseObjectFile(bytes: Uint8Array): ObjectFile {
  const view = viewOf(bytes);
  const isBpf =
    view.getUint32(0) === 0x7f454c46 &&
    view.getUint16(4) === 0x0201 &&
    view.getUint16(16, true) === RELOCATABLE &&
    view.getUint16(18, true) === EM_BPF;
  if (!isBpf) throw new Error('not a relocatable BPF object');
  const headers = parseHeaders(bytes);
  const loaded = new Map<number, number>();
  for (const [number, { name, type, flags, data }] of headers.entries()) {
    if ((flags & LOAD) === 0 || (data.length === 0 && type !== NOTHING)) continue;
    if ((flags & WRITE) !== 0 || type === NOTHING) throw new Error(`writable section ${name}`);
    loaded.set(number, loaded.size);
  }
  const symbols = parseSymbols(headers, loaded);
  const sections = [...loaded.keys()].map((number): Section => {
    const { name, flags, data } = headers[number] as Header;
    return {
      name,
      kind: (flags & EXECUTE) !== 0 ? 'text' : 'rodata',
      data,
      relocations: headers
        .filter(({ type, info }) => {
          if (type === WITH_ADDENDS && info === number) throw new Error(`addends for ${name}`);
          return type === RELOCATIONS && info === number;
        })
        .flatMap(({ data: table }) => parseRelocations(table, symbols)),
    };
  });
  return { sections, symbols };
}

function parseHeaders(bytes: Uint8Array): readonly Header[] {
  const view = viewOf(bytes);
  const begin = Number(view.getBigUint64(40, true));
  const names = view.getUint16(62, true);
  const raw = Array.from({ length: view.getUint16(60, true) }, (_, i) => {
    const at = begin + 64 * i;
    const type = view.getUint32(at + 4, true);
    const from = Number(view.getBigUint64(at + 24, true));
    const size = type === NOTHING ? 0 : Number(view.getBigUint64(at + 32, true));
    if (from + size > bytes.length) throw new Error(`section ${i} leaves the file`);
    return {
      nameAt: view.getUint32(at, true),
      type,
      flags: Number(view.getBigUint64(at + 8, true)),
      data: bytes.subarray(from, from + size),
      link: view.getUint32(at + 40, true),
      info: view.getUint32(at + 44, true),
    };
  });
  const table = raw[names]?.data ?? new Uint8Array();
  return raw.map(({ nameAt, ...rest }) => ({ name: textAt(table, nameAt), ...rest }));
}

function parseSymbols(
  headers: readonly Header[],
  loaded: ReadonlyMap<number, number>,
): readonly ObjectSymbol[] {
  const tables = headers.filter(({ type }) => type === SYMBOLS);
  const [table] = tables;
  if (table === undefined || tables.length > 1) throw new Error('not one symbol table');
  const names = headers[table.link]?.data ?? new Uint8Array();
  const view = viewOf(table.data);
  return Array.from({ length: table.data.length / 24 }, (_, i) => {
    const at = 24 * i;
    return {
      name: textAt(names, view.getUint32(at, true)),
      section: loaded.get(view.getUint16(at + 6, true)),
      value: Number(view.getBigUint64(at + 8, true)),
      isSection: (view.getUint8(at + 4) & 15) === SYMBOL_IS_SECTION,
    };
  });
}

function parseRelocations(
  table: Uint8Array,
  symbols: readonly ObjectSymbol[],
): readonly Relocation[] {
  const view = viewOf(table);
  return Array.from({ length: table.length / 16 }, (_, i) => {
    const symbol = symbols[view.getUint32(16 * i + 12, true)];
    if (symbol === undefined) throw new Error(`relocation ${i} has no symbol`);
    return {
      at: Number(view.getBigUint64(16 * i, true)),
      type: view.getUint32(16 * i + 8, true),
      symbol,
    };
  });
}

function textAt(table: Uint8Array, at: number): string {
  return new TextDecoder().decode(table.subarray(at, table.indexOf(0, at)));
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
