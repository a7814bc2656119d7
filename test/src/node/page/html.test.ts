import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html, live, trusted } from '@assay/node/page/html';

test('html: whatever is put into a template stays text, between tags and inside of an attribute', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const made = html`<p title="${text}">${text}</p>`.text;
      const inside = made.slice('<p title="'.length, -'</p>'.length);
      assert.doesNotMatch(inside.replace('">', ''), /[<>"']/);
      const back = inside
        .split('">')
        .map((each) =>
          each
            .replaceAll('&lt;', '<')
            .replaceAll('&gt;', '>')
            .replaceAll('&quot;', '"')
            .replaceAll('&#39;', "'")
            .replaceAll('&amp;', '&'),
        );
      assert.deepEqual(back, [text, text]);
    }),
  );
});

test('html: parts stand as they are, lists one after another, and nothing for what is absent', () => {
  const part = html`<b>${'a & b'}</b>`;
  assert.equal(
    html`${[part, null, 'x<y']}|${undefined}|${false}|${0}`.text,
    '<b>a &amp; b</b>x&lt;y|||0',
  );
  assert.equal(html`${trusted('<hr>')}`.text, '<hr>');
});

test('html: the texts that change are known by their keys through every part', () => {
  const page = html`<p>${[live('a.value', '1 < 2'), html`<b>${live('b', 'two')}</b>`]}</p>`;
  assert.deepEqual(
    [...page.live],
    [
      ['a.value', '1 < 2'],
      ['b', 'two'],
    ],
  );
  assert.equal(
    page.text,
    '<p><span data-live="a.value">1 &lt; 2</span><b><span data-live="b">two</span></b></p>',
  );
});
