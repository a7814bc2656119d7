import { PROBLEM_KINDS, type ProblemCode } from '../../http/problem.ts';
import { PROBLEM_TEXTS } from '../../http/problem-text.ts';
import { escapeHtml } from '../document/escape-html.ts';

/** What a code means, as JSON has it. */
export interface ProblemEntry {
  readonly error: string;
  readonly status: number;
  readonly title: string;
  readonly type: string;
  readonly meaning: string;
  readonly remedy: string;
}

export function problemEntry(code: ProblemCode): ProblemEntry {
  const { status, title, type = `/problems/${code}` } = PROBLEM_KINDS[code];
  return { error: code, status, title, type, ...PROBLEM_TEXTS[code] };
}

/** All codes, by status. */
export function problemEntries(): readonly ProblemEntry[] {
  const codes = Object.keys(PROBLEM_KINDS) as readonly ProblemCode[];
  return codes
    .map((code) => problemEntry(code))
    .sort((a, b) => a.status - b.status || (a.error < b.error ? -1 : 1));
}

/** Nothing is fetched and nothing runs. */
export const PROBLEM_CSP =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page for people that explains `entries`. */
export function problemPage(heading: string, entries: readonly ProblemEntry[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(heading)}</title>
</head>
<body>
<h1>${escapeHtml(heading)}</h1>
${entries.map((entry) => sectionOf(entry)).join('\n')}
<p><a href="/problems">All codes</a> · <a href="/docs">The API</a> · <a href="/v1/status">Status</a></p>
</body>
</html>
`;
}

function sectionOf({ error, status, title, meaning, remedy }: ProblemEntry): string {
  return `<h2 id="${error}"><code>${error}</code> · ${status}</h2>
<p><strong>${escapeHtml(title)}.</strong> ${words(meaning)}</p>
<p>What to do: ${words(remedy)}</p>`;
}

function words(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
