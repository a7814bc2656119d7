import { LATEST } from '../day/settlement-mirror.ts';
import { Fault } from '@assay/core/fault';
import { bodyOf, type WriterClient } from './writer-client.ts';

/** Milliseconds for which the index of the newest Close is shown again. */
const FRESH_MS = 1000;
/** The bytes of all files that are kept in memory, and of the largest file. */
const MOST_KEPT = 32 * 1024 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The settlement files of a publisher, fetched from it when somebody asks for them. Whoever serves them checks each
 * against the Close of the log that names it.
 */
export class FollowedSettlements {
  readonly #client: WriterClient;
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;
  #latest: { readonly at: number; readonly body: Promise<Uint8Array | undefined> } | undefined;

  constructor(client: WriterClient) {
    this.#client = client;
  }

  /** The bytes at a path under `/settlement`; undefined if there are none. Throws what `WriterClient.send` throws. */
  readonly read = async (path: string): Promise<Uint8Array | undefined> => {
    if (path === LATEST) return this.#newest();
    const kept = this.#kept.get(path);
    if (kept !== undefined) return kept;
    const body = await this.#fetch(path);
    if (body !== undefined) this.#keep(path, body);
    return body;
  };

  #newest(): Promise<Uint8Array | undefined> {
    const now = performance.now();
    if (this.#latest === undefined || now - this.#latest.at >= FRESH_MS) {
      this.#latest = { at: now, body: this.#fetch(LATEST) };
      this.#latest.body.catch(() => {
        this.#latest = undefined;
      });
    }
    return this.#latest.body;
  }

  async #fetch(path: string): Promise<Uint8Array | undefined> {
    const answer = await this.#client.send({ method: 'GET', target: `/settlement/${path}` });
    const body = await bodyOf(answer, MOST_BYTES);
    if (answer.status === 200) return body;
    if (answer.status === 404) return undefined;
    throw new Fault('unreachable', 'publisher', { found: `status ${answer.status}` });
  }

  #keep(path: string, body: Uint8Array): void {
    this.#kept.set(path, body);
    this.#bytes += body.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= MOST_KEPT) break;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}
