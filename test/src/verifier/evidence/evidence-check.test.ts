import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Evidence,
  formatEvidence,
  MAX_EVIDENCE_BYTES,
  parseEvidence,
} from '@assay/core/proof/evidence';
import { formatStatement } from '@assay/core/report/statement';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, type WireObject, type WireValue, wire } from '@assay/core/wire/wire';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { accuseWitnesses } from '@assay/verifier/evidence/evidence-tree';
import type { EvidenceVerdict } from '@assay/verifier/evidence/evidence-verdict';
import fc from 'fast-check';
import { sha256, vectors } from '../../core/fixture/fixture.ts';
import { flip, places as bytePlaces, runs } from '../fixture/flip.ts';
import {
  ABSTENTION,
  COSIGNER,
  DISSENT,
  FORGED,
  forkOf,
  GENESIS_ENTRY,
  HONEST,
  LOG_ID,
  LOG_SIGNER,
  logSigner,
  printsOf,
  PUBLISHER,
  reportOf,
  statementEntryOf,
  signedPrint,
  statementsOf,
  WITNESSES,
} from '../fixture/evidence-world.ts';
import { FINAL, files, NEEDS, OTHER_FINAL } from '../fixture/evidence-files.ts';

const check = (evidence: Evidence): Promise<EvidenceVerdict> =>
  checkEvidence(formatEvidence(evidence), NEEDS);

/** Who is accused, or why nobody is. */
function short(verdict: EvidenceVerdict): readonly string[] | string {
  if (!verdict.proven) return verdict.faults[0].code;
  return verdict.accused.map(({ role, name, key }) => `${role} ${name ?? key}`);
}

/** Files that do not show which log they are of. */
const UNNAMED = ['fork of two sizes', 'fork at a power of two', 'two finals without the log'];

test('evidence: each kind is proven, against whom it should', async () => {
  const verdicts = new Map<string, EvidenceVerdict>();
  for (const [name, evidence] of await files()) verdicts.set(name, await check(evidence));
  assert.deepEqual(
    Object.fromEntries([...verdicts].map(([name, verdict]) => [name, short(verdict)])),
    {
      'fork of one size': ['log development/evidence'],
      'fork of two sizes': ['log development/evidence'],
      'fork at a power of two': ['log development/evidence'],
      'fork with witnesses': [
        'log development/evidence',
        'witness witness.example/one',
        'witness witness.example/two',
      ],
      omission: [
        'log development/evidence',
        'witness witness.example/one',
        'witness witness.example/two',
      ],
      'two finals': ['publisher development/evidence'],
      'a final and a void': ['publisher development/evidence'],
      'two finals of a co-signer': [`signer ${COSIGNER.key}`],
      'two finals without the log': [`signer ${PUBLISHER.key}`],
      'agreement and dissent': [`cosigner ${COSIGNER.key}`],
      'agreement to two finals': [`cosigner ${COSIGNER.key}`],
      'an answer with another in its place': ['publisher development/evidence'],
      'an answer behind the end of its batch': ['publisher development/evidence'],
    },
  );
  for (const [name, verdict] of verdicts) {
    assert.equal(verdict.log, UNNAMED.includes(name) ? null : LOG_ID, name);
    assert.ok(verdict.proven && verdict.open.length > 0, name);
  }
});

test('evidence: what the files are, byte for byte', async () => {
  const known =
    vectors<readonly { name: string; file: string; verdict: unknown }[]>('evidence/files');
  const own = await files();
  assert.deepEqual(
    known.map(({ name }) => name),
    [...own.keys()],
  );
  for (const { name, file, verdict } of known) {
    assert.equal(file, parseUtf8(formatEvidence(own.get(name) as Evidence)), name);
    assert.deepEqual(await checkEvidence(formatUtf8(file), NEEDS), verdict, name);
  }
  const unproven =
    vectors<readonly { name: string; file: string; fault: string }[]>('evidence/unproven');
  for (const { name, file, fault } of unproven) {
    assert.equal(short(await checkEvidence(formatUtf8(file), NEEDS)), fault, name);
  }
});

test('evidence: makers give nothing where both may be true', () => {
  const said = statementEntryOf(FINAL);
  const fork = (a: Uint8Array, b: Uint8Array, m: number, n: number): void => {
    assert.throws(
      () => forkOf([m, n], { first: a, second: b, consistency: HONEST.prefix(m, n) }),
      TypeError,
    );
  };
  fork(HONEST.note(4), HONEST.note(7), 4, 7);
  fork(HONEST.note(5), HONEST.note(7), 5, 7);
  assert.throws(() => forkOf([6, 6], { first: HONEST.note(6), second: HONEST.note(6) }));
  assert.equal(printsOf(FINAL, FINAL), undefined);
  assert.equal(printsOf(reportOf('provisional'), reportOf('provisional', { issue: 1 })), undefined);
  assert.equal(printsOf(FINAL, reportOf('corrected')), undefined);
  assert.equal(printsOf(reportOf('corrected'), reportOf('corrected', { issue: 2 })), undefined);
  assert.equal(printsOf(FINAL, reportOf('final', { period: '2026-07-18' })), undefined);
  assert.equal(printsOf(FINAL, reportOf('final', { log: '5e'.repeat(32) })), undefined);
  assert.equal(statementsOf(said, said), undefined);
  assert.equal(statementsOf(said, statementEntryOf(FINAL, ABSTENTION)), undefined);
  assert.equal(
    statementsOf(said, statementEntryOf(FINAL, { signed_at: '2026-08-07T00:00:00Z' })),
    undefined,
  );
  assert.equal(statementsOf(said, statementEntryOf(reportOf('corrected'))), undefined);
  assert.equal(statementsOf(said, statementEntryOf(OTHER_FINAL, DISSENT)), undefined);
  assert.equal(statementsOf(said, statementEntryOf(FINAL, DISSENT, PUBLISHER)), undefined);
});

test('evidence: a witness that signed one of the two, or whose line is bad, is not accused', async () => {
  const [one, two] = WITNESSES;
  const vkeys = [one.vkey, two.vkey, LOG_SIGNER.vkey, 'none'];
  const liar = { ...two, line: () => two.line('another text\n') };
  const fork = forkOf([6, 6], {
    first: HONEST.note(6, [LOG_SIGNER, one, two]),
    second: FORGED.note(6, [LOG_SIGNER, one, liar]),
  });
  const accusing = await accuseWitnesses(fork as Evidence & { kind: 'fork' }, vkeys, NEEDS);
  assert.deepEqual(accusing.witnesses, [one.vkey]);
  // Whoever lists it all the same proves nothing.
  assert.equal(short(await check({ ...accusing, witnesses: [one.vkey, two.vkey] })), 'signature');
  assert.equal(short(await check({ ...accusing, witnesses: [LOG_SIGNER.vkey] })), 'format');
});

test('evidence: a bad line beside a good one takes nothing back', async () => {
  const liar = { ...LOG_SIGNER, line: () => LOG_SIGNER.line('another text\n') };
  const fork = forkOf([6, 6], { second: FORGED.note(6, [liar, LOG_SIGNER]) });
  assert.deepEqual(short(await check(fork)), ['log development/evidence']);
});

test('evidence: one key that signs for two logs contradicts nothing', async () => {
  const origin = 'development/other';
  const renamed = { ...LOG_SIGNER, line: logSigner().line };
  const other = FORGED.note(6, [renamed], origin);
  assert.throws(() => forkOf([6, 6], { second: other }));
  const fork = { ...forkOf([6, 6]), second: parseUtf8(other) } as Evidence & { kind: 'fork' };
  const [first, second] = [fork.first, fork.second].toSorted();
  assert.equal(
    short(await check({ ...fork, first: first ?? '', second: second ?? '' })),
    'consistent',
  );
  // Nor does a key of that name accuse the log of this one.
  const named = logSigner(undefined, origin);
  assert.equal(
    short(await check({ ...forkOf([6, 6]), vkey: named.vkey } as Evidence)),
    'consistent',
  );
});

test('evidence: every flipped bit is still proven against nobody else, or not at all', async () => {
  for (const [name, evidence] of await files()) {
    const bytes = formatEvidence(evidence);
    const accused = (await checkEvidence(bytes, NEEDS)).accused.map(({ key }) => key);
    for (const { at: byte, bit } of bytePlaces(bytes.length, 3)) {
      const verdict = await checkEvidence(flip(bytes, byte, bit), NEEDS);
      for (const { key } of verdict.accused) assert.ok(accused.includes(key), `${name}, ${byte}`);
    }
  }
});

/** Every member of a value with its path. */
function* places(value: WireValue, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) yield* places(each, [...path, key]);
}

function replaced(value: WireValue, [key, ...rest]: readonly string[], by: WireValue): WireValue {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((each: WireValue, i) => (String(i) === key ? replaced(each, rest, by) : each));
  }
  const object = value as WireObject;
  return { ...object, [key]: replaced(object[key] as WireValue, rest, by) };
}

function at(value: WireValue, path: readonly string[]): WireValue {
  let here = value;
  for (const key of path) here = (here as WireObject)[key] as WireValue;
  return here;
}

test('evidence: wrong values, and parts of other files, accuse nobody else and throw nothing', async () => {
  const all = [...(await files()).values()].map((each) => wire(each));
  const pool = all.flatMap((each) => [...places(each)].map((path) => at(each, path)));
  const strange: readonly WireValue[] = [
    null,
    true,
    -1,
    2 ** 53 - 1,
    '',
    'x',
    [],
    {},
    [[[[]]]],
    '\n\n',
  ];
  const guilty = new Set<string>();
  for (const each of all) {
    const verdict = await check(each as unknown as Evidence);
    for (const { key } of verdict.accused) guilty.add(key);
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(), fc.boolean(), async (f, p, b, odd) => {
      const file = all[f % all.length] as WireObject;
      const paths = [...places(file)];
      const path = paths[p % paths.length] as readonly string[];
      const from = odd ? strange : pool;
      const verdict = await checkEvidence(
        formatWire(replaced(file, path, from[b % from.length] as WireValue)),
        NEEDS,
      );
      for (const { key } of verdict.accused) assert.ok(guilty.has(key), key);
    }),
    runs(1000, 50_000),
  );
});

/** The two as a file has them. */
function inOrder<T>(a: T, b: T, by: (each: T) => string): { first: T; second: T } {
  return by(a) < by(b) ? { first: a, second: b } : { first: b, second: a };
}

/** Sorts notes by the size of their trees, then by their text. */
function sizeOf(text: string): string {
  return `${text.split('\n')[1]} ${text}`;
}

test('evidence: whoever keeps the promises cannot be accused, whatever is put together', async () => {
  const sizes = [1, 2, 3, 4, 5, 6, 7, 8] as const;
  const signers = [LOG_SIGNER, ...WITNESSES];
  const stranger = logSigner(COSIGNER);
  const text = (bytes: Uint8Array): string => parseUtf8(bytes);
  const notes = [
    ...sizes.map((size) => text(HONEST.note(size, signers))),
    ...sizes.map((size) => text(FORGED.note(size, [stranger]))),
    ...sizes.map((size) => text(FORGED.note(size, signers, 'development/other'))),
    ...sizes.map((size) =>
      text(FORGED.note(size, [{ ...LOG_SIGNER, line: () => LOG_SIGNER.line('x\n') }])),
    ),
  ];
  const proofs = sizes.flatMap((n) =>
    sizes.filter((m) => m < n).flatMap((m) => [HONEST.prefix(m, n), FORGED.prefix(m, n)]),
  );
  const hex = (hashes: readonly Uint8Array[]): string[] =>
    hashes.map((hash) => Buffer.from(hash).toString('hex'));
  const note = fc.constantFrom(...notes);
  const vkey = fc.constantFrom(LOG_SIGNER.vkey, stranger.vkey, logSigner(undefined, 'x').vkey);
  const witnesses = fc.constantFrom<readonly string[]>(
    [],
    WITNESSES.map((each) => each.vkey).toSorted(),
  );
  const genesis = fc.constantFrom(null, HONEST.genesis(6), FORGED.genesis(8));
  const type = fc.constant('assay-evidence/1' as const);
  const fork = fc
    .record({
      type,
      kind: fc.constant('fork' as const),
      genesis,
      vkey,
      witnesses,
      first: note,
      second: note,
      consistency: fc.constantFrom(null, ...proofs.map(hex)),
    })
    .map((each) => ({ ...each, ...inOrder(each.first, each.second, sizeOf) }));
  const receipts = [
    ...sizes.map((n) => HONEST.receipt(n - 1, n, signers)),
    FORGED.receipt(4, 8, [stranger]),
  ];
  const omission = fc.record({
    type,
    kind: fc.constant('omission' as const),
    genesis,
    vkey,
    witnesses,
    receipt: fc.constantFrom(...receipts),
    receipted: fc.constantFrom(
      ...hex([
        ...HONEST.entries.map((_entry, i) => HONEST.leaf(i)),
        ...FORGED.entries.map((_entry, i) => FORGED.leaf(i)),
      ]),
    ),
    checkpoint: note,
    leaf: fc.constantFrom(...hex(sizes.map((n) => FORGED.leaf(n - 1)))),
    proof: fc.constantFrom(
      ...sizes.map((n) => hex(HONEST.inclusion(n - 1, 8))),
      hex(FORGED.inclusion(4, 8)),
    ),
  });
  const honest = [
    reportOf('provisional'),
    reportOf('provisional', { issue: 1 }),
    FINAL,
    reportOf('corrected'),
    reportOf('corrected', { issue: 2, value: '216000' }),
    reportOf('final', { ticker: 'CLAIMS' }),
    reportOf('void'),
  ];
  const print = fc.oneof(
    fc.constantFrom(...honest.map((each) => signedPrint(each))),
    // What somebody else signed, and what nobody did.
    fc.constantFrom(signedPrint(OTHER_FINAL, COSIGNER)),
    fc.constant({ ...signedPrint(OTHER_FINAL), signature: signedPrint(FINAL).signature }),
  );
  const log = { genesis: Buffer.from(GENESIS_ENTRY).toString('base64'), ticker: FINAL.ticker };
  const prints = fc
    .record({
      type,
      kind: fc.constant('prints' as const),
      key: fc.constant(PUBLISHER.key),
      log: fc.constantFrom(null, log),
      first: print,
      second: print,
    })
    .map((each) => ({ ...each, ...inOrder(each.first, each.second, ({ message }) => message) }));
  const said = [
    ...honest.map((each) => statementEntryOf(each, {}, PUBLISHER)),
    statementEntryOf(OTHER_FINAL, DISSENT, PUBLISHER),
    statementEntryOf(FINAL, ABSTENTION, PUBLISHER),
    {
      ...statementEntryOf(FINAL, DISSENT, PUBLISHER),
      signature: statementEntryOf(FINAL, {}, PUBLISHER).signature,
    },
  ];
  const statements = fc
    .record({
      type,
      kind: fc.constant('statements' as const),
      first: fc.constantFrom(...said),
      second: fc.constantFrom(...said),
    })
    .map((each) => ({
      ...each,
      ...inOrder(each.first, each.second, (one) => parseUtf8(formatStatement(one.statement))),
    }));
  const reasons = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fork, omission, prints, statements), async (evidence) => {
      const verdict = await check(evidence as Evidence);
      reasons.add(`${evidence.kind}: ${String(short(verdict))}`);
      assert.deepEqual(verdict.accused, [], JSON.stringify(verdict));
    }),
    runs(1500, 100_000),
  );
  // It is not their form alone that keeps them from being proven.
  for (const kind of ['fork', 'prints', 'statements']) {
    assert.ok(reasons.has(`${kind}: consistent`) && reasons.has(`${kind}: signature`), kind);
  }
  assert.ok(reasons.has('omission: consistent') && reasons.has('omission: proof'));
});

test('evidence: hostile bytes end in a verdict', async () => {
  const long = 'x'.repeat(MAX_EVIDENCE_BYTES + 1);
  const inputs = [
    '',
    '{}',
    'null',
    '[',
    long,
    '['.repeat(100_000),
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    `[${'null,'.repeat(100_000)}null]`,
    '{"kind":"fork"}',
    '{"kind":"fork","type":"assay-evidence/1"}',
    '{"kind":"theft","type":"assay-evidence/1"}',
    '{"kind":["fork"],"type":"assay-evidence/1"}',
    '{"__proto__":{"kind":"fork"}}',
    ' {"kind":"fork"}',
    '{"kind":"fork","kind":"fork"}',
    '\u{feff}{}',
  ];
  for (const input of inputs) {
    const verdict = await checkEvidence(formatUtf8(input), NEEDS);
    assert.equal(short(verdict), 'format', input.slice(0, 40));
  }
  assert.equal(short(await checkEvidence(Uint8Array.of(0xff, 0xfe), NEEDS)), 'format');
});

test('evidence: a note costs one signature for each of its lines at the most', async () => {
  let verified = 0;
  const counting = {
    sha256,
    verifySignature: (): Promise<boolean> => {
      verified += 1;
      return Promise.resolve(verified % 64 === 0);
    },
  };
  const liar = { ...LOG_SIGNER, line: () => LOG_SIGNER.line('another text\n') };
  const lines = Array.from({ length: 64 }, () => liar);
  const fork = forkOf([6, 6], { first: HONEST.note(6, lines), second: FORGED.note(6, lines) });
  await checkEvidence(formatEvidence(fork), counting);
  assert.ok(verified <= 128, `${verified}`);
});

test('evidence: the checker takes what the formatter writes, and nothing else', async () => {
  for (const [name, evidence] of await files()) {
    const bytes = formatEvidence(evidence);
    assert.deepEqual(parseEvidence(bytes), JSON.parse(parseUtf8(bytes)), name);
    assert.ok(bytes.length < MAX_EVIDENCE_BYTES);
    const spaced = formatUtf8(JSON.stringify(JSON.parse(parseUtf8(bytes)), null, 1));
    assert.equal(short(await checkEvidence(spaced, NEEDS)), 'format', name);
  }
});
