import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstClose, withDemo } from '../../fixture/demo-node.ts';

test('log pages: what can be searched is found, and what is not there is said', async (t) => {
  await withDemo({}, async (base) => {
    await firstClose(base);
    const page = async (path: string, status = 200): Promise<string> => {
      const answer = await fetch(`${base}${path}`);
      assert.equal(answer.status, status, path);
      return answer.text();
    };
    const search = (text: string): Promise<string> => page(`/log?q=${encodeURIComponent(text)}`);
    const linked = async (text: string): Promise<string> => {
      const [, seq] = /<li>\s*<a href="\/log\/(\d+)"/.exec(await search(text)) ?? [];
      assert.ok(seq !== undefined, text);
      return page(`/log/${seq}`);
    };
    const report = (await (await fetch(`${base}/v1/indices/LAYOFFS/report`)).json()) as {
      readonly hash: string;
      readonly seq: number;
      readonly report: { readonly published_at: string };
    };

    await t.test('the hash of a report leads to its entry', async () => {
      const entry = await linked(report.hash);
      assert.match(entry, new RegExp(`<h1>Entry ${report.seq.toLocaleString('en')}</h1>`));
      assert.match(entry, /Report: the number of a period \(LAYOFFS, 2026-07-25\)/);
    });

    await t.test('a leaf hash leads to its entry, and that to the one before', async () => {
      const entry = await page(`/log/${report.seq}`);
      const [, leaf = '', before = ''] =
        /Leaf hash<\/dt>\s*<dd><code>([0-9a-f]{64})<[^]*?before<\/dt>\s*<dd><code>([0-9a-f]{64})</.exec(
          entry,
        ) ?? [];
      assert.match(await linked(leaf), new RegExp(`<code>${leaf}</code>`));
      assert.match(await linked(before.toUpperCase()), new RegExp(`<code>${before}</code>`));
    });

    await t.test('a day, a number and a name', async () => {
      const day = report.report.published_at.slice(0, 10);
      assert.match(await search(day), new RegExp(`On ${day} the log had [\\d,]+ new entries`));
      assert.match(await search('2001-02-03'), /No entry was written on 2001-02-03\./);
      assert.match(await search('0'), /That is an entry\./);
      assert.match(await search('99999999'), /The log has [\d,]+ entries, from 0 on\./);
      assert.match(await search('layoffs'), /<a href="\/i\/layoffs">The index LAYOFFS<\/a>/);
      assert.match(await search('f'.repeat(64)), /No report, Close or stamped checkpoint/);
    });

    await t.test('what a stranger types stays text', async () => {
      const shown = await search('"><script>alert(1)</script>');
      assert.match(shown, /Nothing was found by that name\./);
      assert.doesNotMatch(shown, /<script>/);
    });

    await t.test('entries of one kind, and older ones', async () => {
      const reports = await page('/log?kind=report');
      assert.match(reports, /Report: the number of a period/);
      assert.doesNotMatch(reports, /<td>Beginning of the log<\/td>/);
      assert.match(await page('/log?kind=genesis'), /<td>Beginning of the log<\/td>/);
      assert.match(await page('/log?kind=nonsense'), /None of these entries is of that kind/);
      const oldest = await page('/log?before=3');
      assert.equal(oldest.match(/<tr>\s*<td class="figure">/g)?.length, 3);
      assert.doesNotMatch(oldest, /rel="next"/);
      assert.match(oldest, /Newest entries/);
    });

    await t.test('an entry that is not there', async () => {
      for (const path of ['/log/99999999', '/log/-1', '/log/01', '/log/x']) {
        assert.match(await page(path, 404), /and none with that number/, path);
      }
    });
  });
});
