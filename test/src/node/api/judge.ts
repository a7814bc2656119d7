import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parseCsv } from './parse-csv.ts';
import { BASIS_MARK, type JsonSchema } from '@assay/node/api/document/json-schema';
import type {
  OpenApiDocument,
  OpenApiMedia,
  OpenApiOperation,
} from '@assay/node/api/document/openapi-document';
import { resolveResponse } from '@assay/node/api/document/shared-response';
import { ERRORS_MARK } from '@assay/node/api/document/problem-response';

/** The name under which all schemas of the document's components are compiled, once. */
const COMPONENTS = 'assay:components';

/** An answer as it came over the wire. */
export interface Heard {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

/** Judges answers by the document alone, through JSON Schema 2020-12 as ajv reads it. */
export class Judge {
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  readonly #prepare: (schema: JsonSchema) => JsonSchema;
  readonly #compiled = new Map<JsonSchema, ValidateFunction>();

  /** Takes members that no schema describes as faults, or with `as written` only where the schema does. */
  constructor(document: OpenApiDocument, members: 'closed' | 'as written' = 'closed') {
    this.#document = document;
    this.#prepare = members === 'closed' ? closed : referring;
    this.#ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
    // A CommonJS default of a module of its own types.
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addVocabulary([BASIS_MARK]);
    const $defs = this.#prepare(document.components.schemas as JsonSchema);
    this.#ajv.addSchema({ $id: COMPONENTS, $defs });
  }

  /** What is wrong with a value, members that no schema describes included; empty when nothing is. */
  faults(schema: JsonSchema, value: unknown): string {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(this.#prepare(schema));
      this.#compiled.set(schema, validate);
    }
    return validate(value) ? '' : this.#ajv.errorsText(validate.errors);
  }

  /** What is wrong with a body of a media type. */
  bodyFaults(type: string, media: OpenApiMedia, text: string): string {
    if (media.schema.contentSchema !== undefined) {
      return this.faults(media.schema.contentSchema, parseCsv(text));
    }
    if (!type.endsWith('json')) return this.faults(media.schema, text);
    return this.faults(media.schema, JSON.parse(text));
  }

  /** Fails unless the document says that the operation may answer so. */
  check(operation: OpenApiOperation, heard: Heard, place: string): void {
    const { status, text, header } = heard;
    const said = `${place} -> ${status} ${text.slice(0, 300)}`;
    const described = operation.responses[String(status)];
    assert.ok(described !== undefined, `undocumented status: ${said}`);
    const response = resolveResponse(this.#document, described);
    for (const [name, { $ref, required }] of Object.entries(response.headers ?? {})) {
      const always =
        $ref === undefined ? required : this.#document.components.headers[name]?.required;
      if (always === true) assert.ok(header(name) !== null, `no header ${name}: ${said}`);
    }
    if (response.content === undefined) {
      assert.equal(text, '', said);
      return;
    }
    const type = (header('content-type') ?? '').split(';')[0] ?? '';
    const media = response.content[type];
    assert.ok(media !== undefined, `undocumented content type ${type}: ${said}`);
    assert.equal(this.bodyFaults(type, media, text), '', said);
    const codes = response[ERRORS_MARK];
    if (codes === undefined) return;
    const { error } = JSON.parse(text) as { error: string };
    assert.ok(codes.includes(error), `undocumented error ${error}: ${said}`);
  }
}

/** A schema that takes the members that it describes and no other, its references those of `COMPONENTS`. */
function closed(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (_, value: unknown) => {
      if (typeof value !== 'object' || value === null || !('properties' in value)) return value;
      const { additionalProperties, ...rest } = value as JsonSchema;
      return typeof additionalProperties === 'object' &&
        Object.keys(additionalProperties).length > 0
        ? value
        : { ...rest, additionalProperties: false };
    }).replaceAll('#/components/schemas/', `${COMPONENTS}#/$defs/`),
  ) as JsonSchema;
}

/** A schema as it is, its references those of `COMPONENTS`. */
function referring(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('#/components/schemas/', `${COMPONENTS}#/$defs/`),
  ) as JsonSchema;
}
