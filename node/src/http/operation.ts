import type { z } from 'zod';
import type { ProblemCode } from './problem.ts';

/**
 * On what an answer rests: `folded` on the log alone, so that a verifier gets the same bytes from it;
 * `live` on the service at this moment.
 */
export type Basis = 'folded' | 'live';

/** One way to answer with success. */
export interface Content {
  /** The media type alone, without parameters. */
  readonly type: string;
  /** The body; for CSV one row, its columns as members. */
  readonly schema: z.ZodType;
  /** A whole answer; where it is absent, one is made of the examples of the fields. */
  readonly example?: unknown;
}

/** How long a success answer holds: by its ETag, for good, or for the moment. */
export type Freshness = 'etag' | 'immutable' | 'revalidate' | 'none';

/** A header of a success answer beyond those that every answer of its kind has. */
export interface AnswerHeader {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** Whether each success answer has it. */
  readonly always: boolean;
}

export type QuerySchema = z.ZodObject;

/** What a route is to its callers: its line in the OpenAPI document, and what its requests are held to. */
export interface Operation<Query extends QuerySchema = QuerySchema> {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The names in the path. A value that does not fit names nothing: 404. */
  readonly params?: z.ZodObject;
  /**
   * What may stand after `?`. Absent: nothing, and what does stand there is refused, for a reader who
   * misspelt a parameter would take the answer for another. `ignored`: as a static file would.
   */
  readonly query?: Query | 'ignored';
  /** What is sent, of a method that takes something; the first of its kind is demanded. */
  readonly body?: Content;
  readonly basis: Basis;
  readonly freshness: Freshness;
  readonly success: string;
  /** Further answers of success, by status: what each of them says. */
  readonly others?: Readonly<Record<number, string>>;
  /** In one media type, or in several where the path says which. */
  readonly content: Content | readonly Content[];
  readonly headers?: readonly AnswerHeader[];
  /**
   * Beyond those that any route may give: `bad_request`, `request_timeout`, `content_too_large`,
   * `rate_limited`, `internal`.
   */
  readonly problems: readonly ProblemCode[];
  /** The body of this route's problems of one status, where it has more than any problem. */
  readonly problemSchemas?: Readonly<Record<number, z.ZodType>>;
}
