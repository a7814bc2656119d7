// Libraries of others around transparency logs, all in Go, behind one small program of this suite's own.
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);

const SOURCES = join(ROOT, 'test', 'interop', 'go');
const OVERLAY = join('vendor', 'github.com', 'transparency-dev', 'merkle', 'proof', 'subtree.go');

/** The program of `test/interop/go`, built; or why there is none. */
export async function goPeer(): Promise<{ command: string } | { missing: string }> {
  const found = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (found.status !== 0) return { missing: 'Go is not installed' };
  const folder = join(peersFolder('go-peers'), await sourcesDigest());
  const name = "Go's sumdb/note, Tessera and omniwitness";
  const done = await installed(folder, name, async (into) => {
    const options = { cwd: into, timeout: INSTALL_MS };
    await cp(SOURCES, into, { recursive: true });
    await run('go', ['mod', 'vendor'], options);
    await copyFile(join(into, 'overlay', 'subtree.go.txt'), join(into, OVERLAY));
    await run('go', ['build', '-mod=vendor', '-buildvcs=false', '-o', 'interop', '.'], options);
  });
  if (!done) return { missing: `${name} could not be built` };
  return { command: join(folder, 'interop') };
}

/** Another program is another folder. */
async function sourcesDigest(): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(SOURCES, { recursive: true })).sort();
  for (const name of names) {
    if (/\.(go|mod|sum|txt)$/.test(name)) hash.update(await readFile(join(SOURCES, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
