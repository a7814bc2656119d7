/** The version of this package, which verdicts name. A test holds it to package.json. */
export const VERIFIER_VERSION = '0.2.0';

/** The type of a verdict as JSON. `schema/verdict-1.json` is its schema, and docs/spec/verdict.md explains it. */
export const VERDICT_TYPE = 'assay-verdict/1';
