import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { QuestionDetailPayload } from '@assay/core/answer/referee/question';
import type { QuestionListPayload } from '@assay/core/answer/referee/questions';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { parseSubmissionReceipt } from '@assay/core/intake/submission-receipt';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Question } from '@assay/core/kind/question';
import { answerLeaf } from '@assay/core/referee/answer-leaf';
import { refereeDues } from '@assay/core/referee/referee-dues';
import { parseTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { WireValue } from '@assay/core/wire/wire';
import { pino } from 'pino';
import type { AnswerIntake } from '@assay/node/referee/answer-intake';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { AnswerWorld } from '../../referee/answer-fixture.ts';
import { Judge } from '../judge.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../world-service.ts';

interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

interface Service {
  readonly get: (path: string) => Promise<Heard>;
  readonly post: (id: string, body: unknown, headers?: object) => Promise<Heard>;
}

const NONCE = '3c'.repeat(32);

/** A service, every answer of which is compared with its own document. */
async function serving(
  t: TestContext,
  world: AnswerWorld,
  transport: (typeof TRANSPORTS)[number],
  takes = true,
): Promise<Service> {
  const parts = {
    ledger: world.ledger,
    blobs: world.blobs,
    closeParts: { now: () => world.time } as never,
  };
  const { base, publication } = await serveWorld(
    t,
    parts,
    transport,
    takes ? { answers: world.intake } : {},
  );
  world.onPublish = (size, tables) => publication.changed(size, tables);
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const judge = new Judge(document);
  const heard = async (
    path: string,
    method: 'get' | 'post',
    response: Response,
  ): Promise<Heard> => {
    const operation = document.paths[path]?.[method];
    assert.ok(operation !== undefined, path);
    const text = await response.text();
    const { status, headers } = response;
    judge.check(operation, { status, text, header: (name) => headers.get(name) }, method);
    return { status, body: JSON.parse(text) as Heard['body'], headers };
  };
  return {
    get: async (path) => {
      const pattern = /^\/questions\/./.test(path) ? '/questions/{id}' : '/questions';
      return heard(pattern, 'get', await fetch(`${base}/v1${path}`));
    },
    post: async (id, body, headers = {}) =>
      heard(
        '/questions/{id}/answer',
        'post',
        await fetch(`${base}/v1/questions/${id}/answer`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'user-agent': 'one', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
  };
}

const codeOf = ({ status, body }: Heard): string => `${status} ${String(body['error'])}`;

/** A tick that decides the questions that are due, with these scores. */
async function tick(
  world: AnswerWorld,
  after: number,
  scores: Readonly<Record<string, number>>,
): Promise<void> {
  world.after(after);
  await world.closing.closeDue();
  const leaves = new Map(
    Object.entries(scores).map(([symbol, score]) => [symbol, { score, good: true }]),
  );
  const ts = world.time;
  await world.ledger.write(({ views }): readonly KnownBody[] =>
    refereeDues(nodeSha256, views, { class: 'crypto', ts, leaves, opens: [] }),
  );
  await world.ledger.whenPublished(world.ledger.nextSeq);
}

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(`questions over ${transport}: each answer has its status`, { skip }, async (t) => {
    const world = await AnswerWorld.open(t);
    const [question] = (await world.questions()) as readonly [Question];
    const { id } = question;
    const { post } = await serving(t, world, transport);
    const body = { answer: 'yes', nonce: NONCE };

    const first = await post(id, body);
    assert.equal(first.status, 201);
    assert.equal(first.body['recorded'], true);
    const receipt = parseSubmissionReceipt(first.body['receipt'] as WireValue, '');
    const opening = { answer: 'yes', nonce: NONCE, salt: String(first.body['salt']) } as const;
    assert.equal(receipt.leaf, answerLeaf(nodeSha256, id, 0, opening));

    const again = await post(id, body);
    assert.equal(again.status, 200);
    assert.equal(again.body['already_answered'], true);
    assert.deepEqual(again.body['receipt'], first.body['receipt']);
    const changed = await post(id, { answer: 'no', nonce: '4d'.repeat(32) });
    assert.deepEqual([changed.status, changed.body], [200, { already_answered: true }]);

    for (const agent of ['two', 'three']) {
      assert.equal((await post(id, body, { 'user-agent': agent })).status, 201);
    }
    assert.equal(codeOf(await post(id, body, { 'user-agent': 'four' })), '409 address_cap');

    for (const [sent, code] of [
      ['{', '400 invalid_json'],
      ['[]', '400 invalid_answer'],
      ['null', '400 invalid_answer'],
      [{ answer: 'maybe', nonce: NONCE }, '400 invalid_answer'],
      [{ answer: 'yes', nonce: NONCE.toUpperCase() }, '400 invalid_answer'],
      [{ answer: 'yes' }, '400 invalid_answer'],
      [{ ...body, email: 'x@example.com' }, '400 invalid_answer'],
    ] as const) {
      assert.equal(codeOf(await post(id, sent)), code, JSON.stringify(sent));
    }
    const other = 'd7d39887-3885-8360-a0be-f81a5cf45c31';
    assert.equal(codeOf(await post(other, body)), '404 not_found');
    assert.equal(codeOf(await post('x', body)), '404 not_found');
    // In this order: the media type, the site, the body, the question.
    assert.equal(
      codeOf(
        await post(other, '{', { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }),
      ),
      '415 not_json',
    );
    assert.equal(
      codeOf(await post(other, '{', { 'sec-fetch-site': 'cross-site' })),
      '403 cross_site',
    );
    assert.equal(
      codeOf(await post(id, body, { origin: 'https://elsewhere.example' })),
      '403 cross_site',
    );
    assert.equal(codeOf(await post(other, '{')), '400 invalid_json');

    world.after(14_400);
    assert.equal(codeOf(await post(id, body)), '410 closed');
  });
}

test('questions: twenty answers in a minute from one address, and then none', async (t) => {
  const world = await AnswerWorld.open(t);
  const [{ id }] = (await world.questions()) as readonly [Question];
  const { post } = await serving(t, world, 'node');
  for (let i = 0; i < 20; i += 1) assert.notEqual((await post(id, {})).status, 429);
  const refused = await post(id, { answer: 'yes', nonce: NONCE });
  assert.equal(codeOf(refused), '429 rate_limited');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
});

test('questions: no line of the log has an address, a user agent or a nonce, also where a request fails', async (t) => {
  const world = await AnswerWorld.open(t);
  const [{ id }] = (await world.questions()) as readonly [Question];
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const submit = world.intake.submit.bind(world.intake);
  let fails = false;
  const answers = {
    submit: (...given: Parameters<typeof submit>) =>
      fails ? Promise.reject(new Error('the disk is gone')) : submit(...given),
  } as AnswerIntake;
  const parts = {
    ledger: world.ledger,
    blobs: world.blobs,
    closeParts: { now: () => world.time } as never,
  };
  const { base } = await serveWorld(t, parts, 'node', { answers, log });
  const send = async (nonce: string): Promise<number> => {
    const response = await fetch(`${base}/questions/${id}/answer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Very-Special-Agent/7.3' },
      body: JSON.stringify({ answer: 'yes', nonce }),
    });
    await response.text();
    return response.status;
  };
  assert.equal(await send(NONCE), 201);
  fails = true;
  assert.equal(await send('4d'.repeat(32)), 500);
  const text = lines.join('');
  assert.match(text, /the disk is gone/);
  const own = text.replaceAll(/"host":"127\.0\.0\.1"/g, '');
  for (const trace of ['127.0.0.1', 'Special', NONCE, '4d4d4d']) {
    assert.equal(own.includes(trace), false, `${trace} in ${own}`);
  }
});

test('questions: a service that takes none says that it is halted', async (t) => {
  const world = await AnswerWorld.open(t);
  const [{ id }] = (await world.questions()) as readonly [Question];
  const { post } = await serving(t, world, 'node', false);
  const refused = await post(id, { answer: 'yes', nonce: NONCE });
  assert.equal(codeOf(refused), '503 halted');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
});

test('questions: what is listed, from open to resolved, and the bytes of one', async (t) => {
  const world = await AnswerWorld.open(t, ['SOL', 'ADA', 'DOT']);
  for (const symbol of ['SOL', 'ADA']) {
    const body = {
      symbol,
      name: symbol,
      class: 'crypto',
      decimals: 2,
      listed: true,
      display: true,
    } as const;
    await world.ledger.write(() => [{ kind: 'asset/1', body }]);
  }
  const { get, post } = await serving(t, world, 'node');
  const all = async (query = ''): Promise<QuestionListPayload> =>
    (await get(`/questions${query}`)).body as unknown as QuestionListPayload;
  const symbols = async (query = ''): Promise<readonly string[]> =>
    (await all(query)).questions.map(({ symbol }) => symbol);
  const [sol] = (await world.questions()) as readonly [Question];
  assert.equal((await post(sol.id, { answer: 'yes', nonce: NONCE })).status, 201);
  await world.ledger.whenPublished(world.ledger.nextSeq);
  const one = async (): Promise<QuestionDetailPayload> =>
    (await get(`/questions/${sol.id}`)).body as unknown as QuestionDetailPayload;

  const open = await one();
  assert.deepEqual(
    [open.state, open.answers, open.crowd, open.scores, open.outcome],
    ['open', 1, null, null, null],
  );
  assert.deepEqual(JSON.parse(open.canonical_json), sol);
  assert.equal(
    open.digest_sha256,
    hashHex(contentHash(nodeSha256, formatUtf8(open.canonical_json))),
  );
  assert.equal(open.digest_sha256, open.proofs.question.digest);
  assert.deepEqual([open.proofs.answers, open.proofs.outcome], [null, null]);

  await tick(world, 14_400, {});
  const closed = await one();
  assert.deepEqual([closed.state, closed.crowd?.count, closed.crowd?.p], ['closed', 1, '1/1']);
  assert.notEqual(closed.proofs.answers, null);
  assert.deepEqual(await symbols('?state=open'), await symbols(''), 'in the order of the list');
  for (const query of ['', '&state=open', '&symbol=sol', `&from=${sol.opened_at.slice(0, 10)}`]) {
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: QuestionListPayload = await all(`?limit=1&cursor=${cursor}${query}`);
      paged.push(...page.questions.map(({ symbol }) => symbol));
      assert.ok(paged.length <= 3, 'a question comes twice');
      cursor = page.next_cursor;
    }
    assert.deepEqual(paged, await symbols(query.replace('&', '?')), query);
  }
  assert.deepEqual(await symbols('?to=2000-01-01'), []);
  assert.deepEqual(await symbols('?from=2999-01-01'), []);
  assert.deepEqual(await symbols('?state=resolved'), []);

  const at = parseTime(sol.resolves_at) - parseTime(sol.opened_at);
  await tick(world, at, { SOL: 40 });
  const resolved = await one();
  assert.deepEqual(
    [resolved.state, resolved.outcome, resolved.void, resolved.score],
    ['resolved', 'yes', false, 40],
  );
  assert.deepEqual(resolved.scores, {
    service: '1/4',
    persistence: '0/1',
    always_under: '1/1',
    climatology: '1/4',
    crowd: '0/1',
  });
  // ADA has no leaf yet; DOT is not listed, and so is void.
  assert.deepEqual(await symbols('?state=open'), ['ADA']);
  assert.deepEqual(await symbols('?state=resolved'), ['SOL', 'DOT']);
  assert.deepEqual(await symbols('?state=resolved&symbol=dot'), ['DOT']);
  assert.deepEqual(await symbols('?limit=1'), ['SOL']);
  const { questions, scores, calibration } = await all();
  assert.deepEqual(
    questions.map(({ symbol, outcome, void: isVoid }) => [symbol, outcome, isVoid]),
    [
      ['SOL', 'yes', false],
      ['DOT', null, true],
      ['ADA', null, false],
    ],
  );
  assert.deepEqual(scores, {
    resolved: 1,
    void: 1,
    service: '1/4',
    nulls: { persistence: '0/1', always_under: '1/1', climatology: '1/4' },
    skill: { persistence: null, always_under: '0.7500', climatology: '0.0000' },
    crowd: { n: 1, mean: '0.000000' },
  });
  assert.deepEqual([calibration.length, calibration[5]?.n, calibration[5]?.yes], [10, 1, 1]);
  for (const query of ['?limit=0', '?limit=201', '?state=closed', '?since=2026-01-01']) {
    assert.equal((await get(`/questions${query}`)).status, 400, query);
  }
});
