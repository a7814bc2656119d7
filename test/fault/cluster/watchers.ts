import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultCode, messageOf } from '@assay/core/fault';
import { hashHex } from '@assay/core/hash/hash';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { memoryClosingPlace } from '@assay/node/mirror/closing-place';
import { LogMirror } from '@assay/node/mirror/log-mirror';
import { openMirrored } from '@assay/node/mirror/mirrored-note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const POLL_MS = 300;
const TIMEOUT_MS = 5000;

/** A signed head that somebody was shown. */
export interface ShownHead {
  readonly size: number;
  readonly root: string;
  /** Where it was seen first. */
  readonly by: string;
}

/** Asks an address again and again for its newest head. */
interface Asked {
  readonly name: string;
  readonly url: string;
  size: number;
  /** When it last answered with a head, on the clock of this process. */
  answeredAt: number;
  /** The times without an answer that lasted longer than a second. */
  readonly gaps: { readonly from: number; readonly ms: number }[];
}

/**
 * Those who watch the log from outside. Every signed head that anybody is shown is kept, and two mirrors check that each one
 * extends the one before. What any of them finds wrong is in `findings`.
 */
export class Watchers {
  readonly findings: string[] = [];
  readonly #key: NoteKey;
  readonly #heads = new Map<number, ShownHead>();
  readonly #asked: Asked[] = [];
  readonly #mirrors = new Map<string, LogMirror>();
  readonly #loops: Promise<void>[] = [];
  readonly #stop = new AbortController();

  constructor(vkey: string) {
    this.#key = parseNoteKey(nodeSha256, vkey);
    // Everything that is asked listens to it.
    setMaxListeners(0, this.#stop.signal);
  }

  get heads(): readonly ShownHead[] {
    return [...this.#heads.values()];
  }

  /** How far each address and each mirror is. */
  get sizes(): ReadonlyMap<string, number> {
    const mirrors = [...this.#mirrors].map(([name, { size }]) => [name, size] as const);
    return new Map([...this.#asked.map(({ name, size }) => [name, size] as const), ...mirrors]);
  }

  /** Asks an address for its head from now on. */
  ask(name: string, url: string): void {
    const asked: Asked = { name, url, size: 0, answeredAt: performance.now(), gaps: [] };
    this.#asked.push(asked);
    this.#run(async () => {
      const response = await fetch(`${url}/checkpoint`, {
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (response.status !== 200) return;
      this.#see(asked, bytes);
    });
  }

  /** Follows an address with a mirror from now on. */
  async mirror(name: string, url: string): Promise<void> {
    const mirror = await LogMirror.open({
      reader: httpLogReader(url, { timeoutMs: TIMEOUT_MS }),
      store: await openMemoryStore(),
      accepted: new MemoryNoteSlot(),
      closing: memoryClosingPlace(),
      blobs: null,
      key: this.#key,
      logId: null,
      sha256: nodeSha256,
      witnesses: null,
      onFork: () => {
        this.findings.push(`${name}: the key has signed two histories`);
      },
    });
    this.#mirrors.set(name, mirror);
    this.#run(async () => {
      try {
        await mirror.follow(this.#stop.signal);
      } catch (error) {
        const code = faultCode(error);
        // Nobody answers while something is broken. Whatever else goes wrong is wrong.
        if (code !== 'unreachable' && code !== 'timeout' && !this.#stop.signal.aborted) {
          this.findings.push(`${name}: ${messageOf(error)}`);
        }
      }
    });
  }

  /** The longest time since `since` in which an address showed no head, in milliseconds. */
  silence(name: string, since: number): number {
    const asked = this.#asked.find((each) => each.name === name);
    if (asked === undefined) return 0;
    const past = asked.gaps.filter(({ from, ms }) => from + ms >= since).map(({ ms }) => ms);
    return Math.max(0, performance.now() - asked.answeredAt - POLL_MS, ...past);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
    for (const mirror of this.#mirrors.values()) await mirror.close();
  }

  /** Keeps a head, and compares it with the one of the same size that was seen before. */
  keep(by: string, size: number, root: string): void {
    const before = this.#heads.get(size);
    if (before === undefined) this.#heads.set(size, { size, root, by });
    else if (before.root !== root) {
      this.findings.push(
        `two heads of ${size} entries: ${before.root} by ${before.by}, ${root} by ${by}`,
      );
    }
  }

  #see(asked: Asked, bytes: Uint8Array): void {
    try {
      const { size, root } = openMirrored(this.#key, bytes).checkpoint;
      this.keep(asked.name, size, hashHex(root));
      asked.size = size;
    } catch (error) {
      this.findings.push(`${asked.name}: ${messageOf(error)}`);
      return;
    }
    const now = performance.now();
    const ms = now - asked.answeredAt;
    if (ms > 1000) asked.gaps.push({ from: asked.answeredAt, ms });
    asked.answeredAt = now;
  }

  #run(step: () => Promise<void>): void {
    const loop = async (): Promise<void> => {
      while (!this.#stop.signal.aborted) {
        // An address that does not answer is asked again.
        await step().catch(() => undefined);
        await sleep(POLL_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    };
    this.#loops.push(loop());
  }
}
