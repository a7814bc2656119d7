import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { siteOf, siteReader, youngLog } from '../src/verifier/fixture/published.ts';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import { promisify } from 'node:util';
import { pack, PUBLISHED, type Published, SHARED } from '../release/pack.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';

// What is published, as somebody gets it who has nothing else: each package from its tarball.

const run = promisify(execFile);

let folder = '';
let packed: readonly string[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-packages-'));
  const tarballs = join(folder, 'tarballs');
  await mkdir(tarballs);
  packed = await pack(tarballs);
  for (const [i, name] of PUBLISHED.entries()) {
    await mkdir(shipped(name), { recursive: true });
    await run('tar', ['xzf', packed[i] as string, '--strip-components=1', '-C', shipped(name)]);
  }
});

after(() => rm(folder, { recursive: true, force: true }));

/** The folder that a package is unpacked to, where the others and their users find it. */
function shipped(name: Published): string {
  return join(folder, 'home', 'node_modules', '@assay', name);
}

async function filesOf(name: Published): Promise<readonly string[]> {
  const names = await readdir(shipped(name), { recursive: true, withFileTypes: true });
  return names
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(shipped(name).length + 1))
    .sort();
}

/** The demo is part of the repository and not of what is published; the command says so where it is asked for. */
const LEFT_OUT = ['@assay/node/dev/demo', '@assay/node/dev/development-indices'];

for (const name of PUBLISHED) {
  test(`packages: ${name} has the licence, and no development network, test or map`, async () => {
    const files = await filesOf(name);
    assert.ok(files.includes('LICENSE') && files.includes('package.json'));
    const odd = files.filter(
      (file) =>
        /(^|\/)(development|dev|test|fixture)\//.test(file) ||
        /\.(test\.\w+|map|tsbuildinfo)$/.test(file) ||
        (file.endsWith('.ts') && !file.endsWith('.d.ts')),
    );
    assert.deepEqual(odd, []);
    for (const file of files.filter((each) => each.endsWith('.js'))) {
      const text = await readFile(join(shipped(name), file), 'utf8');
      assert.equal(text.includes('sourceMappingURL'), false, file);
    }
  });

  test(`packages: what ${name} imports is in it, or in a package that it names`, async () => {
    const own = JSON.parse(await readFile(join(shipped(name), 'package.json'), 'utf8')) as Record<
      'dependencies' | 'optionalDependencies' | 'peerDependencies',
      Record<string, string> | undefined
    >;
    const named = Object.keys({
      ...own.dependencies,
      ...own.optionalDependencies,
      ...own.peerDependencies,
    });
    const missing: string[] = [];
    for (const file of (await filesOf(name)).filter((each) => /\.(js|d\.ts)$/.test(each))) {
      const text = await readFile(join(shipped(name), file), 'utf8');
      for (const [, from = ''] of text.matchAll(/(?:from |import |import\()'([^'\s]+)'/g)) {
        if (from.startsWith('node:') || LEFT_OUT.includes(from)) continue;
        const place = `${file}: ${from}`;
        if (from.startsWith('.')) {
          const path = join(shipped(name), dirname(file), from);
          if (!existsSync(path) && !existsSync(path.replace(/\.ts$/, '.d.ts'))) missing.push(place);
          continue;
        }
        const [, other, path] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(from) ?? [];
        if (!named.includes(other ?? '')) missing.push(place);
        const assay = /^@assay\/(\w+)$/.exec(other ?? '')?.[1];
        if (assay === undefined) continue;
        const target = join(
          folder,
          'home/node_modules/@assay',
          assay,
          'dist',
          `${path ?? 'index'}.js`,
        );
        if (!existsSync(target)) missing.push(place);
      }
    }
    assert.deepEqual(missing, []);
  });
}

test('packages: node has everything that its pages load', async () => {
  const built = await readdir(join(ROOT, 'node', 'dist', 'browser'));
  assert.ok(built.includes('docs.js') && built.includes('page.css'));
  const packedFiles = await readdir(join(shipped('node'), 'dist', 'browser'));
  assert.deepEqual(packedFiles.sort(), built.sort());
});

test('packages: the same bytes when they are packed again from private files, under another umask', async () => {
  const [again, source] = [join(folder, 'again'), join(folder, 'private')];
  await mkdir(again);
  for (const each of [...SHARED, ...PUBLISHED])
    await cp(join(ROOT, each), join(source, each), { recursive: true });
  await run('chmod', ['-R', 'u=rwX,go=', source]);
  const umask = process.umask(0o077);
  const others = await pack(again, PUBLISHED, source).finally(() => process.umask(umask));
  for (const [i, path] of others.entries()) {
    assert.ok((await readFile(path)).equals(await readFile(packed[i] as string)), path);
    const { stdout } = await run('tar', ['tvzf', path]);
    for (const line of stdout.trimEnd().split('\n')) {
      const mode = / package\/bin\//.test(line) ? '-rwxr-xr-x' : '-rw-r--r--';
      assert.equal(line.slice(0, 10), mode, line);
    }
  }
});

/** A package's file `package.json`, as far as these tests read it. */
interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

async function manifestOf(name: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, name, 'package.json'), 'utf8')) as Manifest;
}

test('packages: a relative link of a packed page leads to a packed file', async () => {
  const pages: string[] = [];
  for (const name of PUBLISHED) {
    for (const page of (await filesOf(name)).filter((each) => each.endsWith('.md'))) {
      pages.push(`${name}/${page}`);
      const text = await readFile(join(shipped(name), page), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const path = join(shipped(name), dirname(page), target);
        const isInside = path.startsWith(join(shipped(name), '/'));
        assert.ok(isInside && existsSync(path), `${name}/${page} links to ${target}`);
      }
    }
  }
  assert.deepEqual(pages, ['verifier/README.md', 'chain/README.md']);
});

/** The pages that say how packages are installed and what is imported from them. */
const INSTALLING = [
  'docs/compatibility.md',
  'docs/verify.md',
  'docs/venues.md',
  'docs/tutorials/README.md',
];
const PAGES = [...INSTALLING, 'README.md', 'verifier/README.md', 'chain/README.md'];

test('packages: each line that installs tarballs names all the packages of ours that these ask for', async () => {
  const lines: string[] = [];
  for (const page of [...INSTALLING, 'verifier/README.md', 'chain/README.md']) {
    const text = await readFile(join(ROOT, page), 'utf8');
    const found = [...text.matchAll(/npm install (?:--ignore-scripts )?((?:\.\/\S+\.tgz ?)+)/g)];
    assert.ok(found.length > 0, page);
    for (const [line, tarballs = ''] of found) {
      lines.push(line);
      const files = tarballs.trim().split(' ');
      for (const file of files) {
        const name = /^\.\/assay-(\w+)-/.exec(file)?.[1] ?? '';
        const { version, dependencies } = await manifestOf(name);
        assert.equal(file, `./assay-${name}-${version}.tgz`, page);
        for (const other of Object.keys(dependencies).filter((each) => each.startsWith('@assay/')))
          assert.ok(files.includes(`./assay-${other.slice(7)}-${version}.tgz`), `${page}: ${line}`);
      }
    }
  }
  assert.ok(PUBLISHED.every((name) => lines.some((line) => line.includes(`/assay-${name}-`))));
});

test('packages: what the pages tell others to import is declared by its name', async () => {
  const found = new Set<string>();
  for (const page of PAGES) {
    // The page names one path that is not stable, as an example of it.
    const text = (await readFile(join(ROOT, page), 'utf8')).replace('`@assay/core/log/entry`', '');
    for (const [specifier, name = '', path = ''] of text.matchAll(
      /@assay\/(\w+)((?:\/[\w-]+)*)/g,
    )) {
      if (path === '' && page === 'docs/compatibility.md') continue;
      found.add(specifier);
      if (path === '' && !['verifier', 'chain'].includes(name)) continue;
      assert.ok(
        Object.hasOwn((await manifestOf(name)).exports, `.${path}`),
        `${page}: ${specifier}`,
      );
    }
  }
  for (const each of ['@assay/verifier', '@assay/chain', '@assay/chain/venue-web3'])
    assert.ok(found.has(each), each);
});

/** What `names` need of others, from this repository's own installation. */
async function bring(names: readonly string[]): Promise<void> {
  const brought = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (brought.has(name)) continue;
    brought.add(name);
    const from = join(ROOT, 'node_modules', name);
    await cp(from, join(folder, 'home', 'node_modules', name), { recursive: true });
    const { dependencies = {} } = JSON.parse(
      await readFile(join(from, 'package.json'), 'utf8'),
    ) as { readonly dependencies?: Record<string, string> };
    queue.push(...Object.keys(dependencies));
  }
}

const TSC = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];

test('packages: the front doors open in an empty folder, with types and doc comments', async () => {
  const home = join(folder, 'home');
  await bring(['@noble/curves', '@noble/hashes', '@noble/ed25519', '@solana/kit', 'ws']);
  await writeFile(join(home, 'package.json'), '{"private":true,"type":"module"}');
  await writeFile(
    join(home, 'use.ts'),
    [
      "import { finalOf, type FinalPrint, type VenueRequest, type VenueRpc } from '@assay/chain';",
      "import { OPEN_POLICY, verify, type Verdict } from '@assay/verifier';",
      'export const settle = (rpc: VenueRpc, request: VenueRequest): Promise<FinalPrint> =>',
      '  finalOf(rpc, request);',
      'export const check = (bytes: Uint8Array): Promise<Verdict> =>',
      "  verify({ kind: 'bundle', bytes }, OPEN_POLICY);",
      'const verdict = await check(new Uint8Array([123, 125]));',
      "const code = verdict.outcome === 'incomplete' ? verdict.cause : undefined;",
      'console.log(verdict.outcome, code, typeof settle);',
    ].join('\n'),
  );
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const libraries = ['--lib', 'es2023,dom', '--types', '', '--skipLibCheck'];
  await run(tsc, [...TSC, ...libraries, 'use.ts'], { cwd: home });
  await run(tsc, [...TSC.slice(2), ...libraries, 'use.ts'], { cwd: home });
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: home });
  assert.equal(stdout, 'incomplete not_a_bundle function\n');
  for (const [name, file, words] of [
    ['verifier', 'verify.d.ts', 'The verdict on a subject under a policy'],
    ['chain', 'venue.d.ts', 'the first final of a period'],
  ] as const) {
    const text = await readFile(join(shipped(name), 'dist', file), 'utf8');
    assert.ok(text.toLowerCase().includes(words.toLowerCase()), `${name}: ${words}`);
  }
});

test('packages: the library examples of the README files check a log that is served', async (t) => {
  const reader = siteReader(siteOf(youngLog(await sampleLog())));
  const server = createServer((request, response) => {
    void reader.get(request.url ?? '/').then(({ status, body, logSize }) => {
      if (logSize !== undefined) response.setHeader('assay-log-size', logSize);
      response.writeHead(status).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const page of ['README.md', 'verifier/README.md']) {
    const example = /```js\n([^]+?)```/.exec(await readFile(join(ROOT, page), 'utf8'))?.[1] ?? '';
    const here = example.replace('http://127.0.0.1:8787', `http://127.0.0.1:${port}`);
    assert.notEqual(here, example, page);
    await writeFile(join(folder, 'home', 'example.js'), here);
    const home = { cwd: join(folder, 'home') };
    const { stdout } = await run(process.execPath, ['example.js'], home);
    assert.equal(stdout, 'verified\n', page);
  }
});
