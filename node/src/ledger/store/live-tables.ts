import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maskedCrc32c } from './crc32c.ts';
import { LevelBytes } from './level-bytes.ts';

/** A table that contains rows of a database. */
export interface LiveTable {
  readonly number: number;
  /** Bytes. */
  readonly size: number;
}

/** The bytes of a block of LevelDB's logs (`doc/log_format.md`), and of the header of a record in it. */
const BLOCK = 32_768;
const HEADER = 7;
/** A complete record, and the first, a middle and the last part of one. */
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

/**
 * The tables that the database at `folder` consists of, from the manifest that CURRENT names. Undefined if
 * these cannot be read to their end: LevelDB checks both itself, and refuses what is damaged.
 */
export async function liveTables(folder: string): Promise<readonly LiveTable[] | undefined> {
  try {
    const name = (await readFile(join(folder, 'CURRENT'), 'latin1')).trim();
    if (!/^MANIFEST-[0-9]+$/.test(name)) return undefined;
    const live = new Map<number, LiveTable>();
    for (const edit of logRecords(await readFile(join(folder, name)))) applyEdit(edit, live);
    return [...live.values()];
  } catch {
    return undefined;
  }
}

/** The records of a log. An incomplete one at the end was never written. Throws a RangeError. */
function* logRecords(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let parts: Uint8Array[] = [];
  for (let block = 0; block < bytes.length; block += BLOCK) {
    const blockEnd = Math.min(block + BLOCK, bytes.length);
    let at = block;
    while (at + HEADER <= blockEnd) {
      const length = view.getUint16(at + 4, true);
      const type = bytes[at + 6] as number;
      const end = at + HEADER + length;
      if (type === 0 && length === 0) break;
      if (end > bytes.length) return;
      if (end > blockEnd || maskedCrc32c(bytes, at + 6, end) !== view.getUint32(at, true)) {
        throw new RangeError('a record with another checksum');
      }
      if (type === FULL || type === FIRST) parts = [];
      if (type < 1 || type > 4) throw new RangeError('a record of an unknown type');
      parts.push(bytes.subarray(at + HEADER, end));
      if (type === FULL || type === LAST) yield Buffer.concat(parts);
      else if (type !== FIRST && type !== MIDDLE) return;
      at = end;
    }
  }
}

/** One step of a database's files (`db/version_edit.cc`). Throws a RangeError. */
function applyEdit(edit: Uint8Array, live: Map<number, LiveTable>): void {
  const bytes = new LevelBytes(edit);
  while (!bytes.isAtEnd) {
    const tag = bytes.varint();
    switch (tag) {
      case 1: // comparator
        bytes.string();
        break;
      case 2: // number of the log
      case 3: // number of the next file
      case 4: // last sequence
      case 9: // number of the log before
        bytes.varint();
        break;
      case 5: // where the next compaction of a level begins
        bytes.varint();
        bytes.string();
        break;
      case 6: // a table that is gone
        bytes.varint();
        live.delete(bytes.varint());
        break;
      case 7: {
        bytes.varint();
        const number = bytes.varint();
        live.set(number, { number, size: bytes.varint() });
        bytes.string();
        bytes.string();
        break;
      }
      default:
        throw new RangeError(`tag ${tag}`);
    }
  }
}
