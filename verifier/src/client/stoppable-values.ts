import { type StopSignal, web } from './web.ts';

/**
 * The values of a generator, ended at once by `return` and by `signal`, also while the next one is awaited: a generator
 * alone would first wait for it. The generator gets a signal of its own, by which it then lets go of what it holds. No
 * listener stays at `signal` after the end.
 */
export class StoppableValues<T> implements AsyncIterableIterator<T> {
  readonly #signal: StopSignal | undefined;
  readonly #controller = new web.AbortController();
  readonly #values: AsyncGenerator<T, void>;
  /** What ends those who await a value. */
  readonly #waiting = new Set<() => void>();
  #hasBegun = false;
  #isOver = false;

  constructor(
    signal: StopSignal | undefined,
    start: (signal: StopSignal) => AsyncGenerator<T, void>,
  ) {
    this.#signal = signal;
    this.#values = start(this.#controller.signal);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#signal?.addEventListener('abort', this.#stop);
    }
    if (this.#signal?.aborted === true) this.#stop();
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      const end = (): void => resolve({ done: true, value: undefined });
      this.#waiting.add(end);
      this.#values.next().then(
        (result) => {
          this.#waiting.delete(end);
          if (result.done !== true) return resolve({ done: false, value: result.value });
          this.#stop();
          end();
        },
        (error: unknown) => {
          this.#waiting.delete(end);
          this.#stop();
          reject(error as Error);
        },
      );
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#stop();
    return Promise.resolve({ done: true, value: undefined });
  }

  readonly #stop = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#stop);
    this.#controller.abort();
    for (const end of this.#waiting) end();
    // Where it does not wait for anything, this runs to its end.
    this.#values.return().catch(() => undefined);
  };
}
