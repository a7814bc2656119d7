/** What is used of Trusted Types, which the types of a page do not have yet. */
interface ScriptPolicy {
  readonly createScriptURL: (url: string) => string;
}

interface PolicyFactory {
  readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy;
}

/** The one policy that the pages allow may be made once in a page, whatever scripts it has. */
const KEPT = Symbol.for('assay.scripts');

const page = globalThis as unknown as {
  [KEPT]?: ScriptPolicy;
  readonly trustedTypes?: PolicyFactory;
};

/** Accepts the addresses of this server alone. */
function ownScript(url: string): string {
  if (new URL(url, location.href).origin === location.origin) return url;
  throw new TypeError('a script of another server');
}

/** The address of a script of this server, as a browser under Trusted Types takes it. Throws `TypeError` for another server's. */
export function scriptUrl(path: string): string {
  page[KEPT] ??= page.trustedTypes?.createPolicy('assay', { createScriptURL: ownScript }) ?? {
    createScriptURL: ownScript,
  };
  return page[KEPT].createScriptURL(path);
}
