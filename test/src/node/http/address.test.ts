import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import {
  addressKey,
  clientKey,
  parseAddress,
  readAddress,
  trustedProxies,
} from '@assay/node/http/address';
import fc from 'fast-check';

function keyOf(text: string): string {
  return clientKey(parseAddress(text), '', []);
}

void test('address: one client has one key, however its address is spelled', () => {
  for (const text of ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:7F00:0001']) {
    assert.equal(keyOf(text), '127.0.0.1', text);
  }
  assert.equal(keyOf('0000:0000:0000:0000:0000:ffff:7f00:0001'), '127.0.0.1');
  for (const text of [
    '2001:db8:1:2:aaaa:bbbb:cccc:dddd',
    '2001:0db8:0001:0002:0000:0000:0000:0001',
    '2001:DB8:1:2::',
    '2001:db8:1:2::7%eth0',
  ]) {
    assert.equal(keyOf(text), '2001:0db8:0001:0002::/64', text);
  }
  assert.notEqual(keyOf('2001:db8:1:2::1'), keyOf('2001:db8:1:3::1'));
});

void test('address: what the kernel holds and what it prints are the same', () => {
  assert.deepEqual(readAddress(Uint8Array.of(10, 1, 2, 3)), parseAddress('10.1.2.3'));
  const loopback = new Uint8Array(16);
  loopback[15] = 1;
  assert.deepEqual(readAddress(loopback), parseAddress('::1'));
  assert.equal(readAddress(new Uint8Array(0)), undefined);
  assert.equal(clientKey(undefined, '9.9.9.9', []), 'unknown');
});

void test('address: every spelling that Node knows is read, and only those', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      assert.ok(parseAddress(text) !== undefined, text);
    }),
  );
  const piece = fc.constantFrom('0', '1', 'ffff', '255', '256', '.', ':', '::', 'g', '1.2.3.4');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0, text);
    }),
    { numRuns: 2000 },
  );
  for (const text of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1::2::3', ':::', '1:2:3:4:5:6:7']) {
    assert.equal(parseAddress(text), undefined, text);
  }
});

function trusts(network: string, peer: string): boolean {
  return clientKey(parseAddress(peer), '203.0.113.9', trustedProxies([network])) === '203.0.113.9';
}

void test('address: a network holds what its bits say', () => {
  assert.ok(trusts('10.0.0.0/8', '10.255.1.2'));
  assert.ok(!trusts('10.0.0.0/8', '11.0.0.1'));
  assert.ok(trusts('192.168.4.0/22', '192.168.7.255'));
  assert.ok(!trusts('192.168.4.0/22', '192.168.8.0'));
  assert.ok(trusts('127.0.0.1', '::ffff:127.0.0.1'));
  assert.ok(!trusts('127.0.0.1', '127.0.0.2'));
  assert.ok(trusts('0.0.0.0/0', '198.51.100.1'));
  assert.ok(!trusts('0.0.0.0/0', '2001:db8::1'));
  assert.ok(trusts('2001:db8::/33', '2001:db8:7fff::1'));
  assert.ok(!trusts('2001:db8::/33', '2001:db8:8000::1'));
  assert.ok(trusts('::/0', '10.0.0.1'));
});

void test('address: a network that cannot be read is a fault', () => {
  for (const text of ['', 'localhost', '10.0.0.0/33', '10.0.0.0/', '::/129', '1.1.1.1/8/8', '/8']) {
    assert.throws(() => trustedProxies([text]), { code: 'bad_config' }, text);
  }
});

void test('address: the client is the right-most hop that no trusted proxy is', () => {
  const trusted = trustedProxies(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  const client = (forwardedFor: string): string =>
    clientKey(parseAddress('127.0.0.1'), forwardedFor, trusted);
  assert.equal(client('1.1.1.1'), '1.1.1.1');
  assert.equal(client('8.8.8.8, 1.1.1.1'), '1.1.1.1');
  assert.equal(client('8.8.8.8,1.1.1.1 , 10.0.0.9'), '1.1.1.1');
  assert.equal(client('10.0.0.7, 10.0.0.9'), '10.0.0.7');
  assert.equal(client('1.1.1.1:5000'), '1.1.1.1');
  assert.equal(client('[2606:4700::5]:443'), '2606:4700:0000:0000::/64');
  assert.equal(client('2606:4700::5, 2001:db8::9'), '2606:4700:0000:0000::/64');
  assert.equal(client(''), '127.0.0.1');
  assert.equal(client('1.1.1.1, unknown'), '127.0.0.1');
  assert.equal(client('1.1.1.1, unknown, 10.0.0.9'), '10.0.0.9');
  assert.equal(clientKey(parseAddress('9.9.9.9'), '1.1.1.1', trusted), '9.9.9.9');
});

void test('address: no left part of the header can choose the key', () => {
  const trusted = trustedProxies(['127.0.0.1']);
  fc.assert(
    fc.property(fc.string(), (claim) => {
      const key = clientKey(parseAddress('127.0.0.1'), `${claim}, 7.7.7.7`, trusted);
      assert.equal(key, '7.7.7.7');
    }),
  );
});

void test('address: a mapped address is its IPv4 in every key', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const address = parseAddress(`::ffff:${text}`);
      assert.ok(address !== undefined);
      assert.equal(addressKey(address), text);
    }),
  );
});
