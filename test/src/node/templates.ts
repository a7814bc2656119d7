import type { Rule } from '@assay/core/rule/rule';
import { toDate } from '@assay/core/time';
import { nodeSha256 } from '@assay/node/node-sha256';
import { readTemplate, type RuleTemplate, ruleOf } from '@assay/node/rule-template';
import { SAMPLES } from './round-fixture.ts';

export function templatePath(name: string): string {
  return `${SAMPLES}/templates/${name}.json`;
}

export function template(name: string): Promise<RuleTemplate> {
  return readTemplate(nodeSha256, templatePath(name));
}

/** The rule of a template with a quote of nobody's. */
export async function templateRule(name: string): Promise<Rule> {
  return ruleOf(nodeSha256, await template(name), {
    network: 'development',
    clause: 'Words for a test.',
    retrieved: toDate('2026-10-10'),
  });
}
