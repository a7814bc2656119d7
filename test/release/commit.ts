// The files of a commit in a folder of their own, compiled there: what a release is packed from, and what an earlier one is made of.
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { ReleaseError } from './release-error.ts';

const run = promisify(execFile);

/**
 * The commit that is checked out in `root`, in hex. Throws `uncommitted` where a file differs from it or is not part of it, files that
 * git ignores excepted.
 */
export async function headOf(root: string): Promise<string> {
  const { stdout } = await run('git', ['status', '--porcelain'], { cwd: root });
  const [first = ''] = stdout.split('\n');
  if (first !== '') throw new ReleaseError('uncommitted', `${root} has changes: ${first.trim()}`);
  return (await run('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout.trim();
}

/** Writes the files of a commit of the repository `root` into `source`, a new folder: those under `paths` alone. */
export async function extract(
  root: string,
  commit: string,
  source: string,
  paths: readonly string[],
): Promise<void> {
  const archive = `${source}.tar`;
  await mkdir(source, { recursive: true });
  await run('git', ['archive', '-o', archive, commit, ...paths], { cwd: root });
  await run('tar', ['xf', archive, '-C', source]);
  await rm(archive);
}

/** Makes `folder` find the libraries of others in this repository's installation, and the packages `names` in itself. */
export async function linkModules(folder: string, names: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@assay'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name === '@assay') continue;
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const name of names) await symlink(join(folder, name), join(modules, '@assay', name));
}

/** Runs the installed compiler in `source`. Throws `build_failed` with its first complaint. */
export async function compile(source: string, args: readonly string[]): Promise<void> {
  try {
    await run(join(ROOT, 'node_modules', '.bin', 'tsc'), args, { cwd: source });
  } catch (error) {
    const [first = ''] = (error as { readonly stdout: string }).stdout.split('\n');
    throw new ReleaseError('build_failed', `tsc ${args.join(' ')}: ${first}`);
  }
}

/** Makes what the pages of a node load, in a compiled `source`. Throws `build_failed`. */
export async function bundlePages(source: string): Promise<void> {
  try {
    await run(process.execPath, [join(source, 'node', 'browser', 'bundle.js')], { cwd: source });
  } catch (error) {
    const { stderr } = error as { readonly stderr: string };
    const lines = stderr.split('\n');
    const first = lines.find((line) => /error/i.test(line)) ?? lines[0];
    throw new ReleaseError('build_failed', `bundle.js: ${first}`);
  }
}
