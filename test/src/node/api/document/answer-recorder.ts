import assert from 'node:assert/strict';
import { inlineResponses } from '@assay/node/api/document/shared-response';
import type { OpenApiDocument, OpenApiOperation } from '@assay/node/api/document/openapi-document';
import type { RecordedOperation } from '@assay/node/api/document/recorded-answers';
import { Judge } from '../judge.ts';

type Parameters = Readonly<Record<string, string>>;

/** A request for an operation. */
export interface Asked {
  /** Parameters that every request has. */
  readonly always?: Parameters;
  /** Parameters of which each is tried alone, beside `always`. */
  readonly each?: Parameters;
  /** Further queries, whose answers are recorded where they have another media type. */
  readonly also?: readonly Parameters[];
  readonly headers?: Readonly<Record<string, string>>;
  /** `end` keeps the last items of lists, where the first are others with each release. */
  readonly keep?: 'start' | 'end';
}

/** Lists in an example have so many objects, or so many values. */
const MOST_OBJECTS = 1;
const MOST_VALUES = 3;
/** A text of more characters, such as a CSV, has its first lines alone in an example. */
const MOST_TEXT = 2000;
const MOST_LINES = 3;
/** What is neither text nor JSON is no example that can be read. */
const TEXT = /^text\/|json$|\+xml$/;

/** Asks services for every operation, and keeps what they answered as examples. */
export class AnswerRecorder {
  readonly recorded: Record<
    string,
    { parameters: Record<string, string>; answers: Record<string, unknown>; sent?: unknown }
  > = {};

  /** The recorder of one service. Everything that it answers is compared with its own document. */
  async of(base: string): Promise<ServiceRecorder> {
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
    return new ServiceRecorder(base, document, this);
  }

  keep(id: string, parameters: Parameters, key: string | undefined, answer: unknown): void {
    const found = (this.recorded[id] ??= { parameters: {}, answers: {} });
    Object.assign(found.parameters, parameters);
    if (key !== undefined && !(key in found.answers)) found.answers[key] = answer;
  }

  keepSent(id: string, body: unknown): void {
    const found = this.recorded[id] ?? assert.fail(`nothing of ${id} is recorded`);
    found.sent ??= body;
  }

  /** What was recorded, by operation in the order of their names. */
  get all(): Readonly<Record<string, RecordedOperation>> {
    return Object.fromEntries(Object.entries(this.recorded).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

interface Heard {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

export class ServiceRecorder {
  readonly #base: string;
  readonly #operations = new Map<string, readonly [string, OpenApiOperation]>();
  readonly #judge: Judge;
  readonly #recorder: AnswerRecorder;
  /** Texts that are random, and what stands for them in examples. */
  readonly masks: (readonly [random: RegExp | string, shown: string])[] = [];

  constructor(base: string, document: OpenApiDocument, recorder: AnswerRecorder) {
    this.#base = base;
    this.#recorder = recorder;
    this.#judge = new Judge(document);
    for (const [path, { get, post }] of Object.entries(inlineResponses(document).paths)) {
      for (const each of [get, post]) {
        if (each !== undefined) this.#operations.set(each.operationId, [path, each]);
      }
    }
  }

  /** Asks for an operation, which has to answer with 200. Returns the body. */
  async ask(id: string, asked: Asked = {}): Promise<unknown> {
    const { always = {}, each = {}, also = [], headers = {}, keep = 'start' } = asked;
    const { body, type } = await this.#good(id, always, headers);
    this.#keep(id, always, type, this.#trimmed(body, keep));
    for (const [name, value] of Object.entries(each)) {
      const one = { [name]: value };
      await this.#good(id, { ...always, ...one }, headers);
      this.#recorder.keep(id, this.#masked(one), undefined, undefined);
    }
    for (const query of also) {
      const other = await this.#good(id, { ...always, ...query }, headers);
      this.#keep(id, {}, other.type, this.#trimmed(other.body, keep));
    }
    return body;
  }

  /** Sends a body, or none, to an operation that takes it. Returns the answer, which has to be a success. */
  async send(
    id: string,
    { always = {}, headers = {}, body }: Pick<Asked, 'always' | 'headers'> & { body?: unknown },
  ): Promise<unknown> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const heard = await this.#heard(id, always, headers, '', {
      method: 'POST',
      ...(sent === undefined ? {} : { body: sent }),
    });
    assert.ok([200, 201].includes(heard.status), `${id} ${JSON.stringify(heard.body)}`);
    const key = `${heard.status} ${heard.type}`;
    this.#recorder.keep(id, this.#masked(always), key, this.#trimmed(heard.body, 'start'));
    if (sent !== undefined) this.#recorder.keepSent(id, JSON.parse(this.#mask(sent)));
    return heard.body;
  }

  /** Asks for an operation that answers with a stream, with each parameter alone. The first event of the first stream is kept. */
  async stream(id: string, each: Parameters): Promise<void> {
    for (const [i, [name, value]] of Object.entries(each).entries()) {
      const abort = new AbortController();
      const { target } = this.#target(id, { [name]: value }, '');
      const response = await fetch(`${this.#base}${target}`, { signal: abort.signal });
      assert.equal(response.status, 200, target);
      this.#recorder.keep(id, { [name]: value }, undefined, undefined);
      if (i === 0) this.#keep(id, {}, 'text/event-stream', await firstEvent(response));
      abort.abort();
    }
  }

  #keep(id: string, parameters: Parameters, type: string, body: unknown): void {
    const key = TEXT.test(type) ? `200 ${type}` : undefined;
    this.#recorder.keep(id, this.#masked(parameters), key, body);
  }

  /** Asks for an operation, which has to answer with a problem of that code. */
  async refused(id: string, code: string, parameters: Parameters, stray = ''): Promise<void> {
    const { status, body } = await this.#heard(id, parameters, {}, stray);
    assert.equal((body as { error: string }).error, code, `${id} ${JSON.stringify(body)}`);
    this.#recorder.keep(id, {}, `${status} ${code}`, this.#trimmed(body, 'start'));
  }

  async #good(id: string, parameters: Parameters, headers: Parameters): Promise<Heard> {
    const heard = await this.#heard(id, parameters, headers);
    assert.equal(heard.status, 200, `${id} ${JSON.stringify(parameters)} ${String(heard.body)}`);
    return heard;
  }

  async #heard(
    id: string,
    parameters: Parameters,
    headers: Parameters,
    stray = '',
    init: { readonly method?: string; readonly body?: string } = {},
  ): Promise<Heard> {
    const { target, operation } = this.#target(id, parameters, stray);
    const type = init.body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${this.#base}${target}`, {
      ...init,
      headers: { ...type, ...headers },
    });
    const { status } = response;
    const found = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    const text = await response.text();
    const header = (name: string): string | null => response.headers.get(name);
    this.#judge.check(operation, { status, text, header }, target);
    const body = found.endsWith('json') ? (JSON.parse(text) as unknown) : text;
    return { status, type: found, body };
  }

  #target(
    id: string,
    parameters: Parameters,
    stray: string,
  ): { readonly target: string; readonly operation: OpenApiOperation } {
    const [path, operation] = this.#operations.get(id) ?? assert.fail(`no operation ${id}`);
    const query = new URLSearchParams(stray);
    let target = path;
    for (const [name, value] of Object.entries(parameters)) {
      const place = operation.parameters?.find((each) => each.name === name)?.in;
      assert.ok(place !== undefined, `${id}: no parameter ${name}`);
      if (place === 'path') target = target.replace(`{${name}}`, () => value);
      else query.set(name, value);
    }
    return { target: query.size === 0 ? target : `${target}?${query.toString()}`, operation };
  }

  #masked(parameters: Parameters): Parameters {
    return JSON.parse(this.#mask(JSON.stringify(parameters))) as Parameters;
  }

  #trimmed(body: unknown, keep: 'start' | 'end'): unknown {
    return JSON.parse(
      this.#mask(JSON.stringify(typeof body === 'string' ? cut(body) : trimmed(body, keep))),
    );
  }

  #mask(text: string): string {
    let masked = text;
    for (const [random, shown] of this.masks) masked = masked.replaceAll(random, shown);
    return masked;
  }
}

/** The first event of a stream that has an id. */
async function firstEvent(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const [event] = /^id: .*?\n\n/ms.exec(text) ?? [];
    if (event !== undefined) return event;
  }
  return assert.fail('a stream without an event');
}

function cut(text: string): string {
  if (text.length <= MOST_TEXT) return text;
  return `${text.split('\n').slice(0, MOST_LINES).join('\n')}\n`;
}

function trimmed(value: unknown, keep: 'start' | 'end'): unknown {
  if (Array.isArray(value)) {
    const most = value.some((each) => typeof each === 'object') ? MOST_OBJECTS : MOST_VALUES;
    const kept = keep === 'start' ? value.slice(0, most) : value.slice(-most);
    return kept.map((each) => trimmed(each, keep));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, trimmed(each, keep)]),
  );
}
