// SoftHSM and the binding of PKCS#11, for the interop test of a signer's HSM. Nothing of them is a dependency of Assay.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALL_MS, installed, peersFolder } from './installed.ts';

const run = promisify(execFile);
const VERSION = '2.1.7';

/** The folder in which npm's pkcs11js is compiled, which needs a C++ compiler and make; or why there is none. */
export async function pkcs11Binding(): Promise<{ folder: string } | { missing: string }> {
  const folder = join(peersFolder('pkcs11-peers'), 'npm');
  const done = await installed(folder, `pkcs11js@${VERSION}`, async (into) => {
    const manifest = {
      private: true,
      dependencies: { pkcs11js: VERSION },
      allowScripts: { pkcs11js: true },
    };
    await writeFile(join(into, 'package.json'), JSON.stringify(manifest));
    const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--foreground-scripts'];
    await run('npm', ['install', ...quiet], { cwd: into, timeout: INSTALL_MS });
  });
  const built = join(folder, 'node_modules', 'pkcs11js', 'build', 'Release');
  if (done && existsSync(built)) return { folder };
  return { missing: `npm's pkcs11js ${VERSION} could not be compiled here` };
}

/** The library of SoftHSM 2, and the programs that make a token and a key in it; or what is missing of them. */
export function softHsm(): { module: string } | { missing: string } {
  for (const program of ['softhsm2-util', 'pkcs11-tool']) {
    try {
      execFileSync('which', [program], { stdio: 'ignore' });
    } catch {
      return { missing: `${program} is not installed (Debian: softhsm2 and opensc)` };
    }
  }
  const found = ['/usr/lib', ...below('/usr/lib'), '/usr/local/lib']
    .map((folder) => join(folder, 'softhsm', 'libsofthsm2.so'))
    .find((path) => existsSync(path));
  return found === undefined ? { missing: 'libsofthsm2.so is not installed' } : { module: found };
}

/** The PIN of the tokens of the tests. */
export const PIN = '1234';
/** Their label. */
export const TOKEN = 'assay';

/** Makes a token of SoftHSM in a folder, which this process and its children find from then on. */
export async function softToken(root: string): Promise<void> {
  const tokens = join(root, 'tokens');
  await mkdir(tokens);
  const config = join(root, 'softhsm2.conf');
  await writeFile(config, `directories.tokendir = ${tokens}\nobjectstore.backend = file\n`);
  process.env['SOFTHSM2_CONF'] = config;
  const token = ['--init-token', '--free', '--label', TOKEN, '--pin', PIN, '--so-pin', '5678'];
  execFileSync('softhsm2-util', token, { stdio: 'ignore' });
}

function below(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}
