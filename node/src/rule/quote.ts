import { dropBlanks } from '@assay/core/bytes/blank';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Rule } from '@assay/core/rule/rule';
import type { DateText } from '@assay/core/time/time';
import { ruleOf, type RuleTemplate } from './rule-template.ts';

/** The entities that occur in pages of terms. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ldquo: '\u201c',
  rdquo: '\u201d',
  lsquo: '\u2018',
  rsquo: '\u2019',
  ndash: '\u2013',
  mdash: '\u2014',
};

/**
 * The text of a page, HTML or plain: without scripts, styles, comments and tags. It is only for checking
 * whether a quotation is there. What it does not understand hides text and never adds any.
 */
export function textOf(page: string): string {
  return page
    .replaceAll(/<!--[\s\S]*?-->/g, ' ')
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replaceAll(/<\/?[a-zA-Z][^<>]*>/g, ' ')
    .replaceAll(/&(?:#([0-9]{1,6})|#[xX]([0-9a-fA-F]{1,5})|([a-z]+));/g, entityText);
}

function entityText(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name] ?? whole;
  return String.fromCodePoint(
    decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number(decimal),
  );
}

/**
 * Makes a production rule from a template and a clause quoted from the page of its source's terms. Throws
 * `bad_config` if the clause is not on the page (blanks do not count), or if a host is one of samples.
 */
export function freezeRule(
  sha256: Sha256,
  template: RuleTemplate,
  { page, clause, retrieved }: { page: string; clause: string; retrieved: DateText },
): Rule {
  const quoted = clause.trim();
  if (quoted === '' || !dropBlanks(textOf(page)).includes(dropBlanks(quoted))) {
    throw new Fault('bad_config', 'clause', {
      at: template.rights.terms_url,
      expected: 'a clause that is on the page of terms',
      found: JSON.stringify(quoted.slice(0, 80)),
    });
  }
  const rule = ruleOf(sha256, template, { network: 'production', clause: quoted, retrieved });
  for (const { id, request } of rule.providers) {
    if (!isSample(request.url)) continue;
    throw new Fault('bad_config', `provider ${id}`, {
      expected: 'a source that exists',
      found: request.url,
    });
  }
  return rule;
}

/** Whether an address is on a host that no network has (RFC 6761). */
function isSample(url: string): boolean {
  return /^https?:\/\/[^/?#]*\.invalid(?::[0-9]+)?(?:[/?#]|$)/i.test(url);
}
