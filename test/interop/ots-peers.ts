// Software of others around OpenTimestamps, for the interop tests and the benchmark. What a system does
// not have is installed once into a folder of its own; nothing of it is a dependency of Assay.
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);

const PEERS = peersFolder('ots-peers');

interface NpmPeer {
  readonly name: string;
  readonly version: string;
  /** What it asks for and does not need here, or what is not to be had everywhere. */
  readonly emptied: readonly string[];
}

const OPENTIMESTAMPS: NpmPeer = { name: 'opentimestamps', version: '0.4.9', emptied: ['fs'] };
const BCOIN: NpmPeer = { name: 'bcoin', version: '1.0.2', emptied: ['leveldown'] };

/** The reference command line, and the library that belongs to it. */
const CLIENT: readonly string[] = ['opentimestamps-client==0.7.2', 'opentimestamps==0.4.5'];

/** The folder of npm's `opentimestamps`, or why there is none. */
export function opentimestampsFolder(): Promise<{ folder: string } | { missing: string }> {
  return npmPeer(OPENTIMESTAMPS);
}

/** The folder of npm's `bcoin`, or why there is none. */
export function bcoinFolder(): Promise<{ folder: string } | { missing: string }> {
  return npmPeer(BCOIN);
}

/** The interpreter that has Debian's `python3-opentimestamps`, or why there is none. */
export function debianPython(): { python: string } | { missing: string } {
  const python = '/usr/bin/python3';
  const found = spawnSync(python, ['-I', '-c', 'import opentimestamps.core.timestamp']);
  return found.status === 0
    ? { python }
    : { missing: 'python3-opentimestamps, the package of Debian, is not installed' };
}

/** The reference command line `ots`: a program and the arguments that come first. */
export async function referenceClient(): Promise<
  { command: string; first: readonly string[] } | { missing: string }
> {
  const folder = join(PEERS, 'client');
  const name = CLIENT.join(' and ');
  const done = await installed(folder, name, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const python = join(into, 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '--quiet', ...CLIENT], { timeout: INSTALL_MS });
  });
  if (!done) return { missing: `${name} could not be installed` };
  // By the interpreter: the script's first line names the folder that it was installed into.
  return {
    command: join(folder, 'bin', 'python'),
    first: ['-W', 'ignore', join(folder, 'bin', 'ots')],
  };
}

async function npmPeer(peer: NpmPeer): Promise<{ folder: string } | { missing: string }> {
  const folder = join(PEERS, peer.name);
  const name = `${peer.name}@${peer.version}`;
  const done = await installed(folder, name, async (into) => {
    const overrides = Object.fromEntries(peer.emptied.map((each) => [each, 'npm:noop2@2.0.0']));
    const dependencies = { [peer.name]: peer.version };
    await writeFile(
      join(into, 'package.json'),
      JSON.stringify({ private: true, dependencies, overrides }),
    );
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
  });
  if (!done) return { missing: `npm's ${name} could not be installed` };
  return { folder: dirname(createRequire(join(folder, 'x')).resolve(`${peer.name}/package.json`)) };
}
