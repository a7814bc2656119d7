import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuestionPayload } from '@assay/core/answer/referee/question';
import type { QuestionListPayload } from '@assay/core/answer/referee/questions';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { REFEREE_PAGE } from '@assay/node/page/view/referee';
import { SOME_HASH } from '../../../core/fixture/fixture.ts';
import { madeOf, markupOf, type MadeOf, textOf } from '../fixture/page-ask.ts';

const PROOF = { digest: SOME_HASH, stamped_at: null, bitcoin_height: null, proof_url: null };

const OPEN: QuestionPayload = {
  id: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
  event_id: '3f1d5b7c-9e0a-8b4d-af81-92a3b4c5d6e7',
  symbol: 'SOL',
  name: 'Solana',
  question: 'Will the Activity score of SOL be <40> or more?',
  state: 'open',
  opened_at: '2026-03-01T00:00:00Z',
  closes_at: '2026-03-01T04:00:00Z',
  resolves_at: '2026-03-02T00:00:00Z',
  threshold: 40,
  tolerance_s: 3600,
  rule: SOME_HASH,
  score_rule: SOME_HASH,
  nulls: { persistence: 100, always_under: 0, climatology: 38 },
  service: { p: 42, basis: 'group', group: null, yes: 10, of: 24 },
  answers: 3,
  crowd: null,
  outcome: null,
  void: false,
  score: null,
  resolved_at: null,
  scores: null,
  proof: PROOF,
};
const CROWD = { count: 3, yes: 2, no: 1, p: '2/3', root: SOME_HASH, openings_url: null };
const CLOSED: QuestionPayload = { ...OPEN, symbol: 'ETH', state: 'closed', crowd: CROWD };
const YES: QuestionPayload = {
  ...CLOSED,
  symbol: 'BTC',
  state: 'resolved',
  outcome: 'yes',
  score: 55,
  scores: {
    service: '841/2500',
    persistence: '0/1',
    always_under: '1/1',
    climatology: '1/4',
    crowd: '1/9',
  },
};
const VOID: QuestionPayload = { ...CLOSED, symbol: 'XRP', state: 'resolved', void: true };

const LIST: QuestionListPayload = {
  questions: [OPEN, CLOSED, YES, VOID],
  scores: {
    resolved: 120,
    void: 2,
    service: '31/150',
    nulls: { persistence: '3/5', always_under: '2/5', climatology: '6/25' },
    skill: { persistence: '0.6556', always_under: '-0.4833', climatology: null },
    crowd: { n: 80, mean: '0.198333' },
  },
  calibration: [
    { from: 30, to: 40, n: 0, yes: 0, mean_p: null, yes_share: null, wilson: null },
    {
      from: 40,
      to: 50,
      n: 31,
      yes: 13,
      mean_p: '44.19',
      yes_share: '0.4194',
      wilson: { low: '0.2642', high: '0.5923' },
    },
  ],
  next_cursor: 'n',
};

function given(list: Partial<QuestionListPayload> = {}, more: Partial<MadeOf> = {}): MadeOf {
  const all = { ...LIST, ...list };
  const pending = all.questions.filter(({ state }) => state !== 'resolved');
  const answers = {
    '/v1/questions?limit=20&state=all': { body: all },
    '/v1/questions?limit=20&state=open': { body: { ...LIST, questions: pending } },
  };
  return { answers, now: parseTime('2026-03-01T00:40:00Z' as TimeText), ...more };
}

test('referee: an open question has its time left and the forecast of the service', async () => {
  const text = await textOf(REFEREE_PAGE, given());
  assert.match(
    text,
    /SOL Will the Activity score of SOL be &lt;40&gt; or more\? Takes answers for 3 h 20 min more, until 1 March 2026, 04:00 UTC The service says 42 % yes Yes so far 38 % Answers 3 10 of 24 earlier questions on moves like this one/,
  );
  assert.match(
    text,
    /curl -s https:\/\/assay\.example\/v1\/questions\/d7d39887-3885-8360-a0be-f81a5cf45c30\/answer/,
  );
  const markup = await markupOf(REFEREE_PAGE, given());
  assert.equal(markup.match(/class="card"/g)?.length, 1, 'one that is closed takes no answers');
});

test('referee: past its closing time a question does not look open', async () => {
  const late = given({}, { now: parseTime('2026-03-01T04:00:00Z' as TimeText) });
  assert.match(
    await textOf(REFEREE_PAGE, late),
    /Closed at 1 March 2026, 04:00 UTC; its answers are about to be opened/,
  );
});

test('referee: each question says how it was answered and what came out', async () => {
  const text = await textOf(REFEREE_PAGE, given());
  assert.match(
    text,
    /SOL 1 March 2026, 40 or more\? 42 % 3 answers, which are not shown before it closes open until/,
  );
  assert.match(text, /ETH .{0,50}42 % 2 yes, 1 no due 2 March 2026, 00:00 UTC —/);
  assert.match(text, /BTC .{0,50}42 % 2 yes, 1 no yes, the score was 55 0\.3364/);
  assert.match(text, /XRP .{0,50}42 % 2 yes, 1 no void: no reading decided it —/);
});

test('referee: scores stand beside those of the forecasts that know nothing', async () => {
  const text = await textOf(REFEREE_PAGE, given());
  assert.match(text, /120 questions came out yes or no, and 2 were void/);
  assert.match(
    text,
    /The service 0\.2067 — always yes \(it stays high\) 0\.6000 0\.6556 always no \(it falls\) 0\.4000 −0\.4833 the share of yes so far 0\.2400 — Those who answered, on 80 questions 0\.198333/,
  );
  assert.match(text, /40 to 50 % 31 44\.19 % 41\.9 % 26\.4 % to 59\.2 %/);
  assert.doesNotMatch(text, /30 to 40/);
});

test('referee: before the first question, and before the first outcome', async () => {
  const scores = { resolved: 0, void: 0, service: null, nulls: null, skill: null, crowd: null };
  const empty = { questions: [], scores, calibration: [], next_cursor: null };
  const text = await textOf(REFEREE_PAGE, given(empty));
  assert.match(text, /No question takes answers now/);
  assert.match(text, /No question is resolved yet/);
  assert.match(text, /No question has been asked yet/);
  assert.doesNotMatch(text, /Earlier questions|curl/);
});

test('referee: pages are plain links', async () => {
  const made = await madeOf(REFEREE_PAGE, given());
  assert.ok('body' in made);
  assert.match(made.body.text, /href="\/referee\?cursor=n" rel="next"/);
  const answers = {
    ...given().answers,
    '/v1/questions?limit=20&state=all&cursor=n': { body: { ...LIST, next_cursor: null } },
  };
  const second = await markupOf(REFEREE_PAGE, given({}, { answers, query: 'cursor=n' }));
  assert.match(second, /<a href="\/referee">Newest questions<\/a>/);
  assert.doesNotMatch(second, /rel="next"|Open questions/);
});
