import assert from 'node:assert/strict';
import { test } from 'node:test';
import { successionFaults } from '@assay/core/round/succession';
import { toDate, toTime } from '@assay/core/time/time';
import { OverlayViews } from '../../core/fixture/overlay-views.ts';
import { developmentHost, developmentRule } from '@assay/node/dev/development-rule';
import { DEVELOPMENT_INDICES } from '@assay/node/dev/development-indices';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { template } from '../fixture/templates.ts';
import { memoryPlace, openAt } from '../ledger/ledger-fixture.ts';

test('development rule: the same extracts, from hosts that cannot exist, and its texts say so', async () => {
  for (const name of DEVELOPMENT_INDICES) {
    const made = await template(name);
    for (const figures of ['sample', 'synthetic'] as const) {
      const rule = developmentRule(nodeSha256, made, {
        figures,
        version: 7,
        applies_from: made.applies_from,
      });
      assert.deepEqual([rule.network, rule.version], ['development', 7]);
      assert.match(rule.title, figures === 'sample' ? /^SAMPLE: / : /^SYNTHETIC, invented: /);
      assert.match(rule.rights.clause, /nothing may be settled on/);
      for (const [i, provider] of rule.providers.entries()) {
        const { extract, checks, role, retain, text } = provider;
        const real = made.providers[i];
        assert.deepEqual(
          { extract, checks, role, retain, text },
          {
            extract: real?.extract,
            checks: real?.checks,
            role: real?.role,
            retain: real?.retain,
            text: real?.text,
          },
        );
        const host = /^https:\/\/([^/?]+)/.exec(provider.request.url)?.[1] ?? '';
        assert.ok(host.endsWith(`.${figures}.invalid`), host);
        for (const each of provider.request.follow) assert.ok(each.endsWith(`.${figures}.invalid`));
        assert.equal(provider.request.url.replace(`.${figures}.invalid`, ''), real?.request.url);
      }
      assert.match(new URL(rule.rights.terms_url).host, /\.invalid$/);
    }
  }
});

const AT = toTime('2026-01-01T00:00:00Z');

test('development rule: it enters no production log', async () => {
  const state = new OverlayViews((await openAt(await memoryPlace())).tip);
  const rule = developmentRule(nodeSha256, await template('cpi'), {
    figures: 'sample',
    version: 1,
    applies_from: toDate('2026-10-01'),
  });
  assert.deepEqual(successionFaults(rule, 'development', state, AT), []);
  assert.equal(successionFaults(rule, 'production', state, AT).length, 1);
});

test('development host: a suffix', () => {
  assert.equal(developmentHost('api.example.gov', 'sample'), 'api.example.gov.sample.invalid');
});
