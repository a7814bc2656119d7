// The tools, resources and prompts that the conformance suite calls, which a product does not have.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpExtension } from '@assay/node/mcp/mcp-route';
import type { McpLibrary } from '@assay/node/mcp/resources';

/** A PNG of one pixel, and a WAV without a sample. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string): { readonly type: 'text'; readonly text: string } => ({
  type: 'text',
  text: words,
});
const said = (words: string): { content: ReturnType<typeof text>[] } => ({
  content: [text(words)],
});
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

function registerFixtures(server: McpServer, library: McpLibrary): void {
  registerTools(server);
  registerSchemas(server, library);
  registerQuestions(server, library);
  registerResources(server, library);
  registerPrompts(server, library);
}

function registerTools(server: McpServer): void {
  const tool = (name: string, answer: (ctx: ServerContext) => object | Promise<object>): void => {
    server.registerTool(name, { description: 'Fixture.' }, (ctx) => answer(ctx) as never);
  };
  const embedded = {
    type: 'resource',
    resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'Embedded.' },
  };
  tool('test_simple_text', () => said('This is a simple text response for testing.'));
  tool('test_image_content', () => ({ content: [image] }));
  tool('test_audio_content', () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }));
  tool('test_embedded_resource', () => ({ content: [embedded] }));
  tool('test_multiple_content_types', () => ({ content: [text('Several.'), image, embedded] }));
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.server.registerCapabilities({ logging: {} });
  tool('test_logging_tool', async (ctx) => {
    await ctx.mcpReq.log('info', 'Logged.');
    return said('Done.');
  });
  tool('test_tool_with_logging', async (ctx) => {
    for (const step of ['started', 'processing data', 'completed']) {
      await ctx.mcpReq.log('info', `Tool execution ${step}`);
      await sleep(50);
    }
    return said('Done.');
  });
  tool('test_tool_with_progress', async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await ctx.mcpReq.notify({ method: 'notifications/progress', params });
      }
      await sleep(50);
    }
    return said('Done.');
  });
}

/** The keywords of JSON Schema 2020-12 that a list of tools must keep; as text, because an object with `then` can be awaited. */
const KEYWORDS = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": { "address": { "$anchor": "address", "type": "object" } },
  "properties": { "address": { "$ref": "#/$defs/address" }, "by": { "type": "string" } },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "by": { "const": "phone" } } },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`;

function registerSchemas(server: McpServer, library: McpLibrary): void {
  const inputSchema = library.fromJsonSchema(JSON.parse(KEYWORDS) as never);
  const name = 'json_schema_2020_12_tool';
  server.registerTool(name, { description: 'Fixture.', inputSchema }, () => said('Done.'));
}

const KEY = 'a key of the fixtures';

function sealed(state: string): string {
  return `${state}.${createHmac('sha256', KEY).update(state).digest('hex')}`;
}

/** The state that a client has sent back. Throws for one that was not sealed here. */
function unsealed(state: string): string {
  const [name = ''] = state.split('.');
  if (state !== sealed(name)) throw new Error('mac');
  return name;
}

/** Everything of the fixtures, for `mcpRoute`. */
export const FIXTURES: McpExtension = {
  register: registerFixtures,
  serverOptions: { requestState: { verify: unsealed } },
};

/** Tools that ask the client back (2026-07-28). */
function registerQuestions(server: McpServer, library: McpLibrary): void {
  const { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } = library;
  type Ask = (ctx: ServerContext) => object;
  const tool = (name: string, ask: Ask): void => {
    server.registerTool(name, { description: 'Fixture.' }, (ctx) => ask(ctx) as never);
  };
  const form = (
    message: string,
    name: string,
    schema: z.ZodType,
  ): ReturnType<typeof inputRequired.elicit> =>
    inputRequired.elicit({ message, requestedSchema: z.object({ [name]: schema }) as never });
  const sampling = (
    words: string,
    maxTokens: number,
  ): ReturnType<typeof inputRequired.createMessage> =>
    inputRequired.createMessage({
      messages: [{ role: 'user', content: text(words) }],
      maxTokens,
    });
  const given = (ctx: ServerContext, key: string): string | undefined => {
    const view = inputResponse(ctx.mcpReq.inputResponses, key);
    return view.kind === 'missing' ? undefined : JSON.stringify(view);
  };
  const one = (
    name: string,
    key: string,
    request: () => ReturnType<typeof inputRequired.elicit>,
  ): void =>
    tool(name, (ctx) => {
      const answer = given(ctx, key);
      return answer === undefined
        ? inputRequired({ inputRequests: { [key]: request() } })
        : said(`Hello, ${answer}!`);
    });
  const named = (): ReturnType<typeof form> => form('What is your name?', 'name', z.string());
  one('test_input_required_result_elicitation', 'user_name', named);
  one('test_input_required_result_sampling', 'capital_question', () =>
    sampling('What is the capital of France?', 100),
  );
  one('test_input_required_result_list_roots', 'client_roots', () => inputRequired.listRoots());
  one('test_missing_capability', 'capital_question', () => sampling('Which?', 10));
  one('test_streaming_elicitation', 'user_name', named);

  const stateOf = (ctx: ServerContext): string | undefined => ctx.mcpReq.requestState<string>();
  tool('test_input_required_result_capabilities', (ctx) => {
    const { [CLIENT_CAPABILITIES_META_KEY]: can = {} } = (ctx.mcpReq.envelope ?? {}) as Record<
      string,
      { elicitation?: object }
    >;
    const { elicitation } = can;
    const question = sampling('Which?', 10);
    return inputRequired({
      inputRequests: elicitation === undefined ? { question } : { question, name: named() },
    });
  });
  const stateful = (name: string): void =>
    tool(name, (ctx) =>
      stateOf(ctx) === undefined || given(ctx, 'confirm') === undefined
        ? inputRequired({
            inputRequests: { confirm: form('Please confirm', 'ok', z.boolean()) },
            requestState: sealed('asked'),
          })
        : said('state-ok'),
    );
  stateful('test_input_required_result_request_state');
  stateful('test_input_required_result_tampered_state');
  tool('test_input_required_result_multiple_inputs', (ctx) => {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (stateOf(ctx) !== undefined && keys.every((key) => given(ctx, key) !== undefined)) {
      return said('All.');
    }
    return inputRequired({
      inputRequests: {
        user_name: named(),
        greeting: sampling('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: sealed('asked'),
    });
  });
  tool('test_input_required_result_multi_round', (ctx) => {
    const state = stateOf(ctx);
    if (state === 'second' && given(ctx, 'step2') !== undefined) return said('Both.');
    if (state === 'first' && given(ctx, 'step1') !== undefined) {
      const step2 = form('Step 2: What is your favorite color?', 'color', z.string());
      return inputRequired({ inputRequests: { step2 }, requestState: sealed('second') });
    }
    const step1 = form('Step 1: What is your name?', 'name', z.string());
    return inputRequired({ inputRequests: { step1 }, requestState: sealed('first') });
  });
}

function registerResources(server: McpServer, library: McpLibrary): void {
  server.registerResource('text', 'test://static-text', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'The content of the resource.' }],
  }));
  server.registerResource('png', 'test://static-binary', { mimeType: 'image/png' }, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: PNG }],
  }));
  const template = new library.ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource(
    'template',
    template,
    { mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function registerPrompts(server: McpServer, library: McpLibrary): void {
  const user = (content: object): never => ({ role: 'user', content }) as never;
  server.registerPrompt('test_simple_prompt', { description: 'Fixture.' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt('test_prompt_with_image', { description: 'Fixture.' }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
  const arg1 = library.completable(z.string(), (value) =>
    ['paris', 'park'].filter((each) => each.startsWith(value)),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Fixture.', argsSchema: z.object({ arg1, arg2: z.string() }) },
    (given) => ({
      messages: [user(text(`Prompt with arguments: arg1='${given.arg1}', arg2='${given.arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Fixture.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        user({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded.' } }),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_input_required_result_prompt', { description: 'Fixture.' }, (ctx) => {
    const view = library.inputResponse(ctx.mcpReq.inputResponses, 'user_context');
    if (view.kind !== 'missing') return { messages: [user(text(JSON.stringify(view)))] };
    const requestedSchema = z.object({ context: z.string() }) as never;
    const message = 'What context should the prompt use?';
    const user_context = library.inputRequired.elicit({ message, requestedSchema });
    return library.inputRequired({ inputRequests: { user_context } }) as never;
  });
}
