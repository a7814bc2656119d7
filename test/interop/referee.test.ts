// The Referee a second time, in Python from the page of the specification alone: a whole log, and random ones.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { questionsPayload } from '@assay/core/answer/referee/questions';
import { formatHex } from '@assay/core/bytes/hex';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import { parseEntry } from '@assay/core/log/entry';
import { answerLeaf, type AnswerOpening, batchRoot } from '@assay/core/referee/answer-leaf';
import { formatAnswerOpenings } from '@assay/core/referee/answer-openings';
import { questionOf } from '@assay/core/referee/question-maker';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import type { ViewState } from '@assay/core/view/view';
import fc from 'fast-check';
import { ROOT, sha256 } from '../src/core/fixture/fixture.ts';
import { arenaRule, eventOf, REFEREE, Rows } from '../src/core/referee/referee-fixture.ts';
import { publish } from '../src/verifier/fixture/published.ts';
import { refereedLog } from '../src/verifier/fixture/refereed-log.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'referee.py');

/** Whether python3 is here; skips the test where it is not. */
function hasPython(t: TestContext): boolean {
  if (spawnSync('python3', ['--version']).status === 0) return true;
  t.skip('python3 is not here');
  return false;
}

function python(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', '-B', PROGRAM, ...args], {
    input,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, ''], stdout);
  return stdout;
}

interface Told {
  readonly entries: readonly { readonly kind: string; readonly body: unknown }[];
  readonly blobs: Readonly<Record<string, string>>;
}

/** What the twin makes of a log has to be what the rows are. Returns how much it compared. */
function compare(told: Told, state: ViewState): number {
  const [counts = '', line = ''] = python(['log'], JSON.stringify(told))
    .trim()
    .split('\n')
    .slice(-2);
  const [compared, differ] = (/^(\d+) compared, (\d+) differ$/.exec(counts) ?? [])
    .slice(1)
    .map(Number);
  assert.equal(differ, 0, counts);
  const { scores, calibration } = questionsPayload(state, sha256, { state: 'all', limit: 1 });
  assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify({ scores, calibration })));
  return compared ?? 0;
}

test('referee: the vectors come out the same in Python, written from the specification', (t) => {
  if (!hasPython(t)) return;
  assert.equal(python(['vectors', join(ROOT, 'vectors')]), '62 compared, 0 differ\n');
});

test('referee: a log of ticks, and one with a lie in it', (t) => {
  if (!hasPython(t)) return;
  const { entries, blobs, checkpoints } = refereedLog();
  const { views } = publish(entries, blobs, checkpoints);
  const told: Told = {
    entries: entries.map((bytes) => parseEntry(bytes)),
    blobs: Object.fromEntries([...blobs].map(([hash, bytes]) => [hash, formatHex(bytes)])),
  };
  assert.ok(compare(told, views) > 15);
  const bent = structuredClone(told);
  const closed = bent.entries.find(({ body }) => (body as { type?: string }).type === 'closed');
  assert.ok(closed !== undefined);
  (closed.body as { yes: number }).yes += 1;
  assert.match(python(['log'], JSON.stringify(bent)), /answers to .*\n\d+ compared, 1 differ\n/);
});

/** A question in the life of a log: its event, the answers to it, and what became of it. */
interface Asked {
  readonly move: number | null;
  readonly up: number;
  readonly answers: readonly boolean[];
  readonly score: number | null;
}

/** The entries of a log with these questions, each after the outcome of the one before. */
function logOf(all: readonly Asked[]): { readonly told: Told; readonly rows: Rows } {
  const rows = new Rows();
  const entries: KnownBody[] = [];
  const blobs: Record<string, string> = {};
  const add = (known: KnownBody): void => {
    rows.add(known);
    entries.push(known);
  };
  const rule = arenaRule();
  const named = { rule: REFEREE, hash: arenaRuleHash(sha256, rule) };
  add({ kind: 'arena-rule/1', body: { rule } });
  for (const [i, { move, up, answers, score }] of all.entries()) {
    const event = eventOf('SOL', 900 * i, { move_24h: move, breadth: { up, down: 3, of: 20 } });
    add({ kind: 'event/1', body: event });
    const body = questionOf(sha256, event, named, rows.views);
    const { id: question } = body;
    add({ kind: 'question/1', body });
    const openings = answers.map((yes, place): AnswerOpening => {
      const bytes = (n: number): string => (256 * i + place + n).toString(16).padStart(64, '0');
      return { nonce: bytes(1), salt: bytes(2 ** 20), answer: yes ? 'yes' : 'no' };
    });
    const leaves = openings.map((each, place) => answerLeaf(sha256, question, place, each));
    for (const [first, leaf] of leaves.entries()) {
      add({ kind: 'answers/1', body: { type: 'taken', question, first, leaves: [leaf] } });
    }
    const blob = formatAnswerOpenings(question, openings);
    const hash = hashHex(contentHash(sha256, blob));
    blobs[hash] = formatHex(blob);
    const yes = answers.filter(Boolean).length;
    const [count, root] = [leaves.length, batchRoot(sha256, leaves)];
    const split = { yes, no: count - yes, openings: count === 0 ? null : hash };
    add({ kind: 'answers/1', body: { type: 'closed', question, count, root, ...split } });
    const outcome = score === null ? 'void' : score >= 40 ? 'yes' : 'no';
    const resolved_at = score === null ? null : body.resolves_at;
    add({ kind: 'outcome/1', body: { question, outcome, score, resolved_at } });
  }
  return { told: { entries, blobs }, rows };
}

test('referee: random logs have the same questions, batches, scores and calibration', (t) => {
  if (!hasPython(t)) return;
  const edges = [-1501, -1500, -501, -500, -499, 0, 499, 500, 1499, 1500, 2999, 3000];
  const asked = fc.record({
    move: fc.option(fc.oneof(fc.constantFrom(...edges), fc.integer({ min: -3000, max: 5000 }))),
    up: fc.integer({ min: 0, max: 17 }),
    answers: fc.array(fc.boolean(), { maxLength: 6 }),
    score: fc.option(fc.integer({ min: 0, max: 100 })),
  });
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 40 }), (all) => {
      const { told, rows } = logOf(all);
      assert.ok(compare(told, rows.views) >= all.length);
    }),
    { numRuns: 25 },
  );
});
