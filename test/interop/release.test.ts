import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { checkRelease, RELEASE_NOTE } from '@assay/cli/release/release-check';
import { parseNoteKey } from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { PORTABLE } from '@assay/verifier';
import { makeRelease, type Release } from '../release/make-release.ts';
import { PUBLISHED } from '../release/pack.ts';
import { ReleaseError } from '../release/release-error.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { signerFrom } from '../src/verifier/fixture/sample-log.ts';

// What is signed is what the repository's commit has, and nothing that lies beside it.

const run = promisify(execFile);

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-releasing-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A clone of this repository at its commit. */
async function clone(folder: string): Promise<string> {
  const root = join(folder, 'clone');
  await run('git', ['clone', '--quiet', '--shared', ROOT, root]);
  return root;
}

test('release: it is built from the commit, and not from what lies in dist', async (t) => {
  const folder = await folderOf(t);
  const root = await clone(folder);
  const into = join(folder, 'into');
  // git ignores what is built, so that the tree has no changes.
  const planted = join(root, 'verifier', 'dist', 'index.js');
  await mkdir(dirname(planted));
  await writeFile(planted, '// planted\n');
  let release: Release;
  try {
    release = await makeRelease(root, into, signerFrom('release'));
  } catch (error) {
    if (!(error instanceof ReleaseError) || error.code !== 'unreachable') throw error;
    t.skip(`no release was made: ${error.message}`);
    return;
  }
  const head = (await run('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout.trim();
  const key = parseNoteKey(nodeSha256, release.vkey);
  const { version } = release;
  const bill = `assay-${version}.cdx.json`;
  const names = [...PUBLISHED.map((name) => `assay-${name}-${version}.tgz`), bill].sort();
  assert.deepEqual(await checkRelease(into, key, PORTABLE), {
    version,
    commit: head,
    files: names,
    findings: [],
  });
  assert.deepEqual((await readdir(into)).sort(), [...names, RELEASE_NOTE].sort());
  const index = ['xzOf', join(into, `assay-verifier-${version}.tgz`), 'package/dist/index.js'];
  const { stdout: shipped } = await run('tar', index);
  assert.match(shipped, /export \{/);
  assert.equal(shipped.includes('planted'), false);
  // A node does not start without the code of its pages.
  const { stdout: listed } = await run('tar', ['tzf', join(into, `assay-node-${version}.tgz`)]);
  assert.match(listed, /^package\/dist\/browser\/docs\.js$/m);
  assert.match(listed, /^package\/dist\/browser\/page\.css$/m);

  // The bill says what an installer gets: nothing private, no override of this repository's, and no place of this machine.
  const text = await readFile(join(into, bill), 'utf8');
  const { components } = JSON.parse(text) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  const versionsOf = (name: string): readonly string[] =>
    components.filter((each) => each.name === name).map((each) => each.version);
  const ours = components.filter(({ name }) => name.startsWith('@assay/')).map(({ name }) => name);
  assert.deepEqual(ours.sort(), PUBLISHED.map((name) => `@assay/${name}`).sort());
  assert.deepEqual(versionsOf('commander'), ['15.0.0']);
  assert.deepEqual(versionsOf('typescript'), []);
  assert.doesNotMatch(text, /"url": "(?:https?|file):/);
});

test('release: a tree that is not what its commit has is refused, and nothing is written', async (t) => {
  const folder = await folderOf(t);
  const root = await clone(folder);
  const into = join(folder, 'into');
  const refused = (code: string): Promise<void> =>
    assert.rejects(makeRelease(root, into, signerFrom('release')), { code });
  const other = join(root, 'verifier', 'src', 'other.ts');
  await writeFile(other, 'export {};\n');
  await refused('uncommitted');
  await rm(other);
  await appendFile(join(root, 'verifier', 'src', 'index.ts'), '// changed\n');
  await refused('uncommitted');
  await run('git', ['add', '.'], { cwd: root });
  await refused('uncommitted');
  await assert.rejects(readdir(into), { code: 'ENOENT' });
  await mkdir(into);
  await writeFile(join(into, 'something'), '');
  await refused('not_empty');
});

test('release: a mistake is one line with a fixed code, and the exit code 2', async (t) => {
  const folder = await folderOf(t);
  const root = await clone(folder);
  const open = join(folder, 'open');
  await mkdir(open, { mode: 0o755 });
  const program = join(ROOT, 'test', 'dist', 'release', 'release.js');
  const mistakes: readonly (readonly [code: string, ...args: readonly string[]])[] = [
    ['usage', '--foo'],
    ['usage'],
    ['usage', '--key', join(open, 'key.json'), 'operand'],
    ['not_empty', '--key', join(open, 'key.json'), '--into', ROOT],
    ['key_missing', '--key', join(folder, 'none.json'), '--into', join(folder, 'into')],
    ['key_exposed', '--key', join(open, 'key.json'), '--new-key', '--into', join(folder, 'into')],
  ];
  for (const [code, ...args] of mistakes) {
    const ran = run(process.execPath, [program, ...args, '--repository', root]);
    const {
      code: exit,
      stdout,
      stderr,
    } = await ran.then(
      () => assert.fail(`${args.join(' ')} was taken`),
      (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error,
    );
    assert.deepEqual([exit, stdout], [2, ''], code);
    assert.match(stderr, new RegExp(`^release: ${code}: [^\\n]+; see CONTRIBUTING\\.md\\n$`));
  }
});
