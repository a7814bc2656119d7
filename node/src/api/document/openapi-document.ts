import type { OpenApiHeader } from './answer-header.ts';
import type { BASIS_MARK, JsonSchema } from './json-schema.ts';
import type { ERRORS_MARK } from './problem-response.ts';

export interface OpenApiMedia {
  schema: JsonSchema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: object; readonly summary?: string }>>;
}

export interface OpenApiResponse {
  /** A component that several operations share. Nothing else is there then. */
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, OpenApiHeader>>;
  readonly content?: Readonly<Record<string, OpenApiMedia>>;
  readonly [ERRORS_MARK]?: readonly string[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly [BASIS_MARK]?: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, OpenApiMedia>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiServer {
  readonly url: string;
  readonly description?: string;
}

export interface OpenApiPathItem {
  readonly servers?: readonly OpenApiServer[];
  readonly get?: OpenApiOperation;
  readonly post?: OpenApiOperation;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    /** Counts the changes of the document within a version. */
    readonly 'x-revision'?: number;
  };
  readonly servers: readonly OpenApiServer[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  /** What the service sends to others. */
  readonly webhooks?: Readonly<Record<string, OpenApiPathItem>>;
  readonly components: {
    readonly schemas: Record<string, JsonSchema>;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
    readonly responses?: Readonly<Record<string, OpenApiResponse>>;
  };
}
