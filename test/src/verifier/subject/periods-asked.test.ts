import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodsAsked } from '@assay/verifier/subject/periods-asked';

const SERVER = { live: true };
const FOLDER = { live: false, local: true };
const HOST = { live: false };

test('periods asked: one of each index of a server, and sixty of a folder, however many indexes there are', () => {
  for (const indexes of [0, 1, 250, 5000]) {
    assert.equal(periodsAsked(SERVER, indexes), 1);
    assert.equal(periodsAsked(FOLDER, indexes), 60);
  }
});

test('periods asked: of a copy on a host so many that all indexes together stay within 500, and never none', () => {
  assert.equal(periodsAsked(HOST, 0), 60);
  assert.equal(periodsAsked(HOST, 8), 60);
  assert.equal(periodsAsked(HOST, 9), 55);
  assert.equal(periodsAsked(HOST, 250), 2);
  assert.equal(periodsAsked(HOST, 5000), 1);
});
