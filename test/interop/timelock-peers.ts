// Time-lock encryption of others, for the interop tests of sealed messages. Nothing of it is a dependency of Assay.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { builtGo } from './go-peers.ts';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);

/** The program over drand's own library in Go (`test/interop/go-timelock`), built; or why there is none. */
export function kyberPeer(): Promise<{ command: string } | { missing: string }> {
  return builtGo(join(ROOT, 'test', 'interop', 'go-timelock'), "drand's kyber");
}

/** The part of npm's `tlock-js` that encrypts to a round, without the container around it. */
export interface TlockJs {
  readonly encryptOnG2RFC9380: (
    publicKey: string,
    identity: Uint8Array,
    message: Uint8Array,
  ) => Promise<TlockCiphertext>;
  readonly decryptOnG2: (signature: Uint8Array, ciphertext: TlockCiphertext) => Promise<Uint8Array>;
}

export interface TlockCiphertext {
  readonly U: Uint8Array;
  readonly V: Uint8Array;
  readonly W: Uint8Array;
}

/** npm's `tlock-js` 0.9.0, or why there is none. */
export async function tlockJsPeer(): Promise<{ tlock: TlockJs } | { missing: string }> {
  const folder = join(peersFolder('timelock-peers'), 'tlock-js-0.9.0');
  const done = await installed(folder, 'tlock-js@0.9.0', async (into) => {
    const dependencies = { 'tlock-js': '0.9.0' };
    await writeFile(join(into, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
  });
  if (!done) return { missing: "npm's tlock-js@0.9.0 could not be installed" };
  const require = createRequire(join(folder, 'package.json'));
  return { tlock: require('tlock-js/crypto/ibe.js') as TlockJs };
}
