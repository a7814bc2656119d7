import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import type { Network } from '@assay/core/network';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { isObject } from '@assay/core/wire/schema';
import { type DateText, toDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { type WireObject, type WireValue, wire } from '@assay/core/wire/wire';

/**
 * Everything of a rule except the clause of its source's terms, which is quoted from a page that was read, and
 * never written down before. It belongs to no network, so no log accepts it.
 */
export interface RuleTemplate extends Omit<Rule, 'network' | 'rights'> {
  readonly network: 'template';
  readonly rights: Omit<Rule['rights'], 'clause' | 'clause_sha256' | 'retrieved'> & {
    readonly clause: '';
    readonly clause_sha256: '';
    readonly retrieved: '';
  };
}

/** What a template lacks to be a rule. */
export interface Quote {
  readonly network: Network;
  /** The clause of the terms that allows the use. */
  readonly clause: string;
  /** The day on which the page contained it. */
  readonly retrieved: DateText;
}

/** Stands in for the quote while a template is checked. */
const ANY_QUOTE: Quote = {
  network: 'development',
  clause: 'No clause yet.',
  retrieved: toDate('2000-01-01'),
};

/** Whether a JSON value is marked as a template. */
export function isTemplate(value: unknown): boolean {
  return isObject(value as WireValue) && (value as WireObject)['network'] === 'template';
}

/**
 * Parses a template. Throws `malformed` with the place unless it quotes nothing and makes a rule with any
 * quote.
 */
export function parseTemplate(sha256: Sha256, value: WireValue): RuleTemplate {
  const rights = isObject(value) ? value['rights'] : undefined;
  if (!isObject(value) || !isTemplate(value) || rights === undefined || !isObject(rights)) {
    throw new Fault('malformed', 'rule template', { expected: 'a rule of the network template' });
  }
  for (const member of ['clause', 'clause_sha256', 'retrieved'] as const) {
    if (rights[member] === '') continue;
    throw new Fault('malformed', 'rule template', {
      at: `rights.${member}`,
      expected: 'nothing: a clause is quoted when the rule is frozen',
    });
  }
  const template = value as unknown as RuleTemplate;
  ruleOf(sha256, template, ANY_QUOTE);
  return template;
}

/** Reads the template in a JSON file. Throws `bad_config`. */
export async function readTemplate(sha256: Sha256, path: string | URL): Promise<RuleTemplate> {
  try {
    return parseTemplate(sha256, JSON.parse(await readFile(path, 'utf8')) as WireValue);
  } catch (cause) {
    throw new Fault('bad_config', 'rule template', {
      at: String(path),
      expected: 'a template',
      found: messageOf(cause),
      cause,
    });
  }
}

/** Makes a rule from a template and a quote. Throws `malformed`. */
export function ruleOf(
  sha256: Sha256,
  template: RuleTemplate,
  { network, clause, retrieved }: Quote,
): Rule {
  const rule: Rule = {
    ...template,
    network,
    rights: {
      ...template.rights,
      clause,
      clause_sha256: hashHex(contentHash(sha256, formatUtf8(clause))),
      retrieved,
    },
  };
  return parseRule(sha256, wire(rule));
}
