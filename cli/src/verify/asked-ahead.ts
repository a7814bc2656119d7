import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';

/** How many of its requests may be under way: fewer than a reader begins at a host of files, so that a walk has room beside. */
const AT_ONCE = 48;
/** Bytes of answers that nobody has asked for yet, beyond which no more are asked for ahead. */
const MOST_BYTES = 134_217_728;
/** How many paths are remembered. */
const MOST_PATHS = 20_000;

/** What has a place of its own among what is kept, and what says how far the log goes: none of it is asked for ahead. */
const OF_THE_LOG = /^\/(?:checkpoint$|closing-head\/|tile\/|pack\/|blob\/)/;

/**
 * Asks for the answers that an earlier visit asked for, while the walk is still reading what that visit has learned, so that
 * the way there and back is not waited for afterwards. Each answer is of this visit, from its host, and is handed out once.
 */
export class AskedAhead {
  readonly #from: LogReader;
  readonly #asked = new Set<string>();
  readonly #held = new Map<string, Promise<Answer | undefined>>();
  #bytes = 0;
  #isOver = false;

  constructor(from: LogReader) {
    this.#from = from;
  }

  /** What was asked for through `reader`, without the parts of the log itself. */
  get asked(): readonly string[] {
    return [...this.#asked];
  }

  /** The same log, of which some answers may be here already. */
  get reader(): LogReader {
    return { ...this.#from, get: (path) => this.#get(path) };
  }

  /** Begins to ask. Call it once the checkpoint is known: what is read after that is not older. */
  begin(paths: readonly string[]): void {
    let next = 0;
    const ask = async (): Promise<void> => {
      while (next < paths.length && !this.#isOver && this.#bytes < MOST_BYTES) {
        const path = paths[next] as string;
        next += 1;
        if (OF_THE_LOG.test(path) || this.#asked.has(path) || this.#held.has(path)) continue;
        // Whoever needs it asks again, and gets the error.
        const answer = this.#from.get(path).catch(() => undefined);
        this.#held.set(path, answer);
        const found = await answer;
        if (found === undefined) this.#isOver = true;
        else if (this.#held.has(path)) this.#bytes += found.body.length;
      }
    };
    for (let i = 0; i < AT_ONCE; i += 1) void ask();
  }

  /** Nothing more is asked for ahead. */
  end(): void {
    this.#isOver = true;
    this.#held.clear();
  }

  async #get(path: string): Promise<Answer> {
    if (!OF_THE_LOG.test(path) && this.#asked.size < MOST_PATHS) this.#asked.add(path);
    const ahead = this.#held.get(path);
    if (ahead === undefined) return this.#from.get(path);
    const found = await ahead;
    if (this.#held.delete(path) && found !== undefined) {
      this.#bytes = Math.max(0, this.#bytes - found.body.length);
      return found;
    }
    return this.#from.get(path);
  }
}
