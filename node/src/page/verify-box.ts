import type { Assets } from './asset.ts';
import { type Html, html } from './html.ts';

/**
 * Where a reader checks one number: a link that runs the verifier on the spot, or leads to the page that does where
 * nothing can be run; and the command that does the same.
 */
export function verifyBox(ticker: string, period: string, assets: Assets): Html {
  const query = `index=${encodeURIComponent(ticker)}&period=${encodeURIComponent(period)}`;
  return html`<div id="verify">
<p><a class="button" href="/verify?${query}" data-code="${assets.get('verify-box.js').path}" data-view="${assets.get('verdict-view.js').path}" data-worker="${assets.get('number-worker.js').path}" data-ticker="${ticker}" data-period="${period}">Verify in this browser</a></p>
<p class="dim">This page comes from the publisher, so that it proves only that the number is consistent with the key that is shown. <a href="/verify?${query}">Bring the key that you know</a>, or check it on your own machine:</p>
<pre tabindex="0"><code>npx assay verify URL --index ${ticker} --period ${period}</code></pre>
</div>`;
}
