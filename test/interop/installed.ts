// Software of others is installed once for the interop tests and the benchmark, into a folder of its own.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../src/core/fixture/fixture.ts';

/** Where a suite's software of others lies. */
export function peersFolder(name: string): string {
  return join(ROOT, 'node_modules', '.cache', name);
}

/** Milliseconds of one try to install. */
export const INSTALL_MS = 180_000;

/** By folder: nobody waits twice for what cannot be had. */
const tried = new Map<string, Promise<boolean>>();

/** Whether `folder` is there, or could be made by `install` in one of three tries. */
export function installed(
  folder: string,
  name: string,
  install: (into: string) => Promise<void>,
): Promise<boolean> {
  const known = tried.get(folder) ?? tryThrice(folder, name, install);
  tried.set(folder, known);
  return known;
}

/** A registry may be busy for a moment, or not there. */
async function tryThrice(
  folder: string,
  name: string,
  install: (into: string) => Promise<void>,
): Promise<boolean> {
  for (let attempt = 1; !existsSync(folder) && attempt <= 3; attempt += 1) {
    await mkdir(dirname(folder), { recursive: true });
    const into = await mkdtemp(`${folder}-`);
    try {
      await install(into);
      await rename(into, folder);
    } catch (error) {
      // Another test may have been faster.
      await rm(into, { recursive: true, force: true });
      if (existsSync(folder)) break;
      const [first = ''] = error instanceof Error ? error.message.split('\n') : [];
      console.error(`${name}, try ${attempt}: ${first}`);
      await sleep(attempt * 2000);
    }
  }
  return existsSync(folder);
}
