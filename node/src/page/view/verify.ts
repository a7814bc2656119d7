import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { isTicker } from '@assay/core/rule/ticker';
import { isDate } from '@assay/core/time/time';
import { type Assets, VERDICT_ASSETS } from '../asset.ts';
import { type Html, html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';

/** Who serves the page, and whose log it reads. */
export interface VerifyPlace {
  /** `publisher`: the server of the log. `visitor`: the visitor's own machine. */
  readonly servedBy: 'publisher' | 'visitor';
  /** The address of the log on another server, without a slash at its end; null where this server has it, or where there is none. */
  readonly url: string | null;
}

interface SignerAnswer {
  readonly checkpoint_vkey: string;
}

/** `/verify`: checks a file, a number or the whole log in the browser of whoever looks. */
export const VERIFY_PAGE: Page = verifyPage({ servedBy: 'publisher', url: null });

/** The page that verifies, for a place that serves it. */
export function verifyPage(place: VerifyPlace): Page {
  return {
    path: '/verify',
    async make(request) {
      const { ask, query, assets, publicUrl } = request;
      const isPublishers = place.servedBy === 'publisher';
      const indices = isPublishers
        ? ((await ask<readonly LightIndexPayload[]>('/v1/indices?view=light')).body ?? [])
        : [];
      const key = isPublishers
        ? (await ask<SignerAnswer>('/.well-known/assay-signer.json')).body?.checkpoint_vkey
        : undefined;
      const hasLog = isPublishers || place.url !== null;
      const url = place.url ?? publicUrl ?? 'URL';
      return {
        title: 'Verify',
        description:
          'Check a number of this log, or a file that proves one, in your own browser. Nothing that you choose is uploaded.',
        canonical: '/verify',
        scripts: ['verify-page.js'],
        body: html`<h1>Verify</h1>
<p class="lead">Check a number, or a file that proves one, with the code of the verifier in this browser. Nothing that you choose here leaves your machine.</p>
<noscript><p class="wait"><strong>This page needs JavaScript to check anything here.</strong> This command does the same without it:</p>${commandLines(url, query.get('index'), query.get('period'))}</noscript>
${command(url, query.get('index'), query.get('period'))}
${area(place, assets, { query, indices, hasLog })}
<h2>What this page can prove, and what not</h2>
${limits(place, key, url)}
<h2>The code that checks</h2>
${code(place, assets)}`,
      };
    },
  };
}

/**
 * The commands for what the address of the page asks for. Anybody may write an address, and a reader copies the commands
 * into a shell: what is neither a ticker nor a date does not stand in them.
 */
function commandLines(url: string, index: string | null, period: string | null): Html {
  const number = index === null || !isTicker(index) ? '' : ` --index ${index}`;
  const of = period === null || !isDate(period) ? '' : ` --period ${period}`;
  return html`<pre tabindex="0"><code>npx assay verify ${url} --key KEY${number}${of}
npx assay verify number.json --key KEY${number}${of}</code></pre>`;
}

function command(url: string, index: string | null, period: string | null): Html {
  return html`<details>
<summary>The same by a command</summary>
<p>Node 20 or newer runs it, and nothing has to be installed before:</p>
${commandLines(url, index, period)}
<p>KEY is the verifier key of the log, from somebody other than its server.</p>
</details>`;
}

interface Fields {
  readonly query: PageRequest['query'];
  readonly indices: readonly LightIndexPayload[];
  readonly hasLog: boolean;
}

/** What the script works with. It shows it, because without it nothing here would do anything. */
function area({ url }: VerifyPlace, assets: Assets, fields: Fields): Html {
  const path = (name: Parameters<Assets['get']>[0]): string => assets.get(name).path;
  return html`<div id="check" hidden data-view="${path('verdict-view.js')}" data-file="${path('verify-worker.js')}" data-number="${path('number-worker.js')}" data-log="${path('log-worker.js')}" data-url="${url ?? ''}">
<h2>The key of the log</h2>
<label for="key">The publisher's verifier key</label>
<input id="key" autocomplete="off" spellcheck="false" size="60" aria-describedby="key-help">
<p class="dim" id="key-help">Paste the key that you know from somebody other than the server of the log. It looks like <code>index.example.org/assay+0a1b2c3d+AbCd…</code>. Without it the check goes on, and its verdict says that nobody has vouched for the key.</p>
<label><input type="checkbox" id="keep"> Keep this key in this browser for this log, once it has verified something</label>
<p><button type="button" id="forget">Forget the keys that this browser keeps</button></p>
${fields.hasLog && numberForm(url, fields)}
<h2>A file</h2>
<form id="file-form" class="card">
<label for="proof">A bundle, as <code>assay bundle</code> writes it, or an <code>.ots</code> file. You can also drop it anywhere on this page.</label>
<input type="file" id="proof" accept=".json,.ots">
<label for="file-index">The index that it must be about, if you settle on it</label>
<input id="file-index" autocomplete="off" list="indices" size="14">
<label for="file-period">Its period, as 2026-07-25</label>
<input id="file-period" autocomplete="off" size="14" pattern="[0-9]{4}-[0-9]{2}-[0-9]{2}">
<label for="stamped">The file that was stamped, for an <code>.ots</code> file</label>
<input type="file" id="stamped">
<p><button>Verify the file</button></p>
</form>
${
  fields.indices.length > 0 &&
  html`<datalist id="indices">${fields.indices.map(
    ({ ticker, title }) => html`<option value="${ticker}">${title}</option>`,
  )}</datalist>`
}
<h2>The verdict</h2>
<p id="state" role="status" class="dim">Nothing was checked yet.</p>
<p><button type="button" id="stop" hidden>Stop the check</button></p>
<div id="verdict" tabindex="-1"></div>
</div>`;
}

function numberForm(url: string | null, { query }: Fields): Html {
  return html`<h2>A number, or the whole log</h2>
<form id="number-form" class="card">
<p class="dim">This reads ${url === null ? 'the log of this server' : url}.</p>
<label for="index">The index</label>
<input id="index" autocomplete="off" list="indices" size="14" value="${query.get('index') ?? ''}">
<label for="period">The period, as 2026-07-25. The newest one without it.</label>
<input id="period" autocomplete="off" size="14" pattern="[0-9]{4}-[0-9]{2}-[0-9]{2}" value="${query.get('period') ?? ''}">
<p><button>Verify this number</button> <button type="button" id="whole">Verify the whole log</button></p>
<p class="dim">One number takes about a second. The whole log takes minutes and loads all of it; if you name an index, it also shows whether its number is settled.</p>
</form>`;
}

function limits({ servedBy }: VerifyPlace, key: string | undefined, url: string): Html {
  const whose =
    servedBy === 'publisher'
      ? html`<p><strong>The publisher serves this page.</strong> A page that the publisher serves and that checks the publisher proves only that its numbers are consistent with the key that is shown. A publisher who lies could serve a page that lies. To rule that out, take the code from other hands: run <code>npx assay page ${url}</code>, which serves this same page from your own machine, or use the command.</p>`
      : html`<p><strong>Your own machine serves this page.</strong> Its code came with the package that you installed, and not from the server of the log. It is as good as that package: compare the hashes below with those of somebody else's copy.</p>`;
  return html`${whose}
<ul>
<li><strong>What a verdict shows:</strong> the number follows from the source bytes that were kept, by the rule that was published; its report is signed, and is in the log under the head that the key signed.</li>
<li><strong>What it does not show:</strong> whose key it is. Only you can know that, from a contract, a website, or somebody you trust.</li>
<li><strong>Nor:</strong> that the sources told the truth, or that a file alone shows everything that the log has. The verdict lists what it leaves open.</li>
</ul>
${
  key !== undefined &&
  html`<p>The server of this log states this key. That is no reason to trust it: compare it with the one that you know.</p>
<pre tabindex="0"><code>${key}</code></pre>`
}`;
}

function code({ servedBy }: VerifyPlace, assets: Assets): Html {
  return html`<p>The verifier is these files, each served under its own hash. The first checks a file, and its browser lets it ask nobody for anything. The last four start the others and show what they found.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Files of the verifier"><table>
<caption>SHA-256 of the files of the verifier</caption>
<thead><tr><th scope="col">File</th><th scope="col">SHA-256</th></tr></thead>
<tbody>${VERDICT_ASSETS.map((name) => {
    const { path, sha256 } = assets.get(name);
    return html`<tr><th scope="row"><a href="${path}">${name}</a></th><td><code>${sha256}</code></td></tr>`;
  })}</tbody></table></div>
<p>To compare them, run <code>npx assay page --hash</code>, which prints the hashes of the package that you installed, or <code>sha256sum</code> on the files in <code>node_modules/@assay/node/dist/browser</code>.${
    servedBy === 'publisher' &&
    html` What this page says of its own hashes proves nothing by itself: fetch a file by its address, and hash it on your machine.`
  }</p>`;
}
