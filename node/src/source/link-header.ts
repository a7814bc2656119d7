/** A link-value and where it ends; parameters as they stand (RFC 8288, section 3). */
const LINK =
  /[\s,]*<([^>]*)>((?:\s*;\s*[^\s=;,"<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<>]*))?)*)\s*(?=,|$)/y;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

/** What the first `rel="next"` of a Link header points at; undefined without one. */
export function nextLink(header: string | null): string | undefined {
  if (header === null) return undefined;
  LINK.lastIndex = 0;
  for (;;) {
    const [, target, parameters = ''] = LINK.exec(header) ?? [];
    if (target === undefined) return undefined;
    const [, quoted, bare = ''] = REL.exec(parameters) ?? [];
    if ((quoted ?? bare).toLowerCase().split(/\s+/).includes('next')) return target;
  }
}
