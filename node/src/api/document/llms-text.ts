import type { OpenApiDocument } from './openapi-document.ts';

/** What the service is, for language models: the form of llmstxt.org. */
export function llmsText(document: OpenApiDocument): string {
  const lines = document.tags.flatMap(({ name, description }) => [
    '',
    `## ${name}`,
    '',
    description,
    '',
    ...Object.entries(document.paths).flatMap(([plain, { servers, get, post }]) => {
      // A path with servers of its own is one without a version.
      const path = servers === undefined ? `${document.servers[0]?.url ?? ''}${plain}` : plain;
      return [
        ...(get?.tags.includes(name) === true ? [`- [GET ${path}](${path}): ${get.summary}`] : []),
        ...(post?.tags.includes(name) === true ? [`- POST ${path}: ${post.summary}`] : []),
      ];
    }),
  ]);
  return `# Assay

> Index numbers that money settles on, each with a signed report, a hashed rule and a public Merkle log, so that anyone can check it. Reads need no key; the header RateLimit-Policy says how many there may be in a minute.

- Settle on \`settlement_value_decimal\` of a period with \`settleable: true\`, and on no other: the number as first published, final, and signed by as many co-signers as its report requires (\`quorum\`). While \`settleable\` is false, a \`settlement_value\` settles nothing yet. history.csv has no such column, and has every first final, with its quorum or without: settlement.csv has \`settleable\` for each of its rows. Small lists: [/v1/indices?view=light](/v1/indices?view=light). \`revised\` is what the source said later, and settles nothing.
- Times are UTC. A week is named by its last Saturday, a month by its first day.
- Errors are RFC 9457 problems; act on \`error\`. Unknown query parameters are refused.
- Every field, with its meaning and an example: [/openapi.json](/openapi.json) (OpenAPI 3.1, version ${document.info.version}). For people: [/docs](/docs).

## Verify a number

\`npx assay verify <address of this service>\` downloads the log and recomputes everything: signatures, hashes, Merkle tree, and each number from the source's kept bytes by its rule. Exit code 0 and \`outcome: verified\` is the only yes. \`npx assay bundle <address> --index LAYOFFS --period 2026-07-25 -o number.json\` makes one number checkable offline with \`npx assay verify number.json\`. A log whose origin begins with \`development/\` may not be settled on.
${lines.join('\n')}
`;
}
