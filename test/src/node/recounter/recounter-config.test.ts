import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecounterConfig, RECOUNTER_FIELDS } from '@assay/node/recounter/recounter-config';

const VKEY = 'example.org/log+00000000+AQ==';
const SMALLEST = {
  publisher: { url: 'https://assay.example/', checkpoint_vkey: VKEY },
  data: 'data',
  name: 'Example',
  contact: 'ops@example.org',
};

test('recounter config: what is not given has a default, and paths begin at the file', () => {
  const config = parseRecounterConfig(SMALLEST, {}, '/etc/assay');
  assert.equal(config.port, 8788);
  assert.equal(config.data, '/etc/assay/data');
  assert.equal(config.publisher.url, 'https://assay.example');
  assert.equal(config.publisher.log_id, null);
  assert.equal(config.witness, true);
  assert.deepEqual(Object.keys(config).sort(), [...RECOUNTER_FIELDS].sort());
});

test('recounter config: the environment gives data and port', () => {
  const config = parseRecounterConfig(SMALLEST, { ASSAY_DATA: '/var/r', ASSAY_PORT: '0' }, '/etc');
  assert.deepEqual([config.data, config.port], ['/var/r', 0]);
});

for (const [words, change, at] of [
  ['an unknown field', { pol_s: 3 }, 'the whole file'],
  [
    'a password in an address',
    { publisher: { ...SMALLEST.publisher, url: 'http://a:b@c' } },
    'publisher.url',
  ],
  ['no log id', { publisher: { ...SMALLEST.publisher, log_id: 'AB' } }, 'publisher.log_id'],
  ['a port too high', { port: 65_536 }, 'port'],
  ['no name', { name: '' }, 'name'],
] as const) {
  test(`recounter config: ${words} is refused with its place`, () => {
    assert.throws(() => parseRecounterConfig({ ...SMALLEST, ...change }, {}, '/'), {
      code: 'bad_config',
      at,
    });
  });
}

test('recounter config: anything but an object is refused', () => {
  for (const value of [null, [], 'x', 3]) {
    assert.throws(() => parseRecounterConfig(value, {}, '/'), { code: 'bad_config' });
  }
});

test('recounter config: a host that nobody has confirmed is not listed', () => {
  const hosts = (...source_hosts: string[]) =>
    parseRecounterConfig({ ...SMALLEST, source_hosts }, {}, '/').source_hosts;
  assert.deepEqual(hosts('?a.example', 'b.example', '?http://c.example:81'), ['b.example']);
  for (const host of ['?', '??a.example', '?https://a.example', '? a.example']) {
    assert.throws(() => hosts(host), { code: 'bad_config', at: 'source_hosts.0' }, host);
  }
});
