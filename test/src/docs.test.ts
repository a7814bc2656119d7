import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { WireValue } from '@assay/core/wire/wire';
import { CONFIG_FIELDS } from '@assay/node/production/config';
import { RECOUNTER_FIELDS } from '@assay/node/recounter/recounter-config';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { parseTime } from '@assay/core/time/time';
import { FINDING_CODES, type FindingCode, isDemand } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY, parsePolicy } from '@assay/verifier/verdict/policy';
import {
  MAX_RESERVATIONS,
  noReservations,
  RESERVATION_CLASSES,
} from '@assay/verifier/verdict/reservation';
import type { NumberFacts } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { CHECKPOINTS } from './node/ledger/ledger-fixture.ts';
import { chained, keyOf } from './verifier/fixture/chained-log.ts';
import { wireBytes } from './verifier/fixture/forge.ts';
import { nodeRows, recounterRows } from './reference/config-page.ts';
import { bundleFor } from './verifier/fixture/recounted-bundle.ts';

const ROOT = resolve(fileURLToPath(new URL('../../../', import.meta.url)));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const PAGES = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((name) => `docs/${String(name)}`)
    .filter((name) => name.endsWith('.md'))
    .sort(),
  ...readdirSync(join(ROOT, 'samples'), { recursive: true })
    .map((name) => `samples/${String(name)}`)
    .filter((name) => name.endsWith('/README.md')),
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

/** The names that a page gives its headings in links, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let i = 1; anchors.has(anchor); i += 1) anchor = `${slug}-${i}`;
    anchors.add(anchor);
  }
  return anchors;
}

test('docs: a link to a place of a page leads to a heading that is there', () => {
  const missing: string[] = [];
  for (const page of PAGES) {
    for (const [, target = '', anchor = ''] of read(page).matchAll(/\]\(([^)#]*)#([^)]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = target === '' ? page : join(dirname(page), target);
      if (path.endsWith('.md') && !anchorsOf(read(path)).has(anchor)) {
        missing.push(`${page}: ${target}#${anchor}`);
      }
    }
  }
  assert.deepEqual(missing, []);
});

test('docs: every default of a configuration is the one that holds', () => {
  for (const [path, rows] of [
    ['docs/config.md', nodeRows()],
    ['docs/recount.md', recounterRows()],
  ] as const) {
    const told = new Map<string, string | undefined>();
    for (const [, name = '', fallback] of read(path).matchAll(
      /^\| `([a-z_.]+)` \| (?:`([^`]*)`|none) \|/gm,
    )) {
      told.set(name, fallback);
    }
    const compared = rows.filter(({ name }) => told.has(name));
    assert.ok(compared.length > 30, path);
    for (const { name, fallback } of compared) {
      const plain = told.get(name)?.replaceAll(' ', '');
      assert.ok(plain === fallback || `"${plain}"` === fallback, `${path}: ${name} is ${fallback}`);
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

test('docs: the example of the library settles on co-signers whom the policy names, and on no others', async () => {
  const code =
    /```js\n(import \{ OPEN_POLICY, verify \}[\s\S]*?)```/.exec(read('docs/verify.md'))?.[1] ?? '';
  const body = code.replaceAll(/^import .*;$/gm, '');
  assert.match(body, /settle\(verdict\.number\)/);
  const names = ['verify', 'OPEN_POLICY', 'key', 'cosignerKeys', 'bytes', 'now', 'settle'];
  // oxlint-disable-next-line typescript/no-implied-eval -- the page is this repository's own
  const run = new Function(...names, `return (async () => {${body}})();`) as (
    ...values: readonly unknown[]
  ) => Promise<void>;
  const bytes = wireBytes(await bundleFor(chained(), '2026-07-18', null));
  const settledBy = async (...cosigners: readonly string[]): Promise<readonly string[]> => {
    const settled: string[] = [];
    const settle = ({ ticker, value }: NumberFacts): void =>
      void settled.push(`${ticker} ${value}`);
    const now = parseTime('2026-09-01T00:00:00Z' as never);
    await run(verify, OPEN_POLICY, CHECKPOINTS.vkey, cosigners, bytes, now, settle);
    return settled;
  };
  assert.deepEqual(await settledBy(keyOf('ada'), keyOf('cleo')), ['LAYOFFS 216000']);
  // Three of the publisher's own set agreed with this one, and one of these did.
  assert.deepEqual(await settledBy(keyOf('ada'), '12'.repeat(32)), []);
});

test('docs: the glossary is sorted, explains each term in two sentences, and has what is linked', () => {
  const [, ...sections] = read('docs/glossary.md').split('\n## ');
  const terms = sections.map((each) => each.split('\n')[0] as string);
  const lower = terms.map((term) => term.toLowerCase());
  assert.deepEqual(lower, lower.toSorted());
  for (const [i, section] of sections.entries()) {
    const text = section.split('\n').slice(2).join('\n').trim();
    const sentences = text.replaceAll(/\]\([^)]*\)/g, ']').match(/[.](?=\s|$)/g) ?? [];
    assert.equal(sentences.length, 2, terms[i]);
  }
  const slugs = new Set(
    lower.map((term) => term.replaceAll(/[^a-z0-9 -]/g, '').replaceAll(' ', '-')),
  );
  let linked = 0;
  for (const page of PAGES) {
    for (const [, slug = ''] of read(page).matchAll(/glossary\.md#([a-z0-9-]+)/g)) {
      assert.ok(slugs.has(slug), `${page} links to ${slug}`);
      linked += 1;
    }
  }
  assert.ok(linked > 0);
});

test('docs: each class of reservations has its row, in order, with the counts and the demands that there are', () => {
  const [, table = ''] =
    /\n\| class \|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)/.exec(read('docs/verify.md')) ?? [];
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    rows.map(([, cls]) => cls),
    RESERVATION_CLASSES,
  );
  const words = (cell = ''): readonly string[] =>
    [...cell.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word as string);
  const counts = rows.flatMap(([, , , first]) => words(first));
  assert.deepEqual(counts, Object.keys(noReservations()));
  const demands = rows.flatMap(([, , , , finding]) => words(finding));
  const codes = demands.filter((word) => (FINDING_CODES as readonly string[]).includes(word));
  assert.deepEqual(
    codes.filter((code) => isDemand({ code: code as FindingCode })),
    ['quorum_below_policy', 'number_unsettled', 'log_incomplete', 'witnesses_missing'],
  );
  const members = ['number', ...Object.keys(OPEN_POLICY)];
  for (const word of demands) assert.ok(codes.includes(word) || members.includes(word), word);
  for (const cls of RESERVATION_CLASSES) {
    const stated =
      cls === 'quorum' || cls === 'completeness' || cls === 'calendar' || cls === 'trust';
    assert.equal(MAX_RESERVATIONS[cls], stated ? 1000 : 100);
  }
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
