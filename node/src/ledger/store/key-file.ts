import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { Sha256 } from '@assay/core/hash/hash';
import { LevelBytes } from './level-bytes.ts';
import { SortedKeys } from './sorted-keys.ts';

const MAGIC = new TextEncoder().encode('assay-keys/1\n');
const [BLOCKS, KEYS] = [1, 2];
const HASH_BYTES = 32;
/** The length and the hash in front of a record. */
const HEADER = 4 + HASH_BYTES;
/** What a record says of a head that it does not know. */
const NO_HEAD = new Uint8Array(HASH_BYTES);
/** How many bytes are appended before the file is written anew. */
const MOST_APPENDED = 16 * 1024 * 1024;
/** How few are left as they are when a database is closed. */
const FEW_APPENDED = 64 * 1024;

/**
 * The keys of view rows in a file beside their database, so that a start need not read the rows for them. It is no part
 * of the log: where it is missing or does not fit, the keys are read from the database.
 *
 *     assay-keys/1 0x0a record*
 *     record: length u32be, SHA-256 of the body, body
 *     body:   0x01 head blocks    once, at the beginning: blocks of sorted keys, each as varint(count) varint(length) bytes
 *             0x02 head keys      what a commit added: each key as varint(length) UTF-8
 *     head:   SHA-256 of the head row of the database after that, or zeros
 *
 * A record is appended before its commit, and never synced. The file is believed as far as its records have their
 * hashes, and only if one of them has the head that the database has: then every key of the database is in it. Keys
 * that it has beyond those belong to no row, which whoever reads the row sees. A power failure may take records away;
 * then no record has that head.
 */
export class KeyFile {
  readonly #sha256: Sha256;
  readonly #path: string;
  #file: number | undefined;
  #appended = 0;

  private constructor(sha256: Sha256, path: string) {
    this.#sha256 = sha256;
    this.#path = path;
  }

  /** The keys of a database with this head; undefined if the file does not have them. */
  static read(
    sha256: Sha256,
    path: string,
    head: Uint8Array,
  ): { readonly keys: SortedKeys; readonly file: KeyFile } | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      return undefined;
    }
    if (!equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) return undefined;
    const expected = sha256(head);
    const added: Uint8Array[] = [];
    let blocks: Uint8Array | undefined;
    let isKnown = false;
    for (let at = MAGIC.length; at < bytes.length;) {
      const body = bodyAt(sha256, bytes, at);
      // What follows a record that was torn could not be read the next time either.
      if (body === undefined) return undefined;
      at += HEADER + body.length;
      const rest = body.subarray(1 + HASH_BYTES);
      if (blocks === undefined && body[0] === BLOCKS) blocks = rest;
      else if (blocks !== undefined && body[0] === KEYS) added.push(rest);
      else return undefined;
      isKnown ||= equalBytes(body.subarray(1, 1 + HASH_BYTES), expected);
    }
    if (blocks === undefined || !isKnown) return undefined;
    const keys = SortedKeys.ofBlocks(blocksIn(blocks));
    const file = new KeyFile(sha256, path);
    for (const each of added) {
      file.#appended += HEADER + 1 + HASH_BYTES + each.length;
      const texts = new LevelBytes(each);
      while (!texts.isAtEnd) keys.add(Buffer.from(texts.string()).toString('utf8'));
    }
    return { keys, file };
  }

  /** Writes the file anew. `head` is that of the database, if it has one that all keys belong to. */
  static make(
    sha256: Sha256,
    path: string,
    keys: SortedKeys,
    head: Uint8Array | undefined,
  ): KeyFile {
    const file = new KeyFile(sha256, path);
    file.#write(keys, head);
    return file;
  }

  /** Takes the keys that a commit adds to `all`, before the commit. `head` is what the database then has. */
  add(keys: readonly string[], all: SortedKeys, head: Uint8Array | null): void {
    if (this.#appended > MOST_APPENDED) this.#write(all, undefined);
    const parts: Uint8Array[] = [];
    for (const key of keys) {
      const bytes = Buffer.from(key, 'utf8');
      parts.push(varint(bytes.length), bytes);
    }
    const record = this.#record(KEYS, head ?? undefined, parts);
    this.#file ??= openSync(this.#path, 'a', 0o600);
    writeAll(this.#file, record);
    this.#appended += record.length;
  }

  /** Closes it. `all` and `head` are those of the database, for a file to which much was appended. */
  close(all: SortedKeys, head: Uint8Array | undefined): void {
    if (this.#appended > FEW_APPENDED) this.#write(all, head);
    this.#shut();
  }

  /** Removes it, because the rows become others. */
  remove(): void {
    this.#shut();
    KeyFile.remove(this.#path);
  }

  static remove(path: string): void {
    rmSync(path, { force: true });
  }

  #write(keys: SortedKeys, head: Uint8Array | undefined): void {
    this.#shut();
    const parts: Uint8Array[] = [];
    for (const { count, bytes } of keys.blocks()) {
      parts.push(varint(count), varint(bytes.length), bytes);
    }
    const temporary = `${this.#path}.new`;
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeAll(file, MAGIC);
      writeAll(file, this.#record(BLOCKS, head, parts));
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.#path);
    this.#appended = 0;
  }

  #record(type: number, head: Uint8Array | undefined, parts: readonly Uint8Array[]): Uint8Array {
    const known = head === undefined ? NO_HEAD : this.#sha256(head);
    const body = Buffer.concat([Uint8Array.of(type), known, ...parts]);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, body.length);
    return Buffer.concat([length, this.#sha256(body), body]);
  }

  #shut(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** The body of the record at `at`; undefined if it does not have its hash. */
function bodyAt(sha256: Sha256, bytes: Buffer, at: number): Uint8Array | undefined {
  if (at + HEADER > bytes.length) return undefined;
  const start = at + HEADER;
  const end = start + bytes.readUInt32BE(at);
  if (end > bytes.length || end - start < 1 + HASH_BYTES) return undefined;
  const body = bytes.subarray(start, end);
  return equalBytes(sha256(body), bytes.subarray(at + 4, start)) ? body : undefined;
}

function* blocksIn(
  bytes: Uint8Array,
): Generator<{ readonly count: number; readonly bytes: Uint8Array }> {
  const rest = new LevelBytes(bytes);
  while (!rest.isAtEnd) {
    const count = rest.varint();
    yield { count, bytes: Uint8Array.prototype.slice.call(rest.string()) };
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left >>>= 7) bytes.push((left & 0x7f) | 0x80);
  bytes.push(left);
  return Uint8Array.from(bytes);
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}
