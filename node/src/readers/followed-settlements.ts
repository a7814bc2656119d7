import { Fault } from '@assay/core/fault';
import { bodyOf, type WriterClient } from './writer-client.ts';

/** Milliseconds for which a file is shown again without asking for it. */
const FRESH_MS = 1000;
/** The bytes of the largest file. */
const MOST_BYTES = 16 * 1024 * 1024;

interface Asked {
  readonly at: number;
  readonly body: Promise<Uint8Array | undefined>;
}

/**
 * The settlement files of a publisher, each fetched from it at most once a second while somebody asks for it. Whoever
 * serves them checks each against the Close of the log that names it, so none is kept for longer before it was checked.
 */
export class FollowedSettlements {
  readonly #client: WriterClient;
  readonly #asked = new Map<string, Asked>();

  constructor(client: WriterClient) {
    this.#client = client;
  }

  /** The bytes at a path under `/settlement`; undefined if there are none. Throws what `WriterClient.send` throws. */
  readonly read = (path: string): Promise<Uint8Array | undefined> => {
    const now = performance.now();
    // The oldest are the first.
    for (const [old, { at }] of this.#asked) {
      if (now - at < FRESH_MS) break;
      this.#asked.delete(old);
    }
    const known = this.#asked.get(path);
    if (known !== undefined) return known.body;
    const body = this.#fetch(path);
    const asked = { at: now, body };
    this.#asked.set(path, asked);
    body.catch(() => {
      if (this.#asked.get(path) === asked) this.#asked.delete(path);
    });
    return body;
  };

  async #fetch(path: string): Promise<Uint8Array | undefined> {
    const answer = await this.#client.send({ method: 'GET', target: `/settlement/${path}` });
    const body = await bodyOf(answer, MOST_BYTES);
    if (answer.status === 200) return body;
    if (answer.status === 404) return undefined;
    throw new Fault('unreachable', 'publisher', { found: `status ${answer.status}` });
  }
}
