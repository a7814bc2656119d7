import { day, period as named, scaled } from '../format.ts';
import { type Html, html } from '../html.ts';
import type { NumberAnswers } from './number.ts';

/** How to cite a number: as a sentence, and for BibTeX. */
export function citationPart(answers: NumberAnswers, publicUrl: string | null): Html {
  const { index, shown, report } = answers;
  const head = html`<h2 id="cite">How to cite it</h2>`;
  if (shown === undefined || report === undefined) {
    return html`${head}
      <p>Nothing is signed for this period, so that there is nothing to cite.</p>`;
  }
  const { ticker, slug, cadence, format, unit, network } = index;
  const { status, value, decimals, withheld, log, published_at } = report.report;
  const number = withheld
    ? 'withheld'
    : `${scaled(value, decimals, format)}${format === 'percent' ? '' : ` ${unit}`}`;
  const what = status === 'void' ? 'void, no number' : `${number} (${status})`;
  const title = `${ticker}, ${named(shown.period, cadence)}: ${what}`;
  const url = `${publicUrl ?? ''}/i/${slug}?period=${shown.period}`;
  const { hash, seq } = report;
  const warning = network === 'development' ? ' Development network: not to be relied on.' : '';
  const bibtex = [
    `@misc{assay-${slug}-${shown.period},`,
    `  title = {{${tex(title)}}},`,
    '  author = {{Assay}},',
    `  year = {${published_at.slice(0, 4)}},`,
    `  month = {${Number(published_at.slice(5, 7))}},`,
    `  note = {${tex(`Report sha256 ${hash}, entry ${seq} of log ${log}, published ${published_at}.${warning}`)}},`,
    `  url = {${url}}`,
    '}',
  ].join('\n');
  return html`${head}
    <p>
      Assay. ${title}. Report sha256 <code>${hash}</code>, entry ${seq} of log <code>${log}</code>, published
      ${day(published_at)}.${warning} <code>${url}</code>
    </p>
    <pre tabindex="0" role="region" aria-label="The citation for BibTeX"><code>${bibtex}</code></pre>`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '−': '-',
};

/** A text as LaTeX reads it. */
function tex(text: string): string {
  return text.replaceAll(/[\\~^−&%$#_{}]/g, (each) => SPECIAL[each] ?? `\\${each}`);
}
