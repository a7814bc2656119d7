import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DOCS_CSP, docsPage, exampleTarget } from '@assay/node/api/document/docs-page';
import { escapeHtml } from '@assay/node/api/document/escape-html';
import { llmsText } from '@assay/node/api/document/llms-text';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { firstClose, withDemo } from '../../fixture/demo-node.ts';
import { firstBatch } from '../first-batch.ts';

test('documents page: texts of others are text, never markup', () => {
  assert.equal(escapeHtml(`<a href="x">'&`), '&lt;a href=&quot;x&quot;&gt;&#39;&amp;');
  const document = {
    openapi: '3.1.0',
    info: { title: '<b>', version: '1', description: 'one `<i>` **two**' },
    servers: [{ url: '/v1' }],
    tags: [],
    paths: {},
    components: { schemas: {}, headers: {} },
  } satisfies OpenApiDocument;
  const page = docsPage(
    document,
    [{ ticker: 'X', title: '<script>alert(1)</script>', cadence: 'daily', unit: '"' }],
    'http://<script>',
  );
  assert.doesNotMatch(page, /<script|<b>|<i>/);
  assert.match(page, /<code>&lt;i&gt;<\/code> <strong>two<\/strong>/);
  assert.match(docsPage(document, [], 'http://h'), /None yet/);
  assert.doesNotMatch(docsPage(document, [], 'http://h'), /<script|class="find"/);
});

test('documents page: an example takes the place of each parameter', () => {
  const parameters = [
    { name: 'ticker', in: 'path', description: '', schema: { examples: ['LAYOFFS'] } },
    { name: 'day', in: 'query', description: '', schema: { examples: ['a b'] } },
  ] as const;
  const given = parameters.map((each) => ({
    ...each,
    schema: { examples: [...each.schema.examples] },
  }));
  assert.equal(exampleTarget('/x/{ticker}', given), '/x/LAYOFFS?day=a%20b');
});

test('documents page: the whole document, with its own policy and nothing from elsewhere', async () => {
  await withDemo({}, async (base) => {
    await firstClose(base);
    const answer = await fetch(`${base}/docs`);
    const page = await answer.text();
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
    assert.equal(answer.headers.get('content-security-policy'), DOCS_CSP);
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.ok(DOCS_CSP.includes(`style-src 'sha256-${hash}'`));
    assert.match(DOCS_CSP, /^default-src 'none'; /);
    // The script that searches the page is all that a browser fetches, and all that runs.
    const scripts = [...page.matchAll(/<script[^>]*>[^<]*/g)].map(([tag]) => tag);
    assert.equal(scripts.length, 1);
    assert.match(
      scripts[0] ?? '',
      /^<script type="module" src="\/assets\/[0-9a-f]{16}\/docs\.js">$/,
    );
    assert.doesNotMatch(page, /<img|<iframe|@import|url\(|\son\w+=|\sstyle=/);
    for (const [, href = ''] of page.matchAll(/(?:href|src)="([^"]*)"/g)) {
      assert.match(href, /^(#|\/|data:,$)/, href);
    }
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of ['get', 'post'] as const) {
        const operation = item[method];
        if (operation === undefined) continue;
        assert.ok(page.includes(`id="${operation.operationId}"`), path);
        assert.ok(page.includes(`${method.toUpperCase()} ${path}`), path);
      }
    }
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) {
      assert.ok(ids.has(target as string), `#${target}`);
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (schema.type !== 'object') continue;
      assert.ok(ids.has(name), name);
      for (const field of Object.keys(schema.properties ?? {})) {
        assert.ok(page.includes(`<code>${field}</code>`), `${name}.${field}`);
      }
    }
    assert.match(page, /href="\/v1\/indices\/LAYOFFS"/);
    assert.ok(page.includes(`BASE=${base} `), 'the host that was asked');
    const versioned = await fetch(`${base}/v1`);
    assert.equal(await versioned.text(), page, '/v1 leads there');

    // Each address of the page that is one of ours answers.
    const targets = new Set(
      [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path as string),
    );
    for (const path of targets) assert.equal((await fetch(`${base}${path}`)).status, 200, path);

    // The calls of docs/api.md, as they stand there.
    const guide = readFileSync(new URL('../../../../../../docs/api.md', import.meta.url), 'utf8');
    const calls = [...guide.matchAll(/^ {4}curl "\$BASE([^"]+)"$/gm)].map(
      ([, path]) => path as string,
    );
    assert.ok(calls.length >= 9);
    const { checkpoint_digest: digest } = await firstBatch(base);
    for (const call of calls) {
      const path = call.replace('$DIGEST', digest);
      assert.equal((await fetch(`${base}${path}`)).status, 200, path);
    }

    const llms = await (await fetch(`${base}/llms.txt`)).text();
    assert.equal(llms, llmsText(document));
    assert.match(llms, /^# Assay\n\n> /);
    assert.ok(llms.length < 9000, `${llms.length} characters`);
    for (const [plain, { servers, get, post }] of Object.entries(document.paths)) {
      const path = servers === undefined ? `/v1${plain}` : plain;
      if (get !== undefined) assert.ok(llms.includes(`[GET ${path}](${path})`), path);
      if (post !== undefined) assert.ok(llms.includes(`- POST ${path}: `), path);
    }
  });
});
