import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptAnswers } from '@assay/node/api/kept-answers';
import { representation } from '@assay/node/http/representation';

test('kept answers: made once for a version, until a time, and never more than so many', () => {
  const kept = new KeptAnswers(2);
  let made = 0;
  const ask = (path: string, version: string, now: number): string => {
    const answer = kept.answer(path, version, now, () => {
      made += 1;
      const source = { contentType: 'text/plain', cacheControl: 'no-cache', body: String(made) };
      return { shown: representation(source), until: 100 };
    });
    return Buffer.from(answer.body).toString();
  };
  assert.equal(ask('/a', '1', 0), '1');
  assert.equal(ask('/a', '1', 99), '1');
  assert.equal(ask('/a', '1', 100), '2');
  assert.equal(ask('/a', '2', 0), '3');
  assert.equal(ask('/b', '2', 0), '4');
  assert.equal(ask('/a', '2', 0), '3');
  assert.equal(ask('/c', '2', 0), '5');
  assert.equal(ask('/a', '2', 0), '6');
});
