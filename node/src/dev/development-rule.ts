import type { Sha256 } from '@assay/core/hash/hash';
import type { SourceRequest } from '@assay/core/source/request';
import type { Rule } from '@assay/core/rule/rule';
import type { DateText } from '@assay/core/time/time';
import { type RuleTemplate, ruleOf } from '../rule/rule-template.ts';

/** The origin of a development figure: typed in as the publisher gave it, or invented. */
export type Figures = 'sample' | 'synthetic';

export interface DevelopmentVersion {
  readonly figures: Figures;
  readonly version: number;
  readonly applies_from: DateText;
}

const WORDS: Readonly<Record<Figures, { readonly title: string; readonly source: string }>> = {
  sample: { title: 'SAMPLE', source: 'figures typed into the project' },
  synthetic: { title: 'SYNTHETIC, invented', source: 'no figure under this rule was published' },
};

const CLAUSE =
  'Development network. No words of the terms are quoted here and no right is claimed: the figures ' +
  'under this rule are typed into the project or invented, and nothing may be settled on them.';

/**
 * Makes a rule for the development network from a template. It reads in the same way, but from hosts that
 * cannot exist (RFC 2606), so that no snapshot can be mistaken for one of the real source.
 */
export function developmentRule(
  sha256: Sha256,
  template: RuleTemplate,
  { figures, version, applies_from: from }: DevelopmentVersion,
): Rule {
  const { title, source } = WORDS[figures];
  const rights = { ...template.rights, terms_url: besideHost(template.rights.terms_url, figures) };
  const changed: RuleTemplate = {
    ...template,
    version,
    applies_from: from,
    title: `${title}: ${template.title}`,
    source: `${template.source}: ${source}`,
    rights,
    providers: template.providers.map((provider) => ({
      ...provider,
      name: `${title}: ${provider.name}`,
      request: developmentRequest(provider.request, figures),
    })),
  };
  return ruleOf(sha256, changed, { network: 'development', clause: CLAUSE, retrieved: from });
}

function developmentRequest(request: SourceRequest, figures: Figures): SourceRequest {
  return {
    ...request,
    url: besideHost(request.url, figures),
    follow: request.follow.map((host) => developmentHost(host, figures)),
  };
}

/** The host that replaces a real one on the development network. */
export function developmentHost(host: string, figures: Figures): string {
  return `${host}.${figures}.invalid`;
}

/** Written by hand, because a URL parser would encode `{secret:NAME}`. */
function besideHost(url: string, figures: Figures): string {
  return url.replace(/^(https?:\/\/)([^/?#]+)/, (_, scheme: string, host: string) => {
    return scheme + developmentHost(host, figures);
  });
}
