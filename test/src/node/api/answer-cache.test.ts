import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerCache } from '@assay/node/api/answer-cache';
import { type Representation, representation } from '@assay/node/http/representation';

function shown(body: string): Representation {
  return representation({ contentType: 'text/plain', cacheControl: 'no-cache', body });
}

test('answer cache: kept for a version, and until a time', () => {
  const cache = new AnswerCache(1024 ** 2);
  const first = shown('1');
  assert.equal(cache.get('/a', '1'), undefined);
  assert.equal(cache.keep('/a', '1', first, 100), first);
  assert.equal(cache.get('/a', '1', 0), first);
  assert.equal(cache.get('/a', '1', 99), first);
  assert.equal(cache.get('/a', '1', 100), undefined);
  assert.equal(cache.get('/a', '2', 0), undefined);
  assert.equal(cache.get('/b', '1', 0), undefined);
  const second = cache.keep('/a', '2', shown('2'));
  assert.equal(cache.get('/a', '1', 0), undefined);
  assert.equal(cache.get('/a', '2', 1e12), second);
});

test('answer cache: never more bytes than it may have, and those that nobody asked for longest make room', () => {
  const cache = new AnswerCache(100_000);
  const names = ['/a', '/b', '/c'];
  // With its codings it takes half as much again.
  const body = 'x'.repeat(20_000);
  for (const name of names) cache.keep(name, '1', shown(body));
  assert.ok(names.every((name) => cache.get(name, '1') !== undefined));
  // What takes the place of another version frees its bytes.
  for (let i = 0; i < 9; i += 1) cache.keep('/b', '1', shown(body));
  assert.ok(['/b', '/c', '/a'].every((name) => cache.get(name, '1') !== undefined));
  cache.keep('/d', '1', shown(body));
  assert.equal(cache.get('/b', '1'), undefined);
  assert.ok(['/c', '/a', '/d'].every((name) => cache.get(name, '1') !== undefined));
  const large = shown('x'.repeat(100_001));
  assert.equal(cache.keep('/e', '1', large), large);
  for (const name of ['/a', '/c', '/d', '/e']) assert.equal(cache.get(name, '1'), undefined, name);
  cache.keep('/a', '1', shown(body));
  assert.ok(cache.get('/a', '1') !== undefined, 'no bytes are counted of what is gone');
  for (let i = 0; i < 1000; i += 1) cache.keep(`/${i}`, '1', shown(''));
  assert.equal(cache.get('/0', '1'), undefined, 'an answer without a body takes room, too');
});

test('answer cache: what is asked for again and again outlives what is asked for once', () => {
  const cache = new AnswerCache(100_000);
  cache.keep('/hot', '1', shown('hot'));
  for (let i = 0; i < 100; i += 1) {
    cache.keep(`/once/${i}`, '1', shown('x'.repeat(25_000)));
    assert.ok(cache.get('/hot', '1') !== undefined, `${i}`);
  }
});

test('answer cache: another spelling of a name costs its name, and ends with the answer', () => {
  const cache = new AnswerCache(100_000);
  const answer = cache.keep('/a', '1', shown('x'.repeat(50_000)));
  for (let i = 0; i < 20; i += 1) cache.keepSpelling(`/A/${i}`, '1', '/a');
  for (let i = 0; i < 20; i += 1) assert.equal(cache.get(`/A/${i}`, '1'), answer);
  assert.equal(cache.get('/A/0', '2'), undefined);
  cache.keep('/a', '2', shown('y'));
  assert.equal(cache.get('/A/0', '1'), undefined);
  assert.equal(cache.get('/A/0', '2'), undefined);
});
