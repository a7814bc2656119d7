import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { freezeRule, textOf } from '@assay/node/rule/quote';
import { readTemplate } from '@assay/node/rule/rule-template';
import { ROOT } from '../../core/fixture/fixture.ts';

const PAGE =
  '<html><head><style>p { color: red }</style><script>var x = "a hidden <b>claim</b>";</script></head>' +
  '<body><!-- a comment --><p>Works of the <em>federal</em> government&nbsp;are &ldquo;free&#8221; &amp; open.</p></body>';
const CLAUSE = 'Works of the federal government are “free” & open.';

const template = () => readTemplate(nodeSha256, `${ROOT}/samples/templates/LAYOFFS.json`);
const retrieved = toDate('2026-11-20');

test('quote: the text of a page is what a reader sees', () => {
  assert.equal(
    textOf(PAGE)
      .replaceAll(/[\s\u00a0]+/g, ' ')
      .trim(),
    CLAUSE,
  );
  assert.equal(textOf('plain < text & more').trim(), 'plain < text & more');
  assert.equal(textOf('&unknown; &#x26;'), '&unknown; &');
});

test('quote: a clause that is on the page makes a production rule, hashed', async () => {
  const rule = freezeRule(nodeSha256, await template(), {
    page: PAGE,
    clause: `\n${CLAUSE}\n`,
    retrieved,
  });
  assert.deepEqual(
    [rule.network, rule.rights.clause, rule.rights.retrieved],
    ['production', CLAUSE, retrieved],
  );
  assert.match(rule.rights.clause_sha256, /^[0-9a-f]{64}$/);
});

test('quote: text that is not there, in a script, or none at all freezes nothing', async () => {
  const given = await template();
  for (const clause of ['', '  ', 'a hidden claim', 'Works of the state government', 'a comment']) {
    assert.throws(
      () => freezeRule(nodeSha256, given, { page: PAGE, clause, retrieved }),
      { code: 'bad_config' },
      clause,
    );
  }
});

test('quote: a sample host is no source of production', async () => {
  const given = await template();
  for (const url of ['https://a.sample.invalid/x', 'https://a.INVALID', 'http://b.invalid:8080/']) {
    const providers = given.providers.map((each, i) =>
      i === 0 ? { ...each, request: { ...each.request, url } } : each,
    );
    assert.throws(
      () =>
        freezeRule(nodeSha256, { ...given, providers }, { page: PAGE, clause: CLAUSE, retrieved }),
      { code: 'bad_config' },
      url,
    );
  }
});
