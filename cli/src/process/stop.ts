import type { Terminal } from '../command/tty.ts';

/**
 * Resolves when a signal has asked for an end and `close` is done. A second signal ends the process at once;
 * entries that were acknowledged are durable anyway.
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
    whenOrphaned(() => {
      if (!asked) stop();
    });
  });
}

const LOOK_MS = 250;

/**
 * npm ends the shell that it started but not what runs in it, so under npm a parent that has ended means stop.
 */
function whenOrphaned(stop: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, LOOK_MS).unref();
}
