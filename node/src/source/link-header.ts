/** A link-value and where it ends, with its parameters unparsed (RFC 8288, section 3). */
const LINK =
  /[\s,]*<([^>]*)>((?:\s*;\s*[^\s=;,"<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"<>]*))?)*)\s*(?=,|$)/y;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/i;

/** The target of the first `rel="next"` of a Link header; undefined if there is none. */
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
