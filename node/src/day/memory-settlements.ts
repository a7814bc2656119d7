import { type MirrorReader, requireMirrorPath, SettlementFolder } from './settlement-mirror.ts';

/** The files of a node's own mirror in memory, for temporary logs. */
export class MemorySettlements extends SettlementFolder {
  readonly #files = new Map<string, Uint8Array>();

  constructor() {
    super('');
  }

  /** Throws `bad_path` as a folder does. */
  override async put(path: string, bytes: Uint8Array): Promise<void> {
    requireMirrorPath(path);
    // A slice of a Buffer would be the same memory.
    this.#files.set(path, new Uint8Array(bytes));
  }

  override readonly read: MirrorReader = async (path) => {
    requireMirrorPath(path);
    const bytes = this.#files.get(path);
    return bytes === undefined ? undefined : new Uint8Array(bytes);
  };
}
