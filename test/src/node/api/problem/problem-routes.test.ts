import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem, PROBLEM_KINDS, type ProblemCode } from '@assay/node/http/problem';
import { PROBLEM_TEXTS } from '@assay/node/http/problem-text';
import { terminalWorld } from '../terminal-world.ts';

test('problems: the type of each leads to a page that explains it', async (t) => {
  const world = await terminalWorld(t, 'node', 1);
  const get = async (target: string): Promise<{ status: number; text: string; type: string }> => {
    const response = await fetch(`${world.base}${target}`);
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, text: await response.text(), type };
  };
  const all = JSON.parse((await get('/problems?format=json')).text) as readonly { error: string }[];
  assert.deepEqual(all.map(({ error }) => error).sort(), Object.keys(PROBLEM_KINDS).sort());
  for (const code of Object.keys(PROBLEM_KINDS) as readonly ProblemCode[]) {
    const body = JSON.parse(String(problem({ path: '/x' }, code).body)) as Record<string, string>;
    assert.ok((body['detail'] ?? '').length > 0, code);
    const type = new URL(body['type'] ?? '', `${world.base}/v1/deep/path`);
    if (type.host === 'iana.org') continue;
    const page = await get(type.pathname);
    assert.equal(page.status, 200, code);
    assert.match(page.type, /^text\/html/);
    assert.ok(page.text.includes(`<h2 id="${code}">`), code);
    assert.doesNotMatch(page.text, /<script|<img|url\(/);
    const json = JSON.parse((await get(`${type.pathname}?format=json`)).text) as object;
    const { status, title } = PROBLEM_KINDS[code];
    const expected = { error: code, status, title, type: body['type'], ...PROBLEM_TEXTS[code] };
    assert.deepEqual(json, expected);
  }
  for (const name of ['nope', '__proto__', 'constructor', 'toString']) {
    assert.equal((await get(`/problems/${name}`)).status, 404, name);
  }
  assert.equal((await get('/problems?format=xml')).status, 400);
});
