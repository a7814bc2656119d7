import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { logRow } from '@assay/core/view/log';
import { chained, keyOf } from '../src/verifier/fixture/chained-log.ts';
import { wireBytes } from '../src/verifier/fixture/forge.ts';
import { bundleOf } from '../src/verifier/fixture/misdeeds.ts';
import { youngLog } from '../src/verifier/fixture/published.ts';
import { bundleFor } from '../src/verifier/fixture/recounted-bundle.ts';
import { pack } from '../release/pack.ts';
import { ROOT, sampleLog } from '../src/verifier/fixture/sample-log.ts';

const run = promisify(execFile);

/** Bytes that an auditor takes in to check a number (4.25 MiB, ADR 41), and packages. */
const MAX_BYTES = 4.25 * 1024 * 1024;
const MAX_PACKAGES = 5;

/** What our two packages import. */
const IMPORTED: readonly string[] = [
  dirname(fileURLToPath(import.meta.resolve('@noble/curves/bls12-381.js'))),
  dirname(fileURLToPath(import.meta.resolve('@noble/hashes/sha2.js'))),
  dirname(fileURLToPath(import.meta.resolve('@noble/ed25519'))),
];

async function bytesOf(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const info = await lstat(join(folder, name));
    if (info.isFile()) total += info.size;
  }
  return total;
}

async function packagesIn(modules: string): Promise<readonly string[]> {
  const names = await readdir(modules, { recursive: true });
  return names
    .filter((name) => /^(@[^/]+\/)?[^@./][^/]*\/package\.json$/.test(name))
    .map((name) => dirname(name))
    .sort();
}

test(
  'the verifier installs small, and checks a number on its own',
  { timeout: 300_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-install-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const tarballs = join(folder, 'tarballs');
    const home = join(folder, 'auditor');
    await mkdir(tarballs);
    await mkdir(home);
    const npm = (args: readonly string[], cwd: string): ReturnType<typeof run> =>
      run('npm', [...args, '--ignore-scripts', '--cache', join(folder, 'cache')], { cwd });
    await pack(tarballs, ['core', 'verifier']);
    await npm(['pack', '--pack-destination', tarballs, ...IMPORTED], folder);
    const files = (await readdir(tarballs)).map((name) => join(tarballs, name));
    assert.equal(files.length, 2 + IMPORTED.length);
    await writeFile(join(home, 'package.json'), '{"private":true,"type":"module"}');
    await npm(['install', '--offline', '--no-audit', '--no-fund', ...files], home);

    const modules = join(home, 'node_modules');
    const packages = await packagesIn(modules);
    assert.deepEqual(packages, [
      '@assay/core',
      '@assay/verifier',
      '@noble/curves',
      '@noble/ed25519',
      '@noble/hashes',
    ]);
    assert.equal(packages.length <= MAX_PACKAGES, true);
    const bytes = await bytesOf(modules);
    t.diagnostic(`${packages.length} packages, ${bytes} bytes`);
    assert.equal(bytes < MAX_BYTES, true, `${bytes} bytes`);
    for (const name of ['core', 'verifier']) {
      const shipped = await readdir(join(modules, '@assay', name), { recursive: true });
      const odd = shipped.filter(
        (file) =>
          /\.\w+$/.test(file) &&
          !/\.(js|d\.ts)$|^package\.json$|^README\.md$|^schema\/verdict-1\.json$/.test(file),
      );
      assert.deepEqual(odd, [], name);
    }

    // The library example of the documentation, as it stands.
    const page = await readFile(join(ROOT, 'docs', 'verify.md'), 'utf8');
    const example = /```js\n([^]+?)```/.exec(page)?.[1] ?? '';
    await writeFile(
      join(home, 'settle.js'),
      [
        "import { readFile } from 'node:fs/promises';",
        'const [, , file, key, ...cosignerKeys] = process.argv;',
        'const now = Math.floor(Date.now() / 1000);',
        'const bytes = new Uint8Array(await readFile(file));',
        'const settle = ({ ticker, period, value }) => console.log(`${ticker} ${period} ${value}`);',
        example,
        "if (verdict.outcome !== 'verified') console.log(verdict.findings.map(({ code }) => code).join(' '));",
      ].join('\n'),
    );
    const cosigners = [keyOf('ada'), keyOf('cleo')];
    const settled = async (
      file: Uint8Array | string,
      key: string,
      named: readonly string[] = cosigners,
    ): Promise<string> => {
      await writeFile(join(home, 'number.json'), file);
      const args = ['settle.js', 'number.json', key, ...named];
      const { stdout, stderr } = await run(process.execPath, args, { cwd: home });
      assert.equal(stderr, '');
      return stdout;
    };
    const recounted = chained();
    const vkey = logRow(recounted.published.views)?.checkpoint_vkey ?? '';
    const good = JSON.stringify(await bundleFor(recounted, '2026-07-18', null));
    assert.equal(await settled(good, vkey), 'LAYOFFS 2026-07-18 216000\n');
    assert.equal(
      await settled(good.replace('"print":"61', '"print":"60'), vkey),
      'print_differs\n',
    );
    // One of those who agreed is nobody whom this reader knows.
    const stranger = [keyOf('ada'), '12'.repeat(32)];
    assert.equal(await settled(good, vkey, stranger), 'quorum_below_policy\n');
    // A log that asks for no co-signer: sound, and not enough for this reader, who asked for another period, too.
    const alone = await sampleLog();
    const unasked = wireBytes(await bundleOf(youngLog(alone)));
    assert.equal(
      await settled(unasked, alone.checkpoints.vkey),
      'bundle_other quorum_below_policy\n',
    );

    // A program in TypeScript gets the types with it, without Node's or a browser's.
    await writeFile(
      join(home, 'settle.ts'),
      [
        "import { type NumberFacts, OPEN_POLICY, verify } from '@assay/verifier';",
        'export async function numberOf(bytes: Uint8Array): Promise<NumberFacts | null> {',
        "  const verdict = await verify({ kind: 'bundle', bytes }, OPEN_POLICY);",
        "  return verdict.outcome === 'verified' ? verdict.number : null;",
        '}',
      ].join('\n'),
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
    const libraries = ['--lib', 'es2023', '--types', ''];
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    await run(tsc, [...options, ...libraries, 'settle.ts'], { cwd: home });
  },
);
