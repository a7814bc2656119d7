import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { WireValue } from '@assay/core/wire';
import { CONFIG_FIELDS } from '@assay/node/config';
import { RECOUNTER_FIELDS } from '@assay/node/recounter/recounter-config';
import { nodeSha256 } from '@assay/node/node-sha256';
import { parsePolicy } from '@assay/verifier/policy';

const ROOT = resolve(fileURLToPath(new URL('../../../', import.meta.url)));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...['docs', 'docs/spec', 'docs/adr'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

test('docs: every config field is explained, and none that is not there', () => {
  const [page = ''] = read('docs/config.md').split('## The data folder');
  const explained = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map((match) => match[1] as string);
  assert.deepEqual(explained.sort(), [...CONFIG_FIELDS].sort());
});

test("docs: every field of a recounter's config is explained, and none that is not there", () => {
  const [page = ''] = read('docs/recount.md').split('## The data folder');
  const explained = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map((match) => match[1] as string);
  assert.deepEqual(explained.sort(), [...RECOUNTER_FIELDS].sort());
});

test('docs: relative links lead somewhere', () => {
  for (const page of PAGES) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      assert.ok(existsSync(join(ROOT, dirname(page), target)), `${page} links to ${target}`);
    }
  }
});

test('docs: every npm script that a page names is there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const page of PAGES) {
    for (const [, name = ''] of read(page).matchAll(/npm run ([a-z]+)/g)) {
      assert.ok(Object.hasOwn(scripts, name), `${page} names npm run ${name}`);
    }
  }
});

test('docs: the policy example is a policy', () => {
  const match = /```json policy\n([\s\S]*?)```/.exec(read('docs/verify.md'));
  assert.ok(match?.[1] !== undefined, 'an example');
  assert.equal(parsePolicy(nodeSha256, JSON.parse(match[1]) as WireValue).strict, true);
});

test('docs: every dependency has a reason, and is pinned exactly', () => {
  const page = read('docs/dependencies.md');
  for (const name of ['.', 'core', 'verifier', 'chain', 'node', 'cli', 'test']) {
    const manifest = JSON.parse(read(join(name, 'package.json'))) as Record<
      string,
      Record<string, string> | undefined
    >;
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      for (const [dependency, version] of Object.entries(manifest[kind] ?? {})) {
        assert.match(version, /^(npm:[^@]*@?[^@]+@)?\d+\.\d+\.\d+$/, `${name}: ${dependency}`);
        if (dependency.startsWith('@assay/')) continue;
        assert.ok(page.includes(`\`${dependency}\``), `${name}: ${dependency} in the page`);
      }
    }
  }
});
