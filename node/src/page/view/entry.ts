import { formatHex } from '@assay/core/bytes/hex';
import { formatTilePath, TILE_WIDTH } from '@assay/core/log/tile';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { aboutText, kindText } from '../entry-text.ts';
import { grouped, moment } from '../format.ts';
import { type Html, html } from '../html.ts';
import type { Page } from '../page.ts';
import { PublishedLog, type ServedEntry } from '../published-log.ts';

const NUMBER = /^(0|[1-9][0-9]{0,14})$/;

/** `/log/{seq}`: one entry as it is in the log, with the proof that it is there. */
export const ENTRY_PAGE: Page = {
  path: '/log/:seq',
  async make(request) {
    const log = await PublishedLog.open(request, nodeSha256);
    const given = request.params['seq'] ?? '';
    const served = NUMBER.test(given) ? await log.entry(Number(given)) : undefined;
    if (served === undefined) {
      return {
        missing: `The log has ${grouped(String(log.size))} entries, and none with that number.`,
      };
    }
    const { entry } = served;
    const title = `Entry ${grouped(String(entry.seq))}`;
    const about = aboutText(entry);
    const what = about === '' ? kindText(entry.kind) : `${kindText(entry.kind)} (${about})`;
    return {
      title,
      description: `${what}, in the log ${log.checkpoint.origin}.`,
      canonical: `/log/${entry.seq}`,
      body: html`<h1>${title}</h1>
<p class="lead">${what}</p>
${facts(served, log)}
<h2>What it says</h2>
<p>This is the entry, laid out for reading. Its exact bytes are in the file that is named above.</p>
<pre tabindex="0">${laidOut(served)}</pre>
${named(served)}
<h2>Proof that it is in the log</h2>
<p>The hashes below lead from this entry to the root that the checkpoint signs (RFC 6962; the file format is C2SP tlog-proof). A tool that knows the key of the log can check them without this service.</p>
<details><summary>Show the proof</summary><pre tabindex="0">${await log.proof(entry.seq)}</pre></details>
<p>${entry.seq > 0 && html`<a href="/log/${entry.seq - 1}" rel="prev">Entry before</a> · `}${entry.seq + 1 < log.size && html`<a href="/log/${entry.seq + 1}" rel="next">Entry after</a> · `}<a href="/log">All entries</a></p>`,
    };
  },
};

function facts({ entry, leaf, bytes }: ServedEntry, log: PublishedLog): Html {
  const index = Math.floor(entry.seq / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, log.size - index * TILE_WIDTH);
  const tile = formatTilePath({ level: 'entries', index, width });
  return html`<dl class="facts"><dt>Kind</dt><dd><code>${entry.kind}</code></dd>
<dt>Time it claims</dt><dd>${moment(entry.at)} <span class="dim">(<code>${entry.at}</code>)</span></dd>
<dt>Leaf hash</dt><dd><code>${formatHex(leaf)}</code></dd>
<dt>Leaf hash of the entry before</dt><dd><code>${entry.prev}</code></dd>
<dt>Size</dt><dd>${grouped(String(bytes.length))} bytes</dd>
<dt>Where it is served</dt><dd><a href="/${tile}">${tile}</a>, in place ${entry.seq % TILE_WIDTH} of ${width}</dd></dl>`;
}

/** The entry in lines, with its members in the order of its bytes. */
function laidOut({ bytes }: ServedEntry): string {
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
}

/** Members that name kept bytes by their hash. */
const KEPT = /"(?:snapshot|blob|headers|proof)":"([0-9a-f]{64})"/g;

/** Links to the bytes that an entry names, which are served under their hash. */
function named({ bytes }: ServedEntry): Html | false {
  const text = new TextDecoder().decode(bytes);
  const hashes = new Set([...text.matchAll(KEPT)].map(([, hash]) => hash ?? ''));
  if (hashes.size === 0) return false;
  return html`<h2>Bytes that it names</h2>
    <p>They are served under their hash, unless the terms of their source forbid that.</p>
    <ul>
      ${[...hashes].map(
        (hash) =>
          html`<li>
            <a href="/blob/${hash}"><code>${hash}</code></a>
          </li>`,
      )}
    </ul>`;
}
