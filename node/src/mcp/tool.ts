import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { ApiCaller } from '../call/api-caller.ts';
import type { BundleDesk } from './bundle-desk.ts';
import type { ToolInput } from './tool-schema.ts';
import type { Vouching } from './voucher.ts';

/** What the tools of one session, or of one request, work with. */
export interface ToolParts {
  readonly api: ApiCaller;
  readonly vouching: Vouching;
  readonly now: Clock;
  readonly bundles: BundleDesk;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Counts so many further requests for the client. The seconds after which it may ask again where it has none left;
   * undefined where it has.
   */
  readonly charge?: ((requests: number) => number | undefined) | undefined;
}

/** Where the proof of something in an answer is. */
export interface ProofAddress {
  /** What it proves, such as `LAYOFFS 2026-07-25`. */
  readonly of: string;
  readonly url: string;
}

/** What a tool answers: the payload of the API with what stands beside it, or an error by its code and in words. */
export type ToolAnswer =
  | { readonly ok: true; readonly content: Readonly<Record<string, unknown>> }
  | ToolFailure;

export interface ToolFailure {
  readonly ok: false;
  readonly code: string;
  /** It begins with the code. */
  readonly text: string;
}

/** The arguments of a call, checked by the input schema of the tool. */
export type ToolArguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether it only reads. */
  readonly reads: boolean;
  readonly input: ToolInput;
  /** The schema of the payload, which the members that every answer has are added to. */
  readonly payload: z.ZodType;
  /** Throws only for failures that are no answer. */
  readonly run: (given: ToolArguments, parts: ToolParts) => Promise<ToolAnswer>;
}
