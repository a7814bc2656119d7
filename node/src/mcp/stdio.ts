import { once } from 'node:events';
import type { ToolParts } from './tool.ts';

/**
 * Serves the tools on standard input and output until the client closes the input or `stop` is aborted. Nothing but the
 * protocol is written to standard output.
 */
export async function serveStdio(
  parts: ToolParts,
  onError: (error: unknown) => void,
  stop: AbortSignal,
): Promise<void> {
  const [library, stdio, { toolServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
    import('./tool-server.ts'),
  ]);
  const ended = once(process.stdin, 'close');
  const handle = stdio.serveStdio(() => toolServer(library, parts, onError), { onerror: onError });
  const stopped = stop.aborted ? Promise.resolve() : once(stop, 'abort');
  await Promise.race([ended, stopped]);
  await handle.close();
}
