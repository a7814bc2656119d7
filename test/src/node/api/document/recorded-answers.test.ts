import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { RECORDED } from '@assay/node/api/document/recorded-answers';
import { terminalWorld } from '../terminal-world.ts';
import { answerRun } from './answer-run.ts';

/** Operations without an example from the run, and why. */
const UNRECORDED: Readonly<Record<string, string>> = {
  postForecast: 'a receipt needs a clock and a log of handles',
  postMcp: 'what it answers is the protocol’s, whose own suite judges it',
  getChangelogFeed: 'it has every ship note, so it is another with each',
  getMetrics: 'it counts what the process does',
  getOpenApi: 'it is the document itself',
  getAsyncApi: 'it is a document',
  getDocs: 'it is made of the document',
  getLlms: 'it is made of the document',
  getClosingHead: 'no log of the run has replaced its checkpoint key',
  getTile: 'it is not text',
  getBlob: 'it is not text',
  getPack: 'it is not text',
  getScoreHistory: 'the machine tier is closed',
  getPastBoard: 'the machine tier is closed',
  listFullReceipts: 'the machine tier is closed',
};

test('recorded answers: a run gives the answers that are recorded', async (t) => {
  const recorded = await answerRun(t);
  for (const [id, found] of Object.entries(recorded)) {
    assert.deepEqual(found, RECORDED[id], `${id} answers otherwise now: run npm run examples`);
  }
  assert.deepEqual(Object.keys(RECORDED).sort(), Object.keys(recorded).sort());
});

test('recorded answers: every operation has one, with every parameter and what is sent', async (t) => {
  const { base } = await terminalWorld(t, 'node', 1);
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const all = Object.entries(document.paths).flatMap(([path, { get, post }]) =>
    [get, post].flatMap((each) => (each === undefined ? [] : [[path, each] as const])),
  );
  for (const [path, { operationId: id, parameters = [], requestBody }] of all) {
    const { answers = {}, parameters: given = {}, sent } = RECORDED[id] ?? {};
    const isRecorded = Object.keys(answers).some((key) => key.startsWith('2'));
    assert.equal(isRecorded, UNRECORDED[id] === undefined, path);
    if (!isRecorded) continue;
    for (const { example } of Object.values(requestBody?.content ?? {})) {
      assert.deepEqual(example, sent, path);
    }
    for (const { name, schema } of parameters) {
      assert.deepEqual((schema.examples ?? []).map(String), [given[name]], `${path} ${name}`);
    }
  }
});
