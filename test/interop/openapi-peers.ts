// Tools of others that read OpenAPI documents, for the interop tests. Nothing of them is a dependency of Assay.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const PEERS = peersFolder('openapi-peers');

/** openapi-typescript asks for TypeScript 5, which cannot be installed beside the one that builds Assay. */
const NPM = { 'openapi-typescript': '7.13.0', typescript: '5.9.3' };

/** The command of openapi-typescript, or why there is none. */
export async function openapiTypescript(): Promise<{ command: string } | { missing: string }> {
  const folder = join(PEERS, 'npm');
  const name = `openapi-typescript ${NPM['openapi-typescript']}`;
  const done = await installed(folder, name, async (into) => {
    await writeFile(
      join(into, 'package.json'),
      JSON.stringify({ private: true, dependencies: NPM }),
    );
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
  });
  if (!done) return { missing: `npm's ${name} could not be installed` };
  return { command: join(folder, 'node_modules', 'openapi-typescript', 'bin', 'cli.js') };
}

/** The Python of an environment that has one package of PyPI, or why there is none. */
async function pythonWith(
  name: string,
  version: string,
): Promise<{ python: string } | { missing: string }> {
  const folder = join(PEERS, name);
  const done = await installed(folder, name, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const pip = ['-m', 'pip', 'install', '--quiet', `${name}==${version}`];
    await run(join(into, 'bin', 'python'), pip, { timeout: INSTALL_MS });
  });
  if (!done) return { missing: `PyPI's ${name} ${version} could not be installed` };
  return { python: join(folder, 'bin', 'python') };
}

export function openapiPythonClient(): Promise<{ python: string } | { missing: string }> {
  return pythonWith('openapi-python-client', '0.29.1');
}

export function schemathesis(): Promise<{ python: string } | { missing: string }> {
  return pythonWith('schemathesis', '4.32.0');
}
