import type { z } from 'zod';
import type { ProblemCode } from './problem.ts';

/**
 * What an answer follows from: `folded` from the log alone, so that a verifier gets the same bytes from it;
 * `live` from the service at this moment.
 */
export type Basis = 'folded' | 'live';

/** One way to answer with success. */
export interface Content {
  /** The media type, without parameters. */
  readonly type: string;
  /** The schema of the body. For CSV it is one row with its columns as members. */
  readonly schema: z.ZodType;
  /** Of a body that is sent: whether a member that the schema does not describe is refused. */
  readonly closed?: boolean;
  /** A whole answer. If it is absent, one is made from the examples of the fields. */
  readonly example?: unknown;
}

/** How long an answer of success is valid: by its ETag, for ever, or only at the moment. */
export type Freshness = 'etag' | 'immutable' | 'revalidate' | 'none';

/** A header of an answer of success in addition to those of every answer of its kind. */
export interface AnswerHeader {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** Whether every answer of success has it. */
  readonly always: boolean;
}

export type QuerySchema = z.ZodObject;

/**
 * The description of a route for its callers: its part of the OpenAPI document, against which its requests are
 * checked.
 */
export interface Operation<Query extends QuerySchema = QuerySchema> {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The names in the path. A value that does not fit is answered with 404. */
  readonly params?: z.ZodObject;
  /**
   * The parameters after `?`. If it is absent, there are none, and any is refused, because a reader who
   * misspelt a parameter would misunderstand the answer. `ignored`: they are ignored, as for a static file.
   */
  readonly query?: Query | 'ignored';
  /** Whether a request needs the secret of a subscription, as a bearer token (RFC 6750). */
  readonly bearer?: boolean;
  /** The body of a method that takes one. Its media type is required. */
  readonly body?: Content;
  readonly basis: Basis;
  readonly freshness: Freshness;
  readonly success: string;
  /** The status of success; 200 where it is absent. */
  readonly successStatus?: 200 | 201;
  /** Further answers of success, by status, with their descriptions. */
  readonly others?: Readonly<Record<number, string>>;
  /** One media type, or several if the path decides which. */
  readonly content: Content | readonly Content[];
  /** Further answers of success that have no body, by status, with their descriptions. */
  readonly bodiless?: Readonly<Record<number, string>>;
  /** Refusals that are no problems, because another protocol decides their form: by status, with their descriptions. */
  readonly refusals?: {
    readonly statuses: Readonly<Record<number, string>>;
    readonly content: Content;
  };
  readonly headers?: readonly AnswerHeader[];
  /** What a 402 says, of an operation whose answers are sold. */
  readonly charged?: Content;
  /**
   * Problems in addition to those of every route: `bad_request`, `request_timeout`, `content_too_large`,
   * `rate_limited`, `internal`.
   */
  readonly problems: readonly ProblemCode[];
  /** The body of this route's problems of one status, if it has more members than any problem. */
  readonly problemSchemas?: Readonly<Record<number, z.ZodType>>;
}
