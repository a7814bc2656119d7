import { messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import { withDeadline } from '@assay/node/platform/deadline';
import { EXIT } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

/** How many milliseconds a service may take to end. Docker kills it after ten seconds. */
export const CLOSE_MS = 9000;

/**
 * Ends with `close`. If that fails or takes longer than `limitMs`, the process ends at once with a message and
 * `EXIT.incomplete`, because what has not been closed would keep it alive.
 */
export async function closeOrExit(
  name: string,
  close: () => Promise<void>,
  limitMs: number,
  terminal: Terminal,
): Promise<void> {
  try {
    await withDeadline(limitMs, 'close', close);
  } catch (error) {
    terminal.error(`assay ${name}: it could not be closed: ${printable(messageOf(error))}`);
    process.exit(EXIT.incomplete);
  }
}
