import assert from 'node:assert/strict';
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, type Print } from '@assay/core/report/print';
import type { HashHex } from '@assay/core/hash/hash';
import type { Statement } from '@assay/core/report/statement';
import { toTime } from '@assay/core/time/time';
import { FileSignedPrints, MemorySignedPrints } from '@assay/node/cosign/signed-prints';
import { printPlace } from '@assay/core/view/statements';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const HASH = 'ab'.repeat(32) as HashHex;
const refused = { name: 'Fault', code: 'refused' };

/** The hash of a made-up report. */
const report = (i: number): HashHex => i.toString(16).padStart(64, '0') as HashHex;

function print(i: number, change: Partial<Print> = {}): Print {
  return {
    series: HASH,
    rule: HASH,
    report: report(i),
    value: 5n,
    publishedAt: 1_785_414_600n,
    period: 20_600,
    status: 'final',
    decimals: 0,
    settleable: true,
    withheld: false,
    issue: 0,
    ...change,
  };
}

const provisional = { status: 'provisional', settleable: false } as const;
const corrected = { status: 'corrected', settleable: false, issue: 1 } as const;

function statement(of: Print, verdict: 'agree' | 'dissent' = 'agree'): Statement {
  const value = verdict === 'agree' ? of.value.toString() : '6';
  return {
    type: 'assay-statement/1',
    log: HASH,
    report: of.report,
    print: formatHex(formatPrint(of)),
    entry: { seq: 1, leaf: HASH },
    head: { size: 2, root: HASH },
    cosigner: HASH,
    set: HASH,
    verdict,
    basis: 'own_read',
    kept: null,
    own: { value: of.status === 'void' ? null : value, status: of.status, reads: [] },
    reason: verdict === 'agree' ? null : 'value',
    after: null,
    signed_at: toTime('2026-07-30T12:30:00Z'),
  };
}

test('places: a final and a void share one; each issue of the others has its own', () => {
  const place = (change: Partial<Print>): string => printPlace(print(1, change));
  assert.equal(place({}), place({ status: 'void', settleable: false, value: 0n }));
  const all = [
    {},
    provisional,
    { ...provisional, issue: 1 },
    corrected,
    { ...corrected, issue: 2 },
  ];
  const others = [{ period: 20_601 }, { series: report(9) }];
  assert.equal(new Set([...all, ...others].map(place)).size, 7);
});

for (const kind of ['memory', 'file'] as const) {
  test(`signed prints, ${kind}: one print in a place for good, whatever else is signed`, async (t) => {
    const path = join(await temporaryFolder(t), 'signed.jsonl');
    const signed = kind === 'memory' ? new MemorySignedPrints() : await FileSignedPrints.open(path);
    await signed.write(statement(print(1)));
    await signed.write(statement(print(2, provisional)));
    await signed.write(statement(print(3, { ...provisional, issue: 1 })));
    await signed.write(statement(print(4, corrected)));
    const empty = { status: 'void', settleable: false, value: 0n } as const;
    for (const other of [print(5), print(5, empty), print(5, provisional), print(5, corrected)]) {
      await assert.rejects(signed.write(statement(other)), refused);
    }
    assert.equal(await signed.said(report(5)), undefined, 'what was refused was not said');
    await signed.write(statement(print(5), 'dissent'));
    assert.equal((await signed.said(report(5)))?.verdict, 'dissent');
    await assert.rejects(signed.write(statement(print(5))), refused, 'it dissented from it');
    await assert.rejects(signed.write(statement(print(1), 'dissent')), refused, 'it agreed to it');
    await signed.write(statement(print(6, { period: 20_601 })));
    assert.deepEqual(await signed.said(report(1)), statement(print(1)));
    if (signed instanceof FileSignedPrints) await signed.close();
  });
}

test('signed prints: opened again it knows them all', async (t) => {
  const path = join(await temporaryFolder(t), 'new', 'signed.jsonl');
  const first = await FileSignedPrints.open(path);
  for (let i = 1; i <= 500; i += 1) await first.write(statement(print(i, { period: i })));
  await first.close();
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const again = await FileSignedPrints.open(path, { sync: false });
  for (const i of [1, 250, 500]) {
    assert.deepEqual(await again.said(report(i)), statement(print(i, { period: i })));
    await assert.rejects(again.write(statement(print(1000, { period: i }))), refused);
  }
  await again.write(statement(print(1000)));
  assert.deepEqual(await again.said(report(1000)), statement(print(1000)));
  await again.close();
  await assert.rejects(again.write(statement(print(1001, { period: 7000 }))), { code: 'stopped' });
});

test('signed prints: cut off at any byte, a line is whole or was never signed', async (t) => {
  const path = join(await temporaryFolder(t), 'signed.jsonl');
  const first = await FileSignedPrints.open(path);
  await first.write(statement(print(1)));
  const whole = (await stat(path)).size;
  await first.write(statement(print(2, provisional)));
  await first.close();
  const bytes = await readFile(path);
  for (let cut = whole; cut < bytes.length; cut += 37) {
    await writeFile(path, bytes);
    await truncate(path, cut);
    const again = await FileSignedPrints.open(path, { sync: false });
    assert.notEqual(await again.said(report(1)), undefined);
    assert.equal(await again.said(report(2)), undefined, `cut at ${cut}`);
    await again.write(statement(print(3, provisional)));
    await again.close();
    const last = await FileSignedPrints.open(path, { sync: false });
    assert.deepEqual(
      await last.said(report(3)),
      statement(print(3, provisional)),
      'on a line of its own',
    );
    await last.close();
  }
});

test('signed prints: a file that says something else is not read past', async (t) => {
  const path = join(await temporaryFolder(t), 'signed.jsonl');
  const first = await FileSignedPrints.open(path);
  await first.write(statement(print(1)));
  await first.close();
  const whole = await readFile(path, 'utf8');
  const second = whole.replaceAll(report(1), report(2));
  for (const text of [`${whole}\n`, `{}\n${whole}`, whole + whole, whole + second]) {
    await writeFile(path, text);
    await assert.rejects(FileSignedPrints.open(path), { code: 'ledger_corrupt' });
    assert.equal(await readFile(path, 'utf8'), text, 'it is left as it is');
  }
});

test('signed prints: two at once in one place are one', async (t) => {
  const signed = await FileSignedPrints.open(join(await temporaryFolder(t), 'signed.jsonl'));
  const both = await Promise.allSettled([1, 2].map((i) => signed.write(statement(print(i)))));
  assert.deepEqual(
    both.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await signed.close();
});

test('signed prints: closed, it writes nothing; half a line at the end is taken away', async (t) => {
  const path = join(await temporaryFolder(t), 'signed.jsonl');
  const signed = await FileSignedPrints.open(path);
  await signed.close();
  await assert.rejects(signed.write(statement(print(1))), { code: 'stopped' });
  await appendFile(path, '{"half');
  const again = await FileSignedPrints.open(path);
  await again.write(statement(print(1)));
  await again.close();
});
