import type { Answer, LogReader } from '../reader/log-reader.ts';

/** Bytes of answers that are kept. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Paths that name what they lead to: the bytes there never change while the log is the same. */
const NAMING = /^\/(tile|blob)\//;

interface Kept {
  readonly answer: Promise<Answer>;
  bytes: number;
}

/** A log's server whose tiles and blobs are asked for once, as far as there is room: what was not used for longest goes first. */
export class KeptFiles implements LogReader {
  readonly live: boolean;
  readonly #server: LogReader;
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(server: LogReader, maxBytes: number = MAX_BYTES) {
    this.live = server.live;
    this.#server = server;
    this.#maxBytes = maxBytes;
  }

  readonly get = (path: string): Promise<Answer> => {
    if (!NAMING.test(path)) return this.#server.get(path);
    const known = this.#kept.get(path);
    if (known !== undefined) {
      this.#kept.delete(path);
      this.#kept.set(path, known);
      return known.answer;
    }
    const asked: Kept = { answer: this.#server.get(path), bytes: 0 };
    this.#kept.set(path, asked);
    asked.answer.then(
      ({ status, body }) =>
        status === 200 ? this.#count(path, asked, body.length) : this.#drop(path, asked),
      () => this.#drop(path, asked),
    );
    return asked.answer;
  };

  /** Forgets everything: one of the answers may be what made a proof fail. */
  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #count(path: string, asked: Kept, bytes: number): void {
    if (this.#kept.get(path) !== asked) return;
    asked.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest, kept);
    }
  }

  #drop(path: string, asked: Kept): void {
    if (this.#kept.get(path) !== asked) return;
    this.#kept.delete(path);
    this.#bytes -= asked.bytes;
  }
}
