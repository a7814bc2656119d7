import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(fileURLToPath(new URL('../../../', import.meta.url)));

/** What each package may import: itself by relative paths, and these. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: ['@noble/hashes'],
  verifier: ['@assay/core', '@noble/ed25519', '@noble/hashes'],
  chain: ['@assay/core', '@solana/kit'],
  node: [
    '@assay/chain',
    '@assay/core',
    '@assay/verifier',
    'node:',
    '@scure/base',
    'abstract-level',
    'level',
    'memory-level',
    'pino',
    'prom-client',
    'uWebSockets.js',
    'unpdf',
    'zod',
    'zod-openapi',
  ],
  cli: ['@assay/chain', '@assay/core', '@assay/verifier', '@assay/node', 'node:'],
};

/** What a folder may import beyond its package. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'chain/src/development/': ['litesvm', 'node:'],
};

function allowedIn(file: string, allowed: readonly string[]): readonly string[] {
  const path = relative(ROOT, file);
  const folder = Object.keys(ALSO).find((each) => path.startsWith(each));
  return folder === undefined ? allowed : [...allowed, ...(ALSO[folder] ?? [])];
}

/** Names that only Node has, and that a browser package must not mention. */
const NODE_ONLY = /\b(?:Buffer|process|require|__dirname|setImmediate)\b(?!['"])/;

function sources(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder, 'src'), { recursive: true })
    .map((name) => join(ROOT, folder, 'src', String(name)))
    .filter((name) => name.endsWith('.ts'))
    .sort();
}

function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\b[^;']*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic) as string);
}

/** A file's code without comments and strings. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\/\/.*/g, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''");
}

for (const [layer, allowed] of Object.entries(LAYERS)) {
  test(`layers: ${layer} imports only to the left`, () => {
    const files = sources(layer);
    assert.ok(files.length > 0, `no source under ${layer}`);
    for (const file of files) {
      for (const name of importsOf(file)) {
        const place = `${relative(ROOT, file)} imports ${name}`;
        if (name.startsWith('.')) {
          const target = resolve(file, '..', name);
          assert.ok(target.startsWith(join(ROOT, layer, 'src')), place);
          assert.ok(name.endsWith('.ts'), `${place}: relative imports name the .ts file`);
          continue;
        }
        const fits = allowedIn(file, allowed).some(
          (each) => name === each || name.startsWith(each.endsWith(':') ? each : `${each}/`),
        );
        assert.ok(fits, place);
      }
    }
  });
}

for (const layer of ['core', 'verifier']) {
  test(`layers: ${layer} runs in a browser`, () => {
    for (const file of sources(layer)) {
      const found = NODE_ONLY.exec(codeOf(file));
      assert.equal(found, null, `${relative(ROOT, file)} mentions ${found?.[0]}`);
    }
  });
}

/** Whether a file compiles to nothing: types alone, which every user of them tests. */
function isTypesOnly(layer: string, stem: string): boolean {
  const code = readFileSync(join(ROOT, layer, 'dist', `${stem}.js`), 'utf8');
  return code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|export \{\};?/g, '').trim() === '';
}

/** Files, or whole folders, whose test has another name: parts of what that test drives as a whole. */
const TESTED_BY: Readonly<Record<string, string>> = {
  'verifier/src/log/log-walk.ts': 'src/verifier/tamper-log.test.ts',
  'verifier/src/check/revision-check.ts': 'src/verifier/misdeeds.test.ts',
  'verifier/src/watch/head-compare.ts': 'src/verifier/watch/watch.test.ts',
  'verifier/src/subject/entry-stream.ts': 'src/verifier/tamper-log.test.ts',
  'verifier/src/watch/watched-log.ts': 'src/verifier/watch/watch.test.ts',
  'verifier/src/subject/session.ts': 'src/verifier/verify.test.ts',
  'verifier/src/subject/verify-folder.ts': 'src/verifier/tamper-folder.test.ts',
  'node/src/api/index-routes.ts': 'src/node/api/routes.test.ts',
  'node/src/api/log-routes.ts': 'src/node/api/routes.test.ts',
  'node/src/api/schema/': 'src/node/api/contract.test.ts',
  'node/src/api/operation/index-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/operation/log-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/dev/recounter-child.ts': 'src/node/dev/demo.test.ts',
  'node/src/dev/recounter-process.ts': 'src/node/dev/demo.test.ts',
  'node/src/api/operation/statement-operations.ts': 'src/node/api/statement-routes.test.ts',
  'node/src/cosign/cosigner-concerns.ts': 'src/node/cosign/reception.test.ts',
  'node/src/cosign/report-words.ts': 'src/node/cosign/reception.test.ts',
  'node/src/api/operation/index-entry-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/index-entry-routes.ts': 'src/node/api/contract.test.ts',
  'node/src/api/operation/proof-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/operation/receipt-operations.ts': 'src/node/api/receipt-routes.test.ts',
  'node/src/api/operation/terminal-operations.ts': 'src/node/api/terminal-routes.test.ts',
  'node/src/api/answer-header.ts': 'src/node/api/openapi.test.ts',
  'node/src/api/operation/service-operations.ts': 'src/node/api/contract.test.ts',
  'node/src/api/publication.ts': 'src/node/api/routes.test.ts',
  'node/src/service.ts': 'src/node/halted.test.ts',
  'node/src/metrics.ts': 'src/node/api/routes.test.ts',
  'node/src/ledger/kept-note.ts': 'src/node/ledger/publishing.test.ts',
  'node/src/witness/client/file-shown-note.ts': 'src/node/witness/client/gathering.test.ts',
  'node/src/ledger/held.ts': 'src/node/ledger/head-guard-suite.ts',
  'node/src/source/solana-instructions.ts': 'src/node/source/recorded-shapes.test.ts',
  'node/src/source/pdf-worker.ts': 'src/node/source/pdf-text.test.ts',
  'node/src/source/readings.ts': 'src/node/source/reading-thread.test.ts',
  'node/src/source/reading-worker.ts': 'src/node/source/reading-thread.test.ts',
  'node/src/restore/': 'src/node/restore/restore.test.ts',
  'node/src/recounter/poll/followed-log.ts': 'src/node/recounter/recounter.test.ts',
  'node/src/recounter/poll/looks.ts': 'src/node/recounter/recounter.test.ts',
  'node/src/recounter/recounter-folder.ts': 'src/node/recounter/own-log.test.ts',
  'node/src/recounter/recounter-routes.ts': 'src/node/recounter/recounter.test.ts',
  'node/src/recounter/poll/signed-print.ts': 'src/node/recounter/poll/two-prints.test.ts',
  'node/src/recounter/poll/words.ts': 'src/node/recounter/crash.test.ts',
  'node/src/production/production.ts': 'src/node/production/production.test.ts',
  'node/src/terminal/terminal-config.ts': 'src/node/production/terminal-world.test.ts',
  'node/src/terminal/vendor/tick-source.ts': 'src/node/terminal/vendor/coingecko.test.ts',
  'node/src/terminal/vendor/vendor-answer.ts': 'src/node/terminal/vendor/coingecko.test.ts',
  'node/src/terminal/vendor/vendor-batches.ts': 'src/node/terminal/vendor/coingecko.test.ts',
};

function testedBy(file: string): string {
  return TESTED_BY[file] ?? TESTED_BY[file.replace(/[^/]+$/, '')] ?? 'none';
}

test('layers: every source file has its test', () => {
  const tests = ['src', 'interop', 'fault']
    .flatMap((folder) =>
      readdirSync(join(ROOT, 'test', folder), { recursive: true }).map((name) =>
        join(ROOT, 'test', folder, String(name)),
      ),
    )
    .filter((name) => name.endsWith('.ts'));
  const tested = new Set(tests.flatMap(importsOf));
  const untested = ['core', 'verifier', 'chain', 'node'].flatMap((layer) =>
    sources(layer)
      .map((file) => relative(join(ROOT, layer, 'src'), file).replace(/\.ts$/, ''))
      .filter(
        (stem) =>
          !tested.has(`@assay/${layer}/${stem}`) &&
          !existsSync(join(ROOT, 'test', 'src', layer, `${stem}.test.ts`)) &&
          !isTypesOnly(layer, stem),
      )
      .map((stem) => `${layer}/src/${stem}.ts`)
      .filter((file) => !existsSync(join(ROOT, 'test', testedBy(file)))),
  );
  assert.deepEqual(untested, []);
});

/** What a package says that others may import. */
function exportsOf(layer: string): Record<string, { types: string; default: string }> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, layer, 'package.json'), 'utf8')) as {
    exports: Record<string, { types: string; default: string }>;
  };
  return exports;
}

test('layers: what a verifier installs exports its files by one pattern, for a list is larger than many of them', () => {
  for (const layer of ['core', 'verifier']) {
    assert.deepEqual(exportsOf(layer), {
      './*': { types: './dist/*.d.ts', default: './dist/*.js' },
    });
  }
});

test('layers: exports are listed by name, and each is there', () => {
  for (const layer of ['chain', 'node']) {
    const exports = exportsOf(layer);
    const names = sources(layer)
      .map((file) => `./${relative(join(ROOT, layer, 'src'), file).replace(/\.ts$/, '')}`)
      .sort();
    assert.deepEqual(Object.keys(exports).sort(), names, layer);
    for (const name of names) {
      const stem = `./dist/${name.slice(2)}`;
      assert.deepEqual(exports[name], { types: `${stem}.d.ts`, default: `${stem}.js` }, name);
    }
  }
});
