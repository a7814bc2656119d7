import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { firstClose, withDemo } from '../src/node/fixture/demo-node.ts';
import { openapiPythonClient, openapiTypescript, schemathesis } from './openapi-peers.ts';
import { SERVED_ROWS, servedRowTypes } from './served-rows.ts';

// Generators of clients, and a fuzzer that reads the document alone, find what our own readers of it overlook.

const run = promisify(execFile);
const LARGE = { maxBuffer: 64 * 1024 * 1024, timeout: 240_000 };

let folder = '';
let document = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-openapi-'));
  document = join(folder, 'openapi.json');
  await withDemo({}, async (base) => {
    await writeFile(document, await (await fetch(`${base}/openapi.json`)).text());
  });
});

after(() => rm(folder, { recursive: true, force: true }));

function skipped(t: TestContext, found: object): found is { missing: string } {
  if ('missing' in found) t.skip(String(found.missing));
  return 'missing' in found;
}

test('openapi-typescript makes types that the compiler of the repository takes', async (t) => {
  const found = await openapiTypescript();
  if (skipped(t, found)) return;
  const types = join(folder, 'api.ts');
  await run(process.execPath, [found.command, document, '-o', types], LARGE);
  assert.match(await readFile(types, 'utf8'), /limit\?: number;/);
  // A number where the document says number, and an error where it does not: the types say something.
  const use = (limit: string): string =>
    `import type { operations } from './api.ts';\n` +
    `const query: operations['listReceipts']['parameters']['query'] = { limit: ${limit} };\n` +
    `export default query;\n`;
  await writeFile(join(folder, 'use.ts'), use('30'));
  const options = {
    strict: true,
    noEmit: true,
    types: [],
    module: 'nodenext',
    allowImportingTsExtensions: true,
  };
  const config = { compilerOptions: options, files: ['use.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compile = (): Promise<unknown> => run(process.execPath, [tsc, '-p', folder], LARGE);
  await compile();
  await writeFile(join(folder, 'use.ts'), use('"30"'));
  await assert.rejects(compile());
});

test('the types of the rows in the client are those of the document', async (t) => {
  const found = await openapiTypescript();
  if (skipped(t, found)) return;
  const described = JSON.parse(await readFile(document, 'utf8')) as never;
  const made = await servedRowTypes(described, found.command, folder);
  assert.equal(await readFile(SERVED_ROWS, 'utf8'), made, 'run npm run types');
});

test('openapi-python-client makes a client that Python compiles', async (t) => {
  const found = await openapiPythonClient();
  if (skipped(t, found)) return;
  const into = join(folder, 'client');
  const args = ['-m', 'openapi_python_client', 'generate', '--path', document];
  const { stdout, stderr } = await run(
    found.python,
    [...args, '--output-path', into, '--meta', 'none'],
    LARGE,
  );
  const said = `${stdout}${stderr}`;
  assert.doesNotMatch(said, /WARNING|ERROR|Unsupported/, said.slice(0, 4000));
  await run(found.python, ['-m', 'compileall', '-q', into], LARGE);
  const model = await readFile(join(into, 'api', 'terminal', 'list_receipts.py'), 'utf8');
  assert.match(model, /limit: int/);
  // It leaves out an answer of a type that it does not know: the feed is text/xml, too.
  const feed = await readFile(join(into, 'api', 'service', 'get_changelog_feed.py'), 'utf8');
  assert.match(feed, /response\.text/);
});

test('Schemathesis finds no answer that the document does not describe', async (t) => {
  const found = await schemathesis();
  if (skipped(t, found)) return;
  await withDemo({}, async (base) => {
    await firstClose(base);
    const checks = [
      'not_a_server_error',
      'status_code_conformance',
      'content_type_conformance',
      'response_schema_conformance',
      'response_headers_conformance',
    ];
    const args = ['run', `${base}/openapi.json`, '--url', base, '--checks', checks.join(',')];
    // The machine tier is closed with a 503, which is documented; the stream does not end.
    // What MCP itself refuses is JSON-RPC and no problem, and its own suite judges it (mcp.test.ts).
    for (const path of ['/history/{symbol}', '/board/at', '/receipts/full', '/events', '/mcp']) {
      args.push('--exclude-path', path);
    }
    args.push('--phases', 'examples,fuzzing', '--max-examples', '8', '--no-color');
    args.push('--generation-deterministic', '--max-time', '60', '--request-timeout', '20');
    // Few random texts are the id of a question: that it draws many in vain is no fault of an answer.
    args.push('--suppress-health-check', 'filter_too_much');
    const command = ['-c', 'from schemathesis.cli import schemathesis; schemathesis()', ...args];
    const done = await run(found.python, command, { ...LARGE, cwd: folder }).catch(
      (error: unknown) => error as { readonly stdout: string; readonly code: number },
    );
    assert.ok(!('code' in done), done.stdout.slice(-6000));
    t.diagnostic(done.stdout.trim().split('\n').at(-1) ?? '');
  });
});
