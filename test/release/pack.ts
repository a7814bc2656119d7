import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { linkModules } from './commit.ts';

const run = promisify(execFile);

/** The packages that are published, each after those that it depends on. */
export const PUBLISHED = ['core', 'verifier', 'chain', 'node', 'cli'] as const;

export type Published = (typeof PUBLISHED)[number];

/** What a package is packed from, beside its own folder. */
export const SHARED: readonly string[] = ['LICENSE', 'tsconfig.json', 'test/release'];

/** The version that a package of ours has in the tree `from`. */
export async function versionOf(name: Published, from: string): Promise<string> {
  const text = await readFile(join(from, name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Whether a file is no output of a source that is gone. What pages load is bundled from node/browser, and has no source of its name. */
function hasSource(path: string): boolean {
  if (path.includes('/node/dist/browser')) return true;
  const output = /^(.*\/)dist\/(.*)\.(?:js|d\.ts)$/.exec(path);
  return output === null || existsSync(`${output[1]}src/${output[2]}.ts`);
}

/** Gives what is under `stage` the modes that are published, whatever the umask was under which it was written. */
async function normaliseModes(stage: string): Promise<void> {
  for (const each of await readdir(stage, { recursive: true, withFileTypes: true })) {
    const isProgram = each.parentPath.endsWith('/bin');
    const mode = each.isDirectory() || isProgram ? 0o755 : 0o644;
    await chmod(join(each.parentPath, each.name), mode);
  }
}

/**
 * Packs packages of the built tree `from` into the folder `into` and returns the paths of the tarballs, in the order asked for. It
 * works on a copy, because packing changes files that a test may be reading.
 */
export async function pack(
  into: string,
  names: readonly Published[] = PUBLISHED,
  from: string = ROOT,
): Promise<readonly string[]> {
  const stage = await mkdtemp(join(tmpdir(), 'assay-stage-'));
  try {
    for (const each of [...SHARED, ...names]) {
      await cp(join(from, each), join(stage, each), { recursive: true, filter: hasSource });
    }
    await normaliseModes(stage);
    await linkModules(stage, names);
    const made: string[] = [];
    for (const name of names) {
      const args = ['pack', '--pack-destination', into, '--cache', join(stage, '.cache')];
      await run('npm', args, { cwd: join(stage, name) });
      made.push(join(into, `assay-${name}-${await versionOf(name, from)}.tgz`));
    }
    return made;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}
