import { spawnSync } from 'node:child_process';

export const STRACE: readonly string[] = ['strace', '-f', '-qq'];

/** One thread for files makes the order of the calls the same in each run. */
export const ONE_THREAD: Readonly<Record<string, string>> = {
  UV_THREADPOOL_SIZE: '1',
  UV_USE_IO_URING: '0',
};

/** Why `strace` cannot be used here; undefined when it can. */
export function straceMissing(): string | undefined {
  const probe = ['-f', '-qq', '-e', 'trace=chdir', '-e', 'inject=chdir:error=EIO', 'true'];
  const { error, status, stderr } = spawnSync('strace', probe, { encoding: 'utf8' });
  if (error !== undefined) return `strace is not here: ${error.message}`;
  return status === 0 ? undefined : `strace may not trace here: ${stderr.trim()}`;
}

/** One call of a traced run. */
export interface Call {
  readonly name: string;
  /** The file that it is about, below the data folder; `undefined` for any other. */
  readonly path: string | undefined;
  readonly line: string;
}

/** The calls that a trace with `-y` shows, in order. */
export function callsOf(trace: string, root: string): readonly Call[] {
  const calls: Call[] = [];
  for (const line of trace.split('\n')) {
    const name = /^\d+\s+([a-z0-9]+)\(/.exec(line)?.[1];
    if (name === undefined) continue;
    const below = line.includes(`${root}/`)
      ? line.slice(line.indexOf(`${root}/`) + root.length + 1).split(/[>"]/, 1)[0]
      : undefined;
    calls.push({ name, path: below, line });
  }
  return calls;
}
