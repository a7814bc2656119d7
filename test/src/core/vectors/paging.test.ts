import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nextRequest, readMark, requireWhole } from '@assay/core/rule/paging';
import { vectors } from '../fixture/fixture.ts';
import type { ListCase, MarkCase, RequestCase } from './paging-cases.ts';

/** What a computation gives, or the code or reason with which it stops. */
function outcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    const { code, reason } = error as { readonly code?: string; readonly reason?: string };
    return code ?? reason ?? String(error);
  }
}

test('paging vectors: what each page shows of its list', () => {
  const cases = vectors<readonly MarkCase[]>('paging/marks');
  assert.ok(cases.length >= 40);
  for (const { name, paging, page, gives } of cases) {
    assert.deepEqual(
      outcome(() => readMark(paging, formatUtf8(page))),
      gives,
      name,
    );
  }
});

test('paging vectors: which pages are one whole list', () => {
  const cases = vectors<readonly ListCase[]>('paging/lists');
  assert.ok(cases.length >= 25);
  for (const { name, paging, pages, gives } of cases) {
    const found = outcome(() => {
      requireWhole(
        paging,
        pages.map((page) => formatUtf8(page)),
      );
      return 'ok';
    });
    assert.equal(found, gives, name);
  }
});

test('paging vectors: the request that follows', () => {
  const cases = vectors<readonly RequestCase[]>('paging/requests');
  assert.ok(cases.length >= 12);
  for (const { name, request, count, cursor, gives } of cases) {
    const found = outcome(() => {
      const next = nextRequest(request, count, { last: false, cursor });
      return next === undefined ? null : { url: next.url, body: next.body };
    });
    assert.deepEqual(found, gives, name);
  }
});
