// Libraries of Standard Webhooks, for the interop test of deliveries. Nothing of them is a dependency of Assay.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const PEERS = peersFolder('webhook-peers');

const NPM = 'standardwebhooks@1.1.1';
const PYPI = ['standardwebhooks==1.1.0', 'cryptography==46.0.3'];

/** What npm's library has that the test uses. It throws for a message that is not signed. */
export interface StandardWebhooks {
  readonly Webhook: new (secret: string) => {
    verify(body: string, headers: Readonly<Record<string, string>>): unknown;
  };
}

/** npm's `standardwebhooks`, or why there is none. */
export async function npmWebhooks(): Promise<{ library: StandardWebhooks } | { missing: string }> {
  const folder = join(PEERS, 'npm');
  const done = await installed(folder, NPM, async (into) => {
    const dependencies = { standardwebhooks: NPM.split('@')[1] };
    await writeFile(join(into, 'package.json'), JSON.stringify({ private: true, dependencies }));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
  });
  if (!done) return { missing: `npm's ${NPM} could not be installed` };
  const require = createRequire(join(folder, 'package.json'));
  return { library: require('standardwebhooks') as StandardWebhooks };
}

/** A Python that has PyPI's `standardwebhooks`, and `cryptography` for Ed25519; or why there is none. */
export async function pythonWebhooks(): Promise<{ python: string } | { missing: string }> {
  const folder = join(PEERS, 'python');
  const name = PYPI.join(' and ');
  const done = await installed(folder, name, async (into) => {
    await run('python3', ['-m', 'venv', into], { timeout: INSTALL_MS });
    const python = join(into, 'bin', 'python');
    await run(python, ['-m', 'pip', 'install', '--quiet', ...PYPI], { timeout: INSTALL_MS });
  });
  if (!done) return { missing: `PyPI's ${name} could not be installed` };
  return { python: join(folder, 'bin', 'python') };
}
