import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignHost } from '@assay/node/mcp/host-check';

function check(
  host: string | undefined,
  origin?: string,
  publicUrl: string | null = null,
): unknown {
  const headers: Readonly<Record<string, string | undefined>> = { host, origin };
  return foreignHost({ header: (name) => headers[name] }, publicUrl);
}

test('host: addresses, the names of this machine and of the service, and no others', () => {
  for (const host of [
    '127.0.0.1',
    '127.0.0.1:8787',
    '[::1]:80',
    'localhost:1',
    '192.0.2.1',
    'LOCALHOST',
  ]) {
    assert.equal(check(host), undefined, host);
  }
  for (const host of [
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example/127.0.0.1',
    'evil.example#localhost',
    'user@localhost@evil.example',
    'localhost, evil.example',
    'index.example.org',
  ]) {
    assert.equal(check(host), 'host', String(host));
  }
  assert.equal(check('index.example.org', undefined, 'https://index.example.org'), undefined);
  assert.equal(check('other.example.org', undefined, 'https://index.example.org'), 'host');
});

test('origin: that of the service, of this machine, or none', () => {
  const own = 'https://index.example.org';
  for (const origin of [undefined, own, 'http://localhost:6274', 'http://[::1]:1']) {
    assert.equal(check('index.example.org', origin, own), undefined, origin);
  }
  for (const origin of [
    'null',
    'https://evil.example',
    'http://index.example.org.evil.example',
    'https://index.example.org@evil.example',
    'https://index.example.org/x',
    'file://localhost',
    'chrome-extension://localhost',
    'https://index.example.org, https://evil.example',
  ]) {
    assert.equal(check('index.example.org', origin, own), 'origin', origin);
  }
  // A page of another port of the same address is another origin.
  assert.equal(check('192.0.2.1:80', 'http://192.0.2.1:81'), 'origin');
});
