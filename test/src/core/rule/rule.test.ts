import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { formatRule, parseRule, readRule, ruleHash } from '@assay/core/rule/rule';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, type WireObject, type WireValue, wire } from '@assay/core/wire/wire';
import { layoffsRule, sha256, vectors, withheldRule } from '../fixture/fixture.ts';

interface RuleVector {
  readonly name: string;
  readonly rule: WireObject;
  readonly bytes: number;
  readonly hash: string;
}
const RULES = vectors<readonly RuleVector[]>('rule/rules');
const GOOD = RULES[0]?.rule as WireObject;
const PROVIDERS = GOOD['providers'] as readonly WireObject[];

function change(path: string, value: WireValue): WireObject {
  const copy = structuredClone(GOOD) as Record<string, WireValue>;
  const parts = path.split('.');
  const last = parts.pop() as string;
  let node = copy as Record<string, unknown>;
  for (const part of parts) node = node[part] as Record<string, unknown>;
  node[last] = value;
  return copy;
}

test('rule: exact bytes and hash', () => {
  for (const { name, rule, bytes, hash } of RULES) {
    const parsed = parseRule(sha256, rule);
    assert.deepEqual(parsed, rule, name);
    assert.equal(formatRule(parsed).length, bytes);
    assert.equal(ruleHash(sha256, parsed), hash);
    assert.deepEqual(readRule(sha256, formatRule(parsed)), parsed);
  }
});

test('rule: what does not fit its shape or make sense is refused, with its place', () => {
  const cases: readonly (readonly [string, WireValue, string?])[] = [
    ['spec', 'index-rule/1'],
    ['network', 'test'],
    ['ticker', 'CLOSE'],
    ['display', 'JOBS'],
    ['display', 'LAY-OFFS'],
    ['slug', 'Layoffs'],
    ['version', 0],
    ['applies_from', '2026-07-24'],
    ['title', ''],
    ['format', 'euro'],
    ['decimals', 19],
    ['precision', '1e3'],
    ['precision', '0'],
    ['precision', '-1'],
    ['period', 'week'],
    ['release.zone', 'EST'],
    ['release.exceptions', [0, 1].map(() => ({ period: '2026-11-21', date: '2026-11-25' }))],
    ['providers', []],
    ['providers', [PROVIDERS[0] as WireObject, PROVIDERS[0] as WireObject], 'providers'],
    ['providers', PROVIDERS.slice(1), 'providers'],
    ['providers', [...PROVIDERS, { ...PROVIDERS[1], id: 'second', role: 'record' }], 'providers'],
    ['providers.0.id', 'Press', 'providers[0].id'],
    ['providers.0.role', 'witness', 'providers[0].role'],
    ['providers.0.retain', 'some', 'providers[0].retain'],
    ['providers.0.extract', [], 'providers[0].extract'],
    [
      'providers.0.extract',
      Array.from({ length: 33 }, () => ({ op: 'utf8' })),
      'providers[0].extract',
    ],
    ['providers.0.extract', [{ op: 'eval', code: '1' }], 'providers[0].extract[0]'],
    ['providers.0.request.url', 'file:///etc/passwd', 'providers[0].request.url'],
    ['providers.0.request.url', 'https://a.example/{period:MMM}.pdf', 'providers'],
    ['providers.0.request.headers', [{ name: 'a', value: '{release}' }], 'providers'],
    ['providers.0.extract', [{ op: 'after', text: '{period+401:DD}' }], 'providers'],
    [
      'providers.0.request.paging',
      {
        kind: 'cursor',
        ptr: '',
        place: 'body',
        name: '/a',
        max_pages: 1,
        until: null,
        total: null,
      },
      'providers',
    ],
    ['providers.0.text', 'html', 'providers[0].text'],
    ['providers.0.text', 'solana_instructions', 'providers'],
    ['providers.1.role', 'custody', 'revision.provider'],
    ['aggregate.quorum', 3],
    ['aggregate.quorum', 0],
    ['aggregate.max_dispersion', '-1'],
    ['aggregate.max_dispersion', 0],
    ['aggregate.round', 'up'],
    ['aggregate.within', 'mean'],
    ['revision.provider', 'nobody'],
    ['revision.settles', 'latest'],
    ['baseline.min', 53],
    ['baseline.window', 0],
    ['bands', []],
    ['bands.0.from_z', '-3.0', 'bands[0].from_z'],
    ['bands.2.from_z', '-2.9', 'bands'],
    ['bands.1.name', 'Low', 'bands[1].name'],
    ['bands.1.from_z', '-2.95', 'bands[1].from_z'],
    ['grade', 'D'],
    ['rights.clause', 'Other words.', 'rights.clause_sha256'],
    ['rights.terms_url', 'example.gov'],
    ['rights.level', 'hide'],
    ['rights.settlement', true],
    ['tie.op', 'lt'],
    ['note', 'x', ''],
  ];
  for (const [path, value, at = path] of cases) {
    assert.throws(
      () => parseRule(sha256, change(path, value)),
      { code: 'malformed', at: at === '' ? 'rule' : `rule.${at}` },
      path,
    );
  }
  for (const member of Object.keys(GOOD)) {
    const { [member]: _gone, ...rest } = GOOD;
    assert.throws(() => parseRule(sha256, rest), { code: 'malformed', at: 'rule' }, member);
  }
});

test('rule: a display name has as many letters as a ticker', () => {
  const name = 'ABCDEFGHIJKLMNOP';
  for (const display of [name, name.toLowerCase(), 'A']) {
    assert.equal(layoffsRule({ display, ticker: display.toUpperCase() }).display, display);
  }
  for (const display of [`${name}Q`, '']) {
    assert.throws(() => layoffsRule({ display, ticker: name }), { at: 'rule.display' }, display);
  }
});

test('rule: another text, another hash', () => {
  const hashes = ['title', 'unit', 'source'].map((name) =>
    ruleHash(sha256, layoffsRule({ [name]: 'other' })),
  );
  assert.equal(new Set([...hashes, ruleHash(sha256, layoffsRule())]).size, 4);
});

test('rule: the hash is that of the bytes, and only canonical bytes are read', () => {
  const bytes = formatWire(GOOD);
  assert.equal(hashHex(contentHash(sha256, bytes)), RULES[0]?.hash);
  assert.throws(() => readRule(sha256, formatUtf8(JSON.stringify(GOOD, null, 1))), {
    code: 'not_canonical',
  });
});

test('rule: only the second format declares late publications', () => {
  const release = GOOD['release'] as WireObject;
  const spec = 'assay-rule/2';
  const of = (late: WireValue, more: WireObject = {}): WireObject => ({
    ...GOOD,
    spec,
    ...more,
    release: { ...release, late, ...((more['release'] ?? {}) as WireObject) },
  });
  const from = (within: number): WireObject => ({ kind: 'from_publication', within_s: within });
  // Fourteen days to the deadline, seven for first prints.
  for (const late of [{ kind: 'void' }, from(1_209_600), from(34_560_000)]) {
    assert.deepEqual(parseRule(sha256, of(late)).release.late, late);
  }
  const cases: readonly (readonly [WireObject, string])[] = [
    [{ ...GOOD, spec }, 'rule.release'],
    [{ ...GOOD, release: { ...release, late: { kind: 'void' } } }, 'rule.release'],
    [of({ kind: 'void', within_s: 5_184_000 }), 'rule.release.late'],
    [of({ kind: 'from_publication' }), 'rule.release.late'],
    [of({ kind: 'later', within_s: 5_184_000 }), 'rule.release.late.kind'],
    [of(from(34_560_001)), 'rule.release.late.within_s'],
    [of(from(1_209_599)), 'rule.release.late.within_s'],
    [of(from(691_200), { release: { deadline_s: 691_200 } }), 'rule.release.late.within_s'],
  ];
  for (const [rule, at] of cases) {
    assert.throws(() => parseRule(sha256, rule), { code: 'malformed', at }, at);
  }
  const enough = of(from(691_201), { release: { deadline_s: 691_200 } });
  assert.deepEqual(parseRule(sha256, enough).release.late, from(691_201));
});

test('rule: a withheld level is void where it is late, for nobody else can say when it was published', () => {
  const withheld = wire(withheldRule());
  const release = withheld['release'] as WireObject;
  const of = (late: WireObject): WireObject => ({
    ...withheld,
    spec: 'assay-rule/2',
    release: { ...release, late },
  });
  assert.equal(parseRule(sha256, of({ kind: 'void' })).release.late?.kind, 'void');
  const late = { kind: 'from_publication', within_s: 5_184_000 };
  assert.throws(() => parseRule(sha256, of(late)), { code: 'malformed', at: 'rule.release.late' });
});
