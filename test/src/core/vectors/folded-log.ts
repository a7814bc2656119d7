import assert from 'node:assert/strict';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { sha256 } from '../fixture/fixture.ts';

/** The rows that the first `size` entries of a log make, each given as its canonical JSON. */
export function foldedLog(entries: readonly string[], size: number = entries.length): MemoryViews {
  const views = new MemoryViews();
  const log = hashHex(leafHash(sha256, formatUtf8(entries[0] as string)));
  for (const text of entries.slice(0, size)) {
    const bytes = formatUtf8(text);
    const layout = scanEntry(bytes);
    const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
    assert.ok(known !== undefined, layout.kind);
    views.write(foldEntry({ ...known, seq: layout.seq, at: layout.at, log }, views, sha256));
  }
  return views;
}
