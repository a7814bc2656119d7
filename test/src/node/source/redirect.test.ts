import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstHop, type Hop, nextHop } from '@assay/node/source/redirect';

const FOLLOW = ['b.example', 'b.example:8080', 'c.example:443'];

function hop(url: string, parts: Partial<Hop> = {}): Hop {
  return { method: 'GET', url: new URL(url), headers: [], body: null, secretBody: false, ...parts };
}

const header = (name: string, secret = false): Hop['headers'][number] => ({
  name,
  value: 'value',
  secret,
});

test('redirect: only to the hosts that the rule lists', () => {
  const from = hop('https://a.example/x');
  const allowed = [
    'https://b.example/y',
    'https://B.EXAMPLE:443/y',
    '//b.example/y',
    'https://b.example:8080/',
    'https://c.example/',
  ];
  const refused = [
    'https://a.example/y',
    '/y',
    'https://evil-b.example/',
    'https://b.example.evil/',
    'https://b.example:8081/',
    'https://c.example:8443/',
    'https://b.example@evil.example/',
    'https://user@b.example/',
    'http://b.example/',
    'ftp://b.example/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'https://',
    'https://b.example:99999/',
  ];
  for (const location of allowed) {
    assert.notEqual(typeof nextHop(from, 302, location, FOLLOW), 'string', location);
  }
  for (const location of refused) {
    assert.equal(typeof nextHop(from, 302, location, FOLLOW), 'string', location);
  }
  const upgraded = nextHop(hop('http://a.example/'), 301, 'https://b.example/', FOLLOW) as Hop;
  assert.equal(upgraded.url.href, 'https://b.example/');
});

test('redirect: what a POST becomes', () => {
  const headers = [header('content-type'), header('accept'), header('content-length')];
  const from = hop('http://b.example/x', { method: 'POST', body: 'a=b', headers });
  for (const status of [301, 302, 303]) {
    const next = nextHop(from, status, '/y', FOLLOW) as Hop;
    assert.deepEqual([next.method, next.body], ['GET', null]);
    assert.deepEqual(next.headers, [header('accept')]);
  }
  for (const status of [307, 308]) {
    const next = nextHop(from, status, '/y', FOLLOW) as Hop;
    assert.deepEqual([next.method, next.body], ['POST', 'a=b']);
    assert.deepEqual(next.headers, headers);
  }
});

test('redirect: what belongs to one origin stays there', () => {
  const headers = [header('x-key', true), header('authorization'), header('cookie'), header('x-y')];
  const from = hop('http://b.example/x', { headers });
  assert.deepEqual((nextHop(from, 302, '/y', FOLLOW) as Hop).headers, headers);
  assert.deepEqual((nextHop(from, 302, 'http://b.example:8080/', FOLLOW) as Hop).headers, [
    header('x-y'),
  ]);
  const post = hop('http://b.example/x', { method: 'POST', body: 'key', secretBody: true });
  assert.equal(typeof nextHop(post, 307, 'http://b.example:8080/', FOLLOW), 'string');
  assert.equal((nextHop(post, 307, '/y', FOLLOW) as Hop).body, 'key');
  assert.equal((nextHop(post, 303, 'http://b.example:8080/', FOLLOW) as Hop).body, null);
});

test('redirect: a first URL that cannot be asked', () => {
  const filled = { method: 'GET', headers: [], body: null, secretBody: false, used: [] } as const;
  for (const url of ['https://u:p@a.example/', 'ftp://a.example/', 'https://a b/', 'https://']) {
    assert.equal(firstHop({ ...filled, url }), undefined, url);
  }
  assert.equal(firstHop({ ...filled, url: 'https://a.example' })?.url.href, 'https://a.example/');
});
