// `npm run release -- --key FILE [--into FOLDER] [--new-key] [--repository FOLDER]`: makes a release of the commit that is checked out
// in this repository, or in a clone of it (`makeRelease`). The
// key file is one of Assay's (docs/keys.md); its passphrase is in ASSAY_PASSPHRASE. With --new-key the file is made where it is not
// there yet. What can go wrong is one line with a fixed code, and the exit code 2.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '@assay/core/fault';
import { createKey, openKey } from '@assay/node/key/keystore';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { makeRelease, requireReady } from './make-release.ts';
import { versionOf } from './pack.ts';
import { ReleaseError } from './release-error.ts';

interface Options {
  readonly key: string;
  readonly root: string;
  readonly into: string;
  readonly isNew: boolean;
}

async function optionsOf(args: readonly string[]): Promise<Options> {
  const options = {
    key: { type: 'string' },
    into: { type: 'string' },
    repository: { type: 'string', default: ROOT },
    'new-key': { type: 'boolean' },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.key === undefined) throw new TypeError('--key FILE is missing');
    const root = resolve(values.repository);
    const into = values.into ?? join(root, '.assay', `assay-${await versionOf('core', root)}`);
    const isNew = values['new-key'] === true;
    return { key: resolve(values.key), root, into: resolve(into), isNew };
  } catch (error) {
    throw new ReleaseError('usage', messageOf(error));
  }
}

async function main(): Promise<void> {
  const { key, root, into, isNew } = await optionsOf(process.argv.slice(2));
  await requireReady(root, into);
  const passphrase = process.env['ASSAY_PASSPHRASE'];
  const signer = await (isNew && !existsSync(key) ? createKey : openKey)(key, { passphrase });
  const { commit, files, vkey } = await makeRelease(root, into, signer);
  console.log(`${files} files in ${into}, built and packed twice from ${commit} to the same bytes`);
  console.log(`assay release check ${into} --key '${vkey}'`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ReleaseError || error instanceof Fault)) throw error;
  console.error(`release: ${error.code}: ${error.message.split('\n')[0]}; see CONTRIBUTING.md`);
  process.exitCode = 2;
}
