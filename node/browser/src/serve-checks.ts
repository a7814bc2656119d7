import { messageOf } from '@assay/core/fault';
import { type Answer, notVerified } from './answer.ts';

/** What is used of the scope of a worker, which the types of a page do not have. */
interface WorkerScope {
  readonly addEventListener: (
    name: 'message',
    listener: (event: { readonly data: unknown }) => void,
  ) => void;
  readonly postMessage: (message: unknown, transfer: readonly ArrayBuffer[]) => void;
}

const scope = globalThis as unknown as WorkerScope;

/** Sends a message that is no answer, such as progress. One that cannot be sent is left out. */
export function tell(message: unknown): void {
  try {
    scope.postMessage(message, []);
  } catch {
    // Whoever waits for the answer does not need it.
  }
}

/** Makes this worker answer each message, once, by `check`. What that throws, and what cannot be sent, is an answer as well. */
export function serveChecks(check: (request: unknown) => Promise<Answer>): void {
  scope.addEventListener('message', ({ data }) => {
    const checked = new Promise<Answer>((resolve) => {
      resolve(check(data));
    });
    checked
      .catch((error: unknown) => failed(error))
      .then(
        (answer) => scope.postMessage(answer, []),
        () => undefined,
      )
      .catch((error: unknown) => scope.postMessage(failed(error), []));
  });
}

function failed(error: unknown): Answer {
  return notVerified('verifier_failed', `The verifier ended with an error: ${messageOf(error)}.`);
}
