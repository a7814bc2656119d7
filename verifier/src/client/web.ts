import type { HttpResponse } from '../reader/http-reader.ts';

/** What ends a wait before its time. The `AbortSignal` of a browser and of Node is one. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** What is used of the globals that Node and browsers share. */
interface Web {
  readonly fetch: (url: string, init: object) => Promise<HttpResponse>;
  readonly setTimeout: (run: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  /** Its time never goes back, whatever is done to the clock. */
  readonly performance: { now(): number };
  readonly AbortController: new () => { readonly signal: StopSignal; abort(): void };
}

export const web: Web = globalThis as unknown as Web;

/** The longest time that a timer takes; it ends a longer one at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds, or at once when `signal` ends it. */
export function pause(ms: number, signal?: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      web.clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = web.setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
  });
}

/** What `work` comes to, or what `late` gives where that takes more than `ms` milliseconds. The work itself goes on. */
export function within<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  if (ms > MAX_TIMER_MS) return work;
  return new Promise((resolve, reject) => {
    const timer = web.setTimeout(() => resolve(late()), ms);
    const end = (): void => web.clearTimeout(timer);
    work.finally(end).then(resolve, reject);
  });
}
