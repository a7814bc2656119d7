import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, contentHash } from '@assay/core/hash/hash';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { parseDate, toDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { runRound } from '@assay/node/round/round';
import { enactRule } from '@assay/node/rule/rule-file';
import type { SourceAnswer } from '@assay/node/source/source';
import type { ExtractedText } from '@assay/verifier/verdict/environment';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { CLAIMS_RULE, RECORD, type TestNode, testNode } from '../../node/fixture/round-fixture.ts';
import { pressRelease, smallPdf } from '../../node/source/small-pdf.ts';

const WEEK = '2026-09-12';

function pdf(id: string, role: Provider['role']): Provider {
  return {
    ...RECORD,
    id,
    role,
    text: 'pdf',
    request: {
      ...RECORD.request,
      url: `https://${id}.invalid/press/{release:YYYY}/{release:MMDDYY}.pdf`,
    },
    extract: [
      { op: 'utf8' },
      { op: 'squash' },
      {
        op: 'after',
        text: 'Intheweekending{period:MonthD},theadvancefigureforseasonallyadjustedinitialclaimswas',
      },
      { op: 'num', style: 'us_grouped', take: 'prefix' },
    ],
    checks: [],
  };
}

const RULE: Rule = {
  ...CLAIMS_RULE,
  version: 2,
  applies_from: toDate('2026-09-12'),
  providers: [pdf('press', 'record'), pdf('archive', 'custody')],
  revision: { ...CLAIMS_RULE.revision, freeze_after_s: 0, provider: null },
};

function answer(bytes: Uint8Array, status = 200): SourceAnswer {
  return { kind: 'pages', pages: [{ status, contentType: 'application/pdf', bytes }] };
}

/** A node whose two sources say this about the week. */
async function published(record: SourceAnswer, copy: SourceAnswer): Promise<TestNode> {
  const node = await testNode('2026-09-01T00:00:00Z');
  await enactRule(node.ledger, nodeSha256, RULE);
  node.at('2026-09-17T12:30:00Z');
  node.source.answers.set('https://press.invalid/press/2026/091726.pdf', record);
  node.source.answers.set('https://archive.invalid/press/2026/091726.pdf', copy);
  await runRound(RULE.ticker, parseDate(WEEK), node.parts);
  return node;
}

type Extract = ReturnType<typeof nodeEnvironment>['extractText'];

function verdictOn({ place, blobs }: TestNode, extractText?: Extract): Promise<Verdict> {
  const folder = {
    rows: () => place.store.rows(),
    guard: () => place.signed.read(),
    blob: blobs.get,
  };
  const environment = { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync };
  return verify({ kind: 'folder', folder }, OPEN_POLICY, {
    environment: extractText === undefined ? environment : { ...environment, extractText },
  });
}

const EXTRACT = nodeEnvironment(undefined, true).extractText;
const PDF = pressRelease('196,000', '206,000');
/** The same text in other bytes. */
const WRAPPED = new Uint8Array([...PDF, ...new TextEncoder().encode('\n% captured')]);

function outcomes(verdict: Verdict): readonly unknown[] {
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  return verdict.not_checked
    .filter(({ what }) => what.startsWith('the text in'))
    .map(({ what, why }) => `${what}: ${why}`);
}

async function reads(node: TestNode): Promise<readonly string[]> {
  const { reads: made } = await runRound(RULE.ticker, parseDate(WEEK), node.parts);
  return made.map(({ read }) => `${read.outcome} ${read.value}`);
}

test('text check: a print from a PDF, with a custody copy that holds the same text', async () => {
  const node = await published(answer(PDF), answer(WRAPPED));
  assert.deepEqual(await reads(node), ['ok 196000', 'ok 196000']);
  assert.deepEqual(outcomes(await verdictOn(node)), [
    'the text in the pages of press, archive (2 times): it was taken by unpdf 1.7.0+lines.1, and that was not repeated (--extract does)',
  ]);
  const verdict = await verdictOn(node, EXTRACT);
  assert.deepEqual(outcomes(verdict), []);
  assert.equal(verdict.checked.reads_reexecuted, 2);
});

test('text check: another program is held to what the rule reads in its text, and none for this kind is named', async () => {
  const node = await published(answer(PDF), answer(WRAPPED));
  const by =
    (change: (text: string) => string): Extract =>
    async (kind, pages): Promise<ExtractedText | undefined> => {
      const made = await EXTRACT?.(kind, pages);
      const text = change(Buffer.from(made?.bytes ?? []).toString());
      return made && { ...made, version: '9', bytes: new TextEncoder().encode(text) };
    };
  // Other bytes, in which the rule finds the same.
  const same = outcomes(
    await verdictOn(
      node,
      by((text) => `${text} `),
    ),
  );
  assert.match(String(same), /in the text of unpdf 9 the rule reads the same/);
  // Whoever took the text names the program: a figure that the pages do not hold is found whatever that name is.
  const verdict = await verdictOn(
    node,
    by((text) => text.replaceAll('196,000', '999,000')),
  );
  assert.deepEqual(
    verdict.outcome === 'findings' &&
      verdict.findings.map(({ code, expected, found }) => [code, expected, found]),
    [0, 1].map(() => ['text_differs', 'ok 999000, by unpdf 9', 'ok 196000']),
  );
  assert.match(String(outcomes(await verdictOn(node, async () => undefined))), /not repeated/);
});

test('text check: a text that its pages do not hold is found by taking it again alone', async () => {
  const node = await published(answer(PDF), answer(WRAPPED));
  const lie: Extract = async (kind, pages) => {
    const made = await EXTRACT?.(kind, pages);
    return made && { ...made, bytes: new TextEncoder().encode('something else') };
  };
  const verdict = await verdictOn(node, lie);
  assert.equal(verdict.outcome, 'findings');
  assert.deepEqual(
    verdict.outcome === 'findings' && verdict.findings.map(({ code, found }) => [code, found]),
    [0, 1].map(() => ['text_differs', textHash]),
  );
  const none: Extract = async (kind, pages) => {
    const made = await EXTRACT?.(kind, pages);
    return made && { ...made, bytes: null };
  };
  const without = await verdictOn(node, none);
  assert.equal(without.outcome === 'findings' && without.findings[0]?.expected, 'none');
});

const textHash = hashHex(
  contentHash(nodeSha256, (await EXTRACT?.('pdf', [PDF]))?.bytes ?? new Uint8Array(0)),
);

test('text check: a broken PDF is a read without a text, and taking it again agrees', async () => {
  const node = await published(answer(PDF), answer(smallPdf('0 0 9 9 re f')));
  assert.deepEqual(await reads(node), ['ok 196000', 'copy_differs null']);
  outcomes(await verdictOn(node, EXTRACT));
  const broken = await published(answer(PDF.slice(0, 400)), answer(PDF));
  assert.deepEqual(await reads(broken), ['malformed null', 'copy_differs null']);
});

test('custody: other content has no value, and the verdict agrees', async () => {
  const other = pressRelease('196,000', '206,000', '196,001');
  const node = await published(answer(PDF), answer(other));
  assert.deepEqual(await reads(node), ['ok 196000', 'copy_differs null']);
  outcomes(await verdictOn(node, EXTRACT));
});

test('custody: a copy counts alone where the record did not come', async () => {
  for (const record of [
    answer(PDF, 403),
    { kind: 'failed', reason: 'timeout', detail: '' },
  ] as const) {
    const node = await published(record, answer(PDF));
    assert.equal((await reads(node))[1], 'ok 196000');
    outcomes(await verdictOn(node, EXTRACT));
  }
});

test('custody: a copy that is not there keeps its own reason', async () => {
  const node = await published(answer(PDF), answer(new Uint8Array(0), 404));
  assert.deepEqual(await reads(node), ['ok 196000', 'bad_status null']);
});
