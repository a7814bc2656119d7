import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The revisions of the protocol, one of each era. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;

/** A client of the protocol in one of its revisions, without a connection. */
export function newClient(revision: (typeof REVISIONS)[number]): Client {
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  return new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
}

/** The official client, connected over HTTP until the test ends. */
export async function mcpClient(
  t: TestContext,
  base: string,
  revision: (typeof REVISIONS)[number] = '2026-07-28',
): Promise<Client> {
  const client = newClient(revision);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`)));
  t.after(() => client.close());
  return client;
}

/** What a tool answered. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly content: Record<string, unknown>;
}

/** Calls a tool. The client itself holds what comes against the output schema of the tool. */
export async function callTool(client: Client, name: string, given: object = {}): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({
    name,
    arguments: { ...given },
  });
  const [first] = content as readonly { readonly type: string; readonly text?: string }[];
  return {
    isError: isError === true,
    text: first?.text ?? '',
    content: (structuredContent ?? {}) as Record<string, unknown>,
  };
}
