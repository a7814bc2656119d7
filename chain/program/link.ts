import { formatExecutable, RODATA_ADDRESS, TEXT_ADDRESS } from './executable.ts';
import { murmur3 } from './murmur3.ts';
import {
  type ObjectFile,
  type ObjectSymbol,
  parseObjectFile,
  type Relocation,
  viewOf,
} from './object-file.ts';
import { requireKnownOpcodes } from './opcodes.ts';

/**
 * What the program may call. `abort` is not among them: the panic handler calls nothing else, so that a
 * program from which a panic can be reached does not link.
 */
const SYSCALLS: ReadonlySet<string> = new Set([
  'sol_curve_group_op',
  'sol_curve_validate_point',
  'sol_get_clock_sysvar',
  'sol_get_rent_sysvar',
  'sol_invoke_signed_c',
  'sol_memcpy_',
  'sol_memmove_',
  'sol_memset_',
  'sol_sha256',
  'sol_try_find_program_address',
]);

/** What the compiler writes of its own accord, with the calls that take the same arguments. */
const LIBRARY: Readonly<Record<string, string>> = {
  memcpy: 'sol_memcpy_',
  memmove: 'sol_memmove_',
  memset: 'sol_memset_',
};

const ENTRYPOINT = 'entrypoint';

const LOAD_ADDRESS = 1; // R_BPF_64_64
const ABSOLUTE = 2; // R_BPF_64_ABS64
const CALL = 10; // R_BPF_64_32

const CALL_OPCODE = 0x85;

export interface Linked {
  readonly executable: Uint8Array;
  /** The system calls that it makes, sorted. */
  readonly syscalls: readonly string[];
}

/** One loaded part, growing. */
interface Part {
  bytes: Uint8Array;
}

/**
 * Links one relocatable BPF object, as `llc -mcpu=v2` writes it, into an sBPF v3 executable. Throws for
 * whatever it does not know: other relocations and instructions, writable data, undefined names.
 */
export function link(object: Uint8Array): Linked {
  const file = parseObjectFile(object);
  // Nothing stands at address 0, so that no reference is null.
  const parts = { rodata: { bytes: new Uint8Array(8) }, text: { bytes: new Uint8Array() } };
  const bases = file.sections.map(({ kind, data }) => append(parts[kind], data));
  const syscalls = new Set<string>();
  for (const [number, { kind, relocations }] of file.sections.entries()) {
    const base = bases[number] ?? 0;
    for (const relocation of relocations) {
      relocate(file, bases, parts[kind].bytes, base, relocation, syscalls);
    }
  }
  append(parts.rodata, new Uint8Array());
  requireKnownOpcodes(parts.text.bytes);
  const entry = file.symbols.find(({ name }) => name === ENTRYPOINT);
  if (entry?.section === undefined || file.sections[entry.section]?.kind !== 'text') {
    throw new Error(`no ${ENTRYPOINT}`);
  }
  const at = (bases[entry.section] ?? 0) + entry.value;
  return {
    executable: formatExecutable(parts.rodata.bytes, parts.text.bytes, at),
    syscalls: [...syscalls].sort(),
  };
}

/** Appends `data` at the next multiple of 8 and returns that place. */
function append(part: Part, data: Uint8Array): number {
  const base = part.bytes.length + (-part.bytes.length & 7);
  const whole = new Uint8Array(base + data.length);
  whole.set(part.bytes);
  whole.set(data, base);
  part.bytes = whole;
  return base;
}

function relocate(
  file: ObjectFile,
  bases: readonly number[],
  bytes: Uint8Array,
  base: number,
  { at: offset, type, symbol }: Relocation,
  syscalls: Set<string>,
): void {
  const at = base + offset;
  const view = viewOf(bytes);
  switch (type) {
    case CALL: {
      if (view.getUint8(at) !== CALL_OPCODE) throw new Error(`a call at ${at} that is none`);
      if (symbol.section === undefined) {
        const name = LIBRARY[symbol.name] ?? symbol.name;
        if (!SYSCALLS.has(name)) throw new Error(`a call of ${symbol.name}`);
        syscalls.add(name);
        view.setUint8(at + 1, 0x00);
        view.setUint32(at + 4, murmur3(name), true);
        return;
      }
      // Calls count instructions from the next one; a section's own symbol carries where to in the call.
      const inside = symbol.isSection ? (view.getInt32(at + 4, true) + 1) * 8 : 0;
      const target = (bases[symbol.section] ?? 0) + symbol.value + inside;
      if (file.sections[symbol.section]?.kind !== 'text')
        throw new Error(`a call of data at ${at}`);
      view.setUint8(at + 1, 0x10);
      view.setInt32(at + 4, (target - at) / 8 - 1, true);
      return;
    }
    case LOAD_ADDRESS: {
      const added =
        BigInt(view.getUint32(at + 4, true)) | (BigInt(view.getUint32(at + 12, true)) << 32n);
      const address = addressOf(file, bases, symbol) + added;
      view.setUint8(at + 1, view.getUint8(at + 1) & 0x0f);
      view.setUint32(at + 4, Number(address & 0xffff_ffffn), true);
      view.setUint32(at + 12, Number(address >> 32n), true);
      return;
    }
    case ABSOLUTE:
      view.setBigUint64(at, addressOf(file, bases, symbol) + view.getBigUint64(at, true), true);
      return;
    default:
      throw new Error(`a relocation of type ${type} at ${at}`);
  }
}

function addressOf(file: ObjectFile, bases: readonly number[], symbol: ObjectSymbol): bigint {
  if (symbol.section === undefined) throw new Error(`${symbol.name || 'a symbol'} is not defined`);
  const start = file.sections[symbol.section]?.kind === 'text' ? TEXT_ADDRESS : RODATA_ADDRESS;
  return start + BigInt((bases[symbol.section] ?? 0) + symbol.value);
}
