import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';

/** The milliseconds after which the lock of a process on another machine counts as left behind. */
const STALE_MS = 600_000;

/** How often a lock is tried that was released or left behind, but that another process has by then. */
const MOST_TRIES = 64;

/** A lock that this process holds. */
export interface HeldLock {
  /** Whether this process still holds it: a process on another machine may have treated it as left behind. */
  readonly isHeld: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}

/** The holder of a lock: its process number, and whether it is on this machine. */
export interface LockHolder {
  readonly pid: number;
  readonly isHere: boolean;
}

/**
 * Takes the lock at `path`, or returns who holds it. A lock is a folder with one file in it, whose name is its
 * holder's: `<pid>.<start>.<host>.<random>`. It is taken by renaming a folder with that file to `path`, which
 * fails if one with a file in it is there (rename(2)), and it is released by deleting the file. So a lock
 * always has a holder, and removing one that was left behind means deleting a file by its name: whoever is late
 * finds that file gone, and does not affect a lock that somebody else has taken meanwhile.
 *
 * A holder on this machine has left its lock behind if its process is gone or has another start time (Linux).
 * One on another machine that shares the folder has after ten minutes.
 */
export async function takeLock(path: string): Promise<HeldLock | LockHolder> {
  await mkdir(dirname(path), { recursive: true });
  const own = ownName();
  const prepared = join(dirname(path), `.${basename(path)}.${own}`);
  await mkdir(prepared);
  try {
    await writeFile(join(prepared, own), '');
    for (let attempt = 1; ; attempt += 1) {
      if (await moved(prepared, path)) return held(path, own);
      const holder = await holderOf(path);
      if (holder === undefined) {
        if (attempt > MOST_TRIES) throw new Fault('refused', 'lock', { at: path });
        await rmdir(path).catch(passOver('ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM'));
        continue;
      }
      if (!holder.isGone || attempt > MOST_TRIES) return holder;
      await unlink(join(path, holder.name)).catch(passOver('ENOENT', 'ENOTDIR'));
    }
  } finally {
    await rm(prepared, { recursive: true, force: true });
  }
}

export function isLock(lock: HeldLock | LockHolder): lock is HeldLock {
  return 'release' in lock;
}

function held(path: string, own: string): HeldLock {
  const file = join(path, own);
  return {
    isHeld: () =>
      stat(file).then(
        () => true,
        () => false,
      ),
    async release() {
      await unlink(file).catch(passOver('ENOENT', 'ENOTDIR'));
      // The next process may have it already.
      await rmdir(path).catch(passOver('ENOENT', 'ENOTEMPTY', 'EEXIST'));
    },
  };
}

/** Whether the folder is at `path` now; false if a lock is there. */
async function moved(prepared: string, path: string): Promise<boolean> {
  try {
    await rename(prepared, path);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    // Windows does not rename to an existing folder, even if it is empty.
    if (process.platform !== 'win32' || code !== 'EPERM') throw error;
    await rmdir(path).catch(passOver('ENOENT', 'ENOTEMPTY', 'EPERM'));
    return false;
  }
}

interface Found extends LockHolder {
  readonly name: string;
  readonly isGone: boolean;
}

/** Undefined if it has been released. */
async function holderOf(path: string): Promise<Found | undefined> {
  try {
    const [name] = await readdir(path);
    if (name === undefined) return undefined;
    const [pid = '', start = '', host = ''] = name.split('.');
    const isHere = host === HOST;
    const { mtimeMs } = await stat(join(path, name));
    const isGone = isHere
      ? !isRunning(Number(pid), start)
      : Date.now() - mtimeMs > STALE_MS || host === '';
    return { name, pid: Number(pid), isHere, isGone };
  } catch (error) {
    return passOver('ENOENT')(error);
  }
}

/** A machine's name as a part of a file's name. */
const HOST = formatHex(new TextEncoder().encode(hostname().slice(0, 32)));

function ownName(): string {
  return `${process.pid}.${startOf(process.pid) ?? ''}.${HOST}.${randomBytes(8).toString('hex')}`;
}

function isRunning(pid: number, start: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // The number of a process that has ended may belong to another process by now.
  const now = startOf(pid);
  return start === '' || now === undefined || now === start;
}

/**
 * When a process began, in ticks since the machine was started (proc(5)); undefined if that cannot be
 * determined.
 */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets may contain anything. 20 fields follow it up to the start time.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Ignores errors with these codes, and throws others. */
function passOver(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return undefined;
  };
}
