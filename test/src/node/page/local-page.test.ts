import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLocalPage } from '@assay/node/page/local-page';

const fail = (error: unknown): void => {
  throw error;
};

test('local page: it is the page that verifies, and may read one log and nothing else', async (t) => {
  const page = await startLocalPage({ port: 0, url: 'https://log.example/of', onError: fail });
  t.after(() => page.close());
  const base = `http://127.0.0.1:${page.port}`;
  for (const path of ['/', '/verify']) {
    const answer = await fetch(`${base}${path}`, { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 200, path);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /; connect-src 'self' https:\/\/log\.example; /);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
    const text = await answer.text();
    assert.match(text, /Your own machine serves this page/);
    assert.match(text, /data-url="https:\/\/log\.example\/of"/);
    // There is nothing else here that a link could lead to.
    const targets = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, target]) => target ?? '');
    for (const target of targets) {
      assert.match(target, /^\/(?:assets\/|verify$|favicon\.ico$)/);
      assert.equal((await fetch(`${base}${target}`)).status, 200, target);
    }
    const [, worker = ''] = /data-number="([^"]+)"/.exec(text) ?? [];
    const code = await fetch(`${base}${worker}`);
    assert.equal(
      code.headers.get('content-security-policy'),
      "default-src 'none'; connect-src 'self' https://log.example",
    );
  }
  assert.equal((await fetch(`${base}/v1/indices`)).status, 404);
});

test('local page: without a log it may read this machine alone', async (t) => {
  const page = await startLocalPage({ port: 0, url: null, onError: fail });
  t.after(() => page.close());
  const answer = await fetch(`http://127.0.0.1:${page.port}/verify`);
  assert.match(answer.headers.get('content-security-policy') ?? '', /; connect-src 'self'; /);
});
