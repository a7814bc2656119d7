// Libraries of others in Go, each behind a small program of this suite's own: those around transparency logs, and what
// `timelock-peers.ts` names.
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
export function goPeer(): Promise<{ command: string } | { missing: string }> {
  return builtGo(SOURCES, "Go's sumdb/note, Tessera and omniwitness", (into) =>
    copyFile(join(into, 'overlay', 'subtree.go.txt'), join(into, OVERLAY)),
  );
}

/** The second verifier of the Terminal and the Arena (`test/interop/go-verifier`), built; or why there is none. */
export function goVerifierPeer(): Promise<{ command: string } | { missing: string }> {
  return builtGo(join(ROOT, 'test', 'interop', 'go-verifier'), 'the verifier in Go');
}

/**
 * The program in a folder of Go sources, built with what they need; or why there is none. `change` is called with the
 * folder in which it is built, before that.
 */
export async function builtGo(
  sources: string,
  name: string,
  change?: (into: string) => Promise<void>,
): Promise<{ command: string } | { missing: string }> {
  const found = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (found.status !== 0) return { missing: 'Go is not installed' };
  const folder = join(peersFolder('go-peers'), await sourcesDigest(sources));
  const done = await installed(folder, name, async (into) => {
    const options = { cwd: into, timeout: INSTALL_MS };
    await cp(sources, into, { recursive: true });
    await run('go', ['mod', 'vendor'], options);
    await change?.(into);
    await run('go', ['build', '-mod=vendor', '-buildvcs=false', '-o', 'interop', '.'], options);
  });
  if (!done) return { missing: `${name} could not be built` };
  return { command: join(folder, 'interop') };
}

/** Another program is another folder. */
async function sourcesDigest(sources: string): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(sources, { recursive: true })).sort();
  for (const name of names) {
    if (/\.(go|mod|sum|txt)$/.test(name)) hash.update(await readFile(join(sources, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
