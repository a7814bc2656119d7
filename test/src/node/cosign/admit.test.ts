import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Fault, faultCode } from '@assay/core/fault';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { dissentMessage, parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import type { Read } from '@assay/core/report/report';
import { type Statement, statementMessage } from '@assay/core/report/statement';
import { formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { type AdmitContext, admit, statementOf } from '@assay/node/cosign/admit';
import type { CosignerStatement } from '@assay/node/cosign/cosigner';
import { logRoot } from '@assay/node/cosign/log-root';
import { note, testSigner } from '../ledger/ledger-fixture.ts';
import { CosignedWorld, LATE, OTHER, RELEASE, SEEDS, WINDOW } from './cosigner-fixture.ts';

interface Admission {
  readonly world: CosignedWorld;
  readonly word: CosignerStatement;
  readonly context: AdmitContext;
}

/** A good word, and the publisher that it is for. */
async function admission(kind: CosignerStatement['kind']): Promise<Admission> {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const { cosigner, source } = world.recounter();
  if (kind === 'dissent') source.show(OTHER);
  if (kind === 'abstain') world.clock.now = parseTime(LATE) + 1;
  const asked = await world.asked(row);
  const word = await cosigner.recount(asked);
  assert.equal(word?.kind, kind);
  return { world, word, context: await contextOf(world, asked, word) };
}

async function contextOf(
  world: CosignedWorld,
  asked: AdmitContext['asked'],
  word: CosignerStatement,
): Promise<AdmitContext> {
  const { ledger, clock } = world;
  return {
    state: ledger.tip,
    asked,
    size: ledger.published?.size ?? 0,
    root: await logRoot(nodeSha256, ledger, statementOf(word).head.size),
    now: clock.now,
    sha256: nodeSha256,
    verify: nodeVerifySignature,
  };
}

/** A word that says something else, signed by its own key again. */
function signedAgain(
  word: CosignerStatement,
  change: Partial<Statement>,
  seed: number = SEEDS[0],
): CosignerStatement {
  const signer = testSigner(seed);
  const statement = { ...statementOf(word), ...change };
  const sign = (message: Uint8Array): string => formatHex(signer.sign(message));
  const signature = sign(statementMessage(statement));
  const print = parseHex(statement.print, PRINT_BYTES);
  if (word.kind === 'abstain') return { kind: 'abstain', statement, signature };
  return word.kind === 'agree'
    ? { kind: 'agree', body: { statement, signature, print_signature: sign(print) } }
    : {
        kind: 'dissent',
        body: { statement, signature, dissent_signature: sign(dissentMessage(parsePrint(print))) },
      };
}

const refusal = (word: CosignerStatement, context: AdmitContext): string => {
  try {
    admit(word, context);
    return 'admitted';
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return `${error.code} ${error.code === 'refused' ? error.at : ''}`.trim();
  }
};

test('admit: a good statement makes its entry, an abstention none', async () => {
  for (const kind of ['agree', 'dissent', 'abstain'] as const) {
    const { word, context } = await admission(kind);
    const draft = admit(word, context);
    const expected = { agree: 'cosign/1', dissent: 'dissent/1', abstain: undefined }[kind];
    assert.equal(draft?.kind, expected);
    if (word.kind !== 'abstain') assert.deepEqual(draft?.body, word.body);
  }
});

/** Every way to change one leaf of a JSON value. */
function mutants(value: unknown): unknown[] {
  if (typeof value === 'string') {
    const flip = (i: number): string => {
      const other = value[i] === '0' ? '1' : '0';
      return value.slice(0, i) + other + value.slice(i + 1);
    };
    const places = [0, Math.floor(value.length / 2), value.length - 1];
    return [...places.filter((i) => i >= 0).map(flip), `${value}0`, null, 7];
  }
  if (typeof value === 'number') return [value + 1, value - 1, -1, String(value), null];
  if (typeof value === 'boolean') return [!value, null];
  if (value === null) return ['', 'x', 0, {}];
  if (Array.isArray(value)) {
    return [
      ...value.map((_, i) => value.toSpliced(i, 1)),
      ...value.flatMap((each, i) => mutants(each).map((other) => value.with(i, other))),
      [...value, ...value],
    ];
  }
  const entries = Object.entries(value as object);
  return [
    { ...(value as object), more: 1 },
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([other]) => other !== name))),
    ...entries.flatMap(([name, each]) =>
      mutants(each).map((other) => ({ ...(value as object), [name]: other })),
    ),
  ];
}

test('admit: with any one field changed it is refused', async () => {
  for (const kind of ['agree', 'dissent', 'abstain'] as const) {
    const { word, context } = await admission(kind);
    const parts = word.kind === 'abstain' ? word : word.body;
    const changed = mutants(parts).map((other) =>
      word.kind === 'abstain' ? { ...(other as object), kind } : { kind, body: other },
    );
    assert.ok(changed.length > 100);
    for (const each of changed) {
      if (isDeepStrictEqual(each, word) || (each as { kind: string }).kind !== kind) continue;
      let found = 'admitted';
      try {
        admit(each as CosignerStatement, context);
      } catch (error) {
        found = faultCode(error) ?? String(error);
      }
      assert.match(found, /^(malformed|refused)$/, JSON.stringify(each));
    }
  }
});

test('admit: a bit of a signature changed is no signature', async () => {
  const { word, context } = await admission('agree');
  assert.ok(word.kind === 'agree');
  fc.assert(
    fc.property(
      fc.constantFrom('signature', 'print_signature'),
      fc.integer({ min: 0, max: 511 }),
      (name: 'signature' | 'print_signature', bit) => {
        const bytes = parseHex(word.body[name], 64);
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        const body = { ...word.body, [name]: formatHex(bytes) };
        assert.equal(refusal({ kind: 'agree', body }, context), `refused ${name}`);
      },
    ),
    { numRuns: 60 },
  );
});

test('admit: signed well and wrong, it is refused at its place', async () => {
  const { word, context, world } = await admission('agree');
  const { own, entry, head } = statementOf(word);
  assert.ok(own !== null);
  const hash = 'ab'.repeat(32) as never;
  const readAt = (time: Read['read_at']): readonly Read[] =>
    own.reads.map((read) => ({ ...read, read_at: time }));
  const early = formatTime(parseTime(RELEASE) - 1);
  const ahead = formatTime(world.clock.now + 121);
  const stranger = formatHex(testSigner(40).publicKey);
  const cases: readonly (readonly [string, Partial<Statement>])[] = [
    ['log', { log: hash }],
    ['entry.seq', { entry: { ...entry, seq: entry.seq - 1 } }],
    ['entry.leaf', { entry: { ...entry, leaf: hash } }],
    ['head.root', { head: { ...head, root: hash } }],
    ['head.size', { head: { ...head, size: head.size + 1 } }],
    ['set', { set: hash }],
    ['signed_at', { signed_at: early }],
    ['signed_at', { signed_at: ahead }],
    ['own', { own: { ...own, status: 'final' } }],
    ['own', { own: { ...own, reads: own.reads.map((read) => ({ ...read, value: '198000' })) } }],
    ['own.reads[0]', { own: { ...own, reads: readAt(early) } }],
    ['own.reads[0]', { own: { ...own, reads: readAt(ahead) } }],
    [
      'own.reads[0]',
      { own: { ...own, reads: own.reads.map((read) => ({ ...read, value: null })) } },
    ],
    [
      'own.reads[0]',
      { own: { ...own, reads: own.reads.map((read) => ({ ...read, snapshot: null })) } },
    ],
    ['own.reads', { own: { ...own, reads: own.reads.slice(1) } }],
    ['kept', { kept: { status: 'final', value: own.value } }],
  ];
  for (const [at, change] of cases) {
    assert.equal(refusal(signedAgain(word, change), context), `refused ${at}`, at);
  }
  assert.equal(refusal(signedAgain(word, { cosigner: stranger }, 40), context), 'refused cosigner');
  assert.equal(refusal(signedAgain(word, {}, 22), context), 'refused signature');
  assert.equal(
    refusal(signedAgain(word, { signed_at: formatTime(world.clock.now + 120) }), context),
    'admitted',
  );
});

test('admit: a dissent from what one has found oneself is none', async () => {
  const { word, context } = await admission('agree');
  assert.ok(word.kind === 'agree');
  const change = { verdict: 'dissent', reason: 'value' } as const;
  const dissent = signedAgain({ kind: 'dissent', body: word.body as never }, change);
  assert.equal(refusal(dissent, context), 'refused own');
  const kept = signedAgain(dissent, { basis: 'retained_bytes' });
  assert.equal(refusal(kept, context), 'refused kept');
  assert.equal(refusal({ kind: 'dissent', body: word.body as never }, context), 'malformed');
});

test('admit: an older head is as good, while the log had it', async () => {
  const { word, context, world } = await admission('agree');
  await world.ledger.write(() => [note('one more')]);
  const later = await contextOf(world, context.asked, word);
  assert.equal(later.size, context.size + 1);
  assert.equal(refusal(word, later), 'admitted');
});

test('admit: once of each co-signer on a report, whatever it says the second time', async () => {
  const { word, context, world } = await admission('agree');
  const draft = admit(word, context);
  assert.ok(draft !== undefined);
  await world.ledger.write(() => [draft]);
  assert.equal(refusal(word, context), 'refused report');
  world.at(WINDOW);
  const other = world.recounter();
  other.source.show(OTHER);
  const asked = await world.asked(world.rows()[0] as never);
  const dissent = await other.cosigner.recount(asked);
  assert.ok(dissent?.kind === 'dissent');
  assert.equal(refusal(dissent, await contextOf(world, asked, dissent)), 'refused report');
});
