import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';

const run = promisify(execFile);

/** The packages that are published, each after those that it depends on. */
export const PUBLISHED = ['core', 'verifier', 'chain', 'node', 'cli'] as const;

export type Published = (typeof PUBLISHED)[number];

/** What a package is packed from, beside its own folder. */
const SHARED = ['LICENSE', 'tsconfig.json', 'test/release'];

/** The name that npm gives the tarball of a package of ours. */
export async function tarballName(name: Published): Promise<string> {
  const text = await readFile(join(ROOT, name, 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return `assay-${name}-${version}.tgz`;
}

/** Whether a file is no output of a source that is gone. */
function hasSource(path: string): boolean {
  const output = /^(.*\/)dist\/(.*)\.(?:js|d\.ts)$/.exec(path);
  return output === null || existsSync(`${output[1]}src/${output[2]}.ts`);
}

/**
 * Packs packages into the folder `into` and returns the paths of the tarballs, in the order asked for. It works on a copy,
 * because packing changes files that a test may be reading.
 */
export async function pack(
  into: string,
  names: readonly Published[] = PUBLISHED,
): Promise<readonly string[]> {
  const stage = await mkdtemp(join(tmpdir(), 'assay-stage-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(stage, 'node_modules'));
    for (const each of [...SHARED, ...names]) {
      await cp(join(ROOT, each), join(stage, each), { recursive: true, filter: hasSource });
    }
    const made: string[] = [];
    for (const name of names) {
      const args = ['pack', '--pack-destination', into, '--cache', join(stage, '.cache')];
      await run('npm', args, { cwd: join(stage, name) });
      made.push(join(into, await tarballName(name)));
    }
    return made;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
