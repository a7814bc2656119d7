import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCursor } from '@assay/core/answer/page';
import type { PeriodPagePayload } from '@assay/core/answer/period-page';
import type { IndexDetailPayload } from '@assay/core/answer/index';
import { closesWorld } from '../../fixture/closes-world.ts';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../world-service.ts';

/** The reference of `Link: <...>; rel="next"` as an address; undefined without one. */
function nextOf(response: Response): string | undefined {
  const [, reference] = /^<([^>]*)>; rel="next"$/.exec(response.headers.get('link') ?? '') ?? [];
  return reference === undefined ? undefined : new URL(reference, response.url).href;
}

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(`periods over ${transport}: all by the link to the next page`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    for (const week of [0, 1, 2, 3]) await world.week(week);
    const { base } = await serveWorld(t, world, transport);
    const whole = (await (await fetch(`${base}/indices/LAYOFFS`)).json()) as IndexDetailPayload;
    assert.equal(whole.periods.length, 4);
    for (const start of ['/v1/indices/layoffs', '/indices/LAYOFFS']) {
      const found: PeriodPagePayload['periods'][number][] = [];
      let pages = 0;
      for (let url: string | undefined = `${base}${start}/periods?limit=3`; url !== undefined;) {
        const response: Response = await fetch(url);
        assert.equal(response.status, 200, url);
        assert.ok(url.startsWith(`${base}${start}/periods?`), 'the link stays under the address');
        const page = (await response.json()) as PeriodPagePayload;
        found.push(...page.periods);
        url = nextOf(response);
        assert.equal(page.next_cursor === null, url === undefined);
        if (url !== undefined) assert.equal(new URL(url).searchParams.get('limit'), '3');
        pages += 1;
      }
      assert.equal(pages, 2);
      for (const [i, { unsettled, ...period }] of found.entries()) {
        assert.deepEqual(period, whole.periods[i]);
        assert.equal(period.settleable, unsettled === null);
      }
    }
    const between = `${base}/indices/LAYOFFS/periods?from=2026-07-11&to=2026-07-18`;
    const { periods } = (await (await fetch(between)).json()) as PeriodPagePayload;
    assert.deepEqual(
      periods.map(({ period }) => period),
      ['2026-07-18', '2026-07-11'],
    );
    for (const [path, status] of [
      ['/indices/NOPE/periods', 404],
      ['/indices/LAYOFFS/periods?cursor=nonsense', 400],
      ['/indices/LAYOFFS/periods?limit=0', 400],
      ['/indices/LAYOFFS/periods?from=2026-7-1', 400],
      ['/indices/LAYOFFS/periods?from=2026-07-18&to=2026-07-11', 400],
      [`/indices/LAYOFFS/periods?cursor=${formatCursor('periods', '2026-99-99')}`, 400],
      ['/indices/LAYOFFS/periods?offset=1', 400],
    ] as const) {
      assert.equal((await fetch(base + path)).status, status, path);
    }
  });

  test(`settlement.csv over ${transport}: a file of its own`, options, async (t) => {
    const world = await closesWorld(await temporaryFolder(t));
    await world.week(0);
    const { base } = await serveWorld(t, world, transport);
    const response = await fetch(`${base}/indices/layoffs/settlement.csv`);
    assert.equal(
      response.headers.get('content-disposition'),
      'attachment; filename="assay-LAYOFFS-settlement.csv"',
    );
    assert.match(await response.text(), /^LAYOFFS,2026-07-04,final,215000,true,,false,0,0,/m);
    const history = await fetch(`${base}/indices/layoffs/history.csv`);
    assert.equal(
      history.headers.get('content-disposition'),
      'attachment; filename="assay-LAYOFFS-history.csv"',
    );
    const light = await fetch(`${base}/indices?view=light`);
    const [first] = (await light.json()) as readonly { readonly ticker: string }[];
    assert.equal(first?.ticker, 'hidden');
    const etag = light.headers.get('etag') ?? '';
    const again = await fetch(`${base}/v1/indices?view=light`, {
      headers: { 'if-none-match': etag },
    });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${base}/indices?view=all`)).status, 400);
  });
}
