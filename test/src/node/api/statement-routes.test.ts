import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { statementMessage } from '@assay/core/report/statement';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { formatWire, type WireValue } from '@assay/core/wire/wire';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import type { Received } from '@assay/node/cosign/received';
import type { Reception } from '@assay/node/cosign/reception';
import { testSigner } from '../ledger/ledger-fixture.ts';
import { CosignedWorld, OTHER, RELEASE, SEEDS } from '../cosign/cosigner-fixture.ts';
import { Judge } from './judge.ts';
import { noTransport, serveWorld, TRANSPORTS } from './world-service.ts';

interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retry: string | null;
}

interface Service {
  readonly base: string;
  readonly post: (body: Uint8Array | string, type?: string, more?: object) => Promise<Heard>;
  readonly get: (query: string) => Promise<Heard>;
}

/** A service, every answer of which is held against its own document. */
async function serving(
  t: TestContext,
  world: CosignedWorld,
  transport: (typeof TRANSPORTS)[number],
  reception?: Pick<Reception, 'receive' | 'words'>,
): Promise<Service> {
  const { ledger, blobs } = world;
  const parts = { ledger, blobs, closeParts: { now: () => world.clock.now } as never };
  const { base } = await serveWorld(
    t,
    parts,
    transport,
    reception === undefined ? {} : { reception: reception as Reception },
  );
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const judge = new Judge(document);
  const heard = async (method: 'get' | 'post', response: Response): Promise<Heard> => {
    const operation = document.paths['/statements']?.[method];
    assert.ok(operation !== undefined);
    const text = await response.text();
    const { status, headers } = response;
    judge.check(operation, { status, text, header: (name) => headers.get(name) }, method);
    const body = JSON.parse(text) as Record<string, unknown>;
    return { status, body, retry: headers.get('retry-after') };
  };
  return {
    base,
    post: async (body, type = 'application/json', more = {}) =>
      heard(
        'post',
        await fetch(`${base}/statements`, {
          method: 'POST',
          headers: { 'content-type': type, ...more },
          body,
        }),
      ),
    get: async (query) => heard('get', await fetch(`${base}/v1/statements${query}`)),
  };
}

const bytesOf = (word: unknown): Uint8Array => formatWire(word as WireValue);

const codeOf = ({ status, body }: Heard): string => `${status} ${String(body['error'])}`;

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(`statements over ${transport}: each statement has its answer`, { skip }, async (t) => {
    const world = await CosignedWorld.open();
    const reception = world.receive();
    world.at(RELEASE);
    await world.round();
    const { base, post, get } = await serving(t, world, transport, reception);
    const word = await world.word(world.recounter(SEEDS[0]).cosigner);
    const { report } = word.statement;

    const size = world.ledger.nextSeq;
    const signedBy = (seed: number, change: object): StatementEntry => {
      const statement = { ...word.statement, ...change };
      const signature = formatHex(testSigner(seed).sign(statementMessage(statement)));
      return { ...word, statement, signature };
    };
    const none = 'ab'.repeat(32);
    const print = word.statement.print.replace(report, none);
    const cases: readonly (readonly [string, () => Promise<Heard>])[] = [
      ['400 invalid_json', () => post('{')],
      ['400 invalid_json', () => post(Uint8Array.of(0xff))],
      ['415 not_json', () => post(bytesOf(word), 'text/plain')],
      ['403 cross_site', () => post(bytesOf(word), undefined, { 'sec-fetch-site': 'cross-site' })],
      ['413 content_too_large', () => post(new Uint8Array(64 * 1024 + 1).fill(0x20))],
      ['422 malformed', () => post('[]')],
      ['422 malformed', () => post('1.5')],
      ['422 malformed', () => post('"\\ud800"')],
      ['422 malformed', () => post(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)],
      ['422 malformed', () => post(bytesOf({ ...word, more: 1 }))],
      ['422 malformed', () => post(bytesOf({ ...word, print_signature: null }))],
      [
        '422 malformed',
        () => post(bytesOf({ ...word, statement: { ...word.statement, report: none } })),
      ],
      ['404 not_found', () => post(bytesOf(signedBy(21, { report: none, print })))],
      [
        '403 unknown_cosigner',
        () => post(bytesOf(signedBy(40, { cosigner: formatHex(testSigner(40).publicKey) }))),
      ],
      ['403 bad_signature', () => post(bytesOf({ ...word, signature: '00'.repeat(64) }))],
      ['403 bad_signature', () => post(bytesOf({ ...word, print_signature: '00'.repeat(64) }))],
      ['409 refused', () => post(bytesOf(signedBy(21, { set: none })))],
      ['400 bad_request', () => get('')],
      ['400 bad_request', () => get('?report=x')],
      ['404 not_found', () => get(`?report=${none}`)],
    ];
    for (const [i, [expected, ask]] of cases.entries()) {
      assert.equal(codeOf(await ask()), expected, `case ${i}`);
    }
    assert.equal(world.ledger.nextSeq, size);

    const first = await post(bytesOf(word));
    assert.deepEqual([first.status, first.body['state']], [201, 'recorded']);
    assert.equal(parseTlogProof(first.body['proof'] as string).index, size);
    // As people write JSON: other spaces, and members in another order.
    const spaced = JSON.stringify(Object.fromEntries(Object.entries(word).reverse()), null, 2);
    const again = await post(spaced, 'application/json; charset=utf-8');
    assert.deepEqual([again.status, again.body], [200, { ...first.body, state: 'known' }]);
    const other = world.recounter(SEEDS[0]);
    other.source.show(OTHER);
    const dissent = await post(bytesOf(await world.word(other.cosigner)));
    assert.equal(codeOf(dissent), '409 refused');
    assert.deepEqual([dissent.body['at'], dissent.body['found']], ['report', `entry ${size}`]);
    const said = await get(`?report=${report}`);
    assert.equal(said.status, 200);
    const words = said.body['words'] as readonly { readonly word: unknown }[];
    assert.deepEqual(
      words.map((each) => each.word),
      [JSON.parse(JSON.stringify(word))],
    );
    // Nothing here is for the pages of other sites to send.
    const { headers } = await fetch(`${base}/statements`, { method: 'POST' });
    assert.equal(headers.get('access-control-allow-origin'), null);
  });

  test(`statements over ${transport}: a reception’s answer is passed on`, { skip }, async (t) => {
    const world = await CosignedWorld.open();
    world.at(RELEASE);
    await world.round();
    const word = await world.word(world.recounter(SEEDS[0]).cosigner);
    const quorum = { required: 2, have: 0, reached_at: null };
    let answer: Received = { kind: 'halted' };
    const { post } = await serving(t, world, transport, {
      receive: () => Promise.resolve(answer),
      words: () => Promise.resolve(undefined),
    });
    assert.equal(codeOf(await post(bytesOf(word))), '503 halted');
    answer = { kind: 'unpublished', seq: 9, quorum };
    const waiting = await post(bytesOf(word));
    assert.deepEqual(waiting, {
      status: 202,
      retry: '5',
      body: { state: 'unpublished', entry: { seq: 9, leaf: null }, quorum, proof: null },
    });
    answer = { kind: 'noted', quorum };
    assert.deepEqual(await post(bytesOf(word)), {
      status: 202,
      retry: null,
      body: { state: 'noted', entry: null, quorum, proof: null },
    });
    answer = { kind: 'busy', retryAfterS: 7 };
    const busy = await post(bytesOf(word));
    assert.deepEqual([codeOf(busy), busy.retry], ['429 rate_limited', '7']);
    assert.deepEqual(busy.body['violated-policies'], ['statements']);
  });

  test(`statements over ${transport}: halted where there is no record`, { skip }, async (t) => {
    const world = await CosignedWorld.open();
    world.at(RELEASE);
    await world.round();
    const word = await world.word(world.recounter(SEEDS[0]).cosigner);
    const { post, get } = await serving(t, world, transport);
    assert.equal(codeOf(await post(bytesOf(word))), '503 halted');
    assert.equal(codeOf(await get(`?report=${word.statement.report}`)), '503 halted');
  });
}
