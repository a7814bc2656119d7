import type { Terminal } from './terminal.ts';

/**
 * Resolves when a signal has asked for an end and `close` is done. A second signal ends the process
 * at once: entries that were acknowledged are durable all the same.
 */
export function untilStopped(close: () => Promise<void>, terminal: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(130);
      asked = true;
      terminal.error('stopping');
      close().then(resolve, reject);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    process.on('SIGHUP', stop);
  });
}
