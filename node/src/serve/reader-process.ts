// The process of a reader that a publisher, or `assay serve`, has started. It is told by its parent what to serve, and ends
// with it.
import { messageOf } from '@assay/core/fault';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { makeLogger } from '../production/logger.ts';
import type { FromReader, ReaderSetting, ToReader } from '../readers/reader-messages.ts';
import { ReaderCount } from './reader-count.ts';
import { type RunningReader, startReader } from './reader.ts';

/** Milliseconds between two figures. */
const FIGURES_MS = 1000;

const starting = new AbortController();
let running: Promise<RunningReader> | undefined;
const count = new ReaderCount();

function tell(message: FromReader): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

async function start(setting: ReaderSetting): Promise<RunningReader> {
  const { host, port, transport, server, quotas, logLevel, ...rest } = setting;
  const reader = await startReader({
    ...rest,
    address: { host, port, transport, server, quotas },
    sharesPort: true,
    sha256: nodeSha256,
    log: makeLogger(logLevel),
    onRequest: count.request,
    signal: starting.signal,
  });
  tell({ kind: 'listening', port: reader.port, transport: reader.transport });
  const figures = (): void => tell({ kind: 'figures', ...count.of(reader) });
  figures();
  setInterval(figures, FIGURES_MS).unref();
  return reader;
}

async function stop(): Promise<void> {
  starting.abort();
  try {
    await (await running)?.close();
  } catch {
    // It had not started, and its parent ends it.
  }
  process.exit(0);
}

process.on('message', (message: ToReader) => {
  if (message.kind === 'stop') {
    void stop();
    return;
  }
  running = start(message.setting);
  running.catch((error: unknown) => {
    tell({ kind: 'failed', reason: messageOf(error) });
    process.exit(1);
  });
});
// Whoever interrupts a terminal interrupts all its processes: the parent says when this one is to end.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => void stop());
process.on('disconnect', () => void stop());
tell({ kind: 'loaded' });
