import { type Answer, notVerified, type Progress, readAnswer, readProgress } from './answer.ts';
import { scriptUrl } from './script-url.ts';

/** How a check is run. */
export interface CheckRun {
  /** The path of the worker's code on this server. */
  readonly worker: string;
  readonly request: object;
  /** What is handed over and no longer here afterwards. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Milliseconds after which there is no answer. The verifier has as many less a second, so that it can say why. */
  readonly limitMs: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the check. */
  readonly signal?: AbortSignal;
}

/** What a worker gives up before its page does. */
const MARGIN_MS = 1000;

/**
 * What a worker answers to one request. It has a worker of its own, which is ended with it. Never rejects: a worker that
 * cannot be loaded, that fails, that answers anything else than an answer, or that does not answer in time, has verified
 * nothing.
 */
export function runCheck(run: CheckRun): Promise<Answer> {
  const { limitMs, signal } = run;
  return new Promise((resolve) => {
    let worker: Worker | undefined;
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      worker?.terminate();
      resolve(answer);
    };
    const stop = (): void => end(notVerified('stopped', 'The check was stopped.'));
    const timer = setTimeout(() => {
      const seconds = Math.round(limitMs / 1000);
      end(notVerified('timeout', `The verifier gave no answer in ${seconds} seconds.`));
    }, limitMs);
    signal?.addEventListener('abort', stop);
    try {
      worker = new Worker(scriptUrl(run.worker), { type: 'module' });
      worker.addEventListener('message', ({ data }) => {
        const progress = readProgress(data);
        if (progress === undefined) end(readAnswer(data));
        else run.onProgress?.(progress);
      });
      worker.addEventListener('messageerror', () => end(readAnswer(undefined)));
      worker.addEventListener('error', (event) => {
        event.preventDefault();
        end(notVerified('no_verifier', 'The code of the verifier could not be loaded or run.'));
      });
      const request = { ...run.request, limitMs: Math.max(1, limitMs - MARGIN_MS) };
      worker.postMessage(request, [...(run.transfer ?? [])]);
    } catch (error) {
      end(notVerified('no_verifier', `The verifier could not be started: ${String(error)}.`));
    }
  });
}
