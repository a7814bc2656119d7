import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { syncFolder } from '../platform/durable-file.ts';

/** Where data are made inside their folder, because the folder may be a volume whose parent cannot be written. */
const STAGED = /^\.new-[0-9]+$/;

/**
 * Fills an empty folder whole or not at all: `make` does it in a folder inside, and `moveUp` moves the parts to their places, the
 * database last. Throws `not_empty` for a folder with anything in it.
 */
export async function fillFolder<T>(
  root: string,
  make: (staged: string) => Promise<T>,
  moveUp: (staged: string) => Promise<void>,
): Promise<T> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const found = await readdir(root);
  const others = found.filter((name) => !STAGED.test(name));
  if (others.length > 0) {
    throw new Fault('not_empty', 'data folder', {
      at: root,
      expected: 'an empty folder',
      found: others.slice(0, 5).join(', '),
    });
  }
  for (const name of found) await rm(join(root, name), { recursive: true, force: true });
  const staged = join(root, `.new-${process.pid}`);
  try {
    const made = await make(staged);
    await moveUp(staged);
    await syncFolder(root);
    return made;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
