import { type Assets, readable } from './asset.ts';
import { CARD_HEIGHT, CARD_WIDTH } from './card.ts';
import { type Html, html } from './html.ts';
import type { PageView } from './page.ts';

/** The places that each page links to, in their order. */
const PLACES = [
  ['/', 'Numbers'],
  ['/board', 'Board'],
  ['/receipts', 'Receipts'],
  ['/referee', 'Referee'],
  ['/arena', 'Arena'],
  ['/log', 'Log'],
  ['/record', 'Record'],
  ['/status', 'Status'],
  ['/verify', 'Verify'],
  ['/docs', 'API'],
] as const;

/** The nouns of the entries that change most pages. */
const FOLLOWED = ['report', 'cosign', 'close', 'anchor', 'revision'] as const;

/** A server that has the page alone, and no others to link to. */
export interface Alone {
  /** The origin of the log that the page may read; null where it may read none. */
  readonly log: string | null;
}

/** What surrounds a page. */
export interface Surroundings {
  readonly assets: Assets;
  /** The address of the service, without a slash at its end; null where the operator has not stated it. */
  readonly publicUrl: string | null;
  /** The pattern of the page's path. */
  readonly path: string;
  /** What the operator has to say on each page, such as that nothing may be settled on. */
  readonly notice: string | null;
  readonly isDevelopment: boolean;
  /** Whether previews of the page have a picture: they need the address of the service, and a package that draws. */
  readonly hasCard: boolean;
  readonly alone?: Alone | undefined;
}

/**
 * The rules that a browser holds a page to: scripts, styles and workers from this server alone, no inline code, and
 * scripts only through the policy `assay` (Trusted Types). Nobody may show it in a frame.
 */
export function pagePolicy(log: string | null): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    readable(log),
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types assay',
  ].join('; ');
}

/** A whole document. */
export function documentOf(view: PageView, around: Surroundings): string {
  const { assets, publicUrl } = around;
  const base = publicUrl ?? '';
  const address = `${base}${view.canonical}`;
  const scripts = ['page.js' as const, ...(view.scripts ?? [])];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${view.title} · Assay</title>
<meta name="description" content="${view.description}">
<link rel="canonical" href="${address}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Assay">
<meta property="og:title" content="${view.title}">
<meta property="og:description" content="${view.description}">
${
  publicUrl !== null &&
  html`<meta property="og:url" content="${address}">
`
}${
    around.hasCard &&
    html`<meta property="og:image" content="${base}${view.image ?? '/card.png'}">
<meta property="og:image:width" content="${CARD_WIDTH}">
<meta property="og:image:height" content="${CARD_HEIGHT}">
<meta name="twitter:card" content="summary_large_image">
`
  }${(view.alternates ?? []).map(
    ({ type, href, title }) =>
      html`<link rel="alternate" type="${type}" href="${href}" title="${title}">
`,
  )}<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="${assets.get('page.css').path}">
${scripts.map(
  (name) => html`<script type="module" src="${assets.get(name).path}"></script>
`,
)}</head>
<body${view.body.live.size > 0 && html` data-follows="${(view.follows ?? FOLLOWED).join(' ')}"`}>
<a class="skip" href="#main">Skip to the content</a>
<header>${banner(around)}
<div class="top">${around.alone === undefined ? navigation(around) : html`<span class="brand">Assay</span>`}</div></header>
<main id="main">
${view.body}
</main>
${
  around.alone === undefined &&
  html`<footer><p>Every number here can be checked without trusting this service: <a href="/verify">verify one</a>, or read <a href="/docs">how the log is served</a>.</p></footer>
`
}
</body>
</html>
`.text;
}

function navigation({ path: shown }: Surroundings): Html {
  return html`<a class="brand" href="/">Assay</a><nav aria-label="Pages">${PLACES.map(
    ([path, name]) =>
      html`<a href="${path}"${path === shown && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`;
}

function banner({ isDevelopment, notice }: Surroundings): Html | false {
  if (isDevelopment) {
    return html`<p class="banner">
      <strong>Development network.</strong> Nothing here may be settled on.
    </p>`;
  }
  return notice !== null && html`<p class="banner">${notice}</p>`;
}
