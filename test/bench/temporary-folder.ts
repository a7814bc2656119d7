import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TMPFS = 0x01021994; // linux/magic.h

/** A new folder on a disk. Throws where the system's folder for temporary files is memory. */
export async function temporaryFolder(name: string): Promise<string> {
  const parent = process.env['ASSAY_BENCH_FOLDER'] ?? tmpdir();
  if ((await statfs(parent)).type === TMPFS) {
    throw new Error(
      'the folder for temporary files is in memory: name one on a disk in ASSAY_BENCH_FOLDER',
    );
  }
  return mkdtemp(join(parent, `assay-bench-${name}-`));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
