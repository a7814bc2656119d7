import { z } from 'zod';
import { about, named } from './field.ts';
import { reportAnswer } from './report.ts';

/** The members of every problem: RFC 9457, and this API's `error`. */
const members = {
  type: about(
    z.string().meta({ format: 'uri-reference' }),
    'Names the kind of problem (RFC 9457): the path of a page here that explains it, or a registered address. It need not be fetched.',
    '/problems/not_found',
  ),
  title: about(z.string(), 'A short text for that kind.', 'There is nothing by that name'),
  status: about(z.int(), 'The HTTP status, once more.', 404),
  detail: about(
    z.string(),
    'What went wrong this time, for a reader. Its text may change.',
    'There is no index "NOPE".',
  ),
  instance: about(z.string().optional(), 'The path that was asked for.', '/indices/NOPE'),
  error: about(
    z.string(),
    'The short code to act on. A code keeps its meaning for good; new ones may come.',
    'not_found',
  ),
};

export const problemAnswer: z.ZodType<object> = named(
  z.looseObject({
    ...members,
    errors: about(
      z
        .array(
          z.looseObject({
            pointer: about(z.string(), 'JSON pointer to the parameter.', '/period'),
            detail: about(z.string(), 'What is wrong with it.', 'not a date YYYY-MM-DD'),
          }),
        )
        .optional(),
      'On `bad_request`: each parameter that is wrong.',
    ),
    'violated-policies': about(
      z.array(z.string()).optional(),
      'On `rate_limited`: the names of the policies in `RateLimit-Policy` that were exceeded.',
      ['default'],
    ),
    at: about(
      z.string().optional(),
      'On `malformed`, `bad_signature` and `refused`: the place in the body.',
      'report',
    ),
    expected: about(z.string().optional(), 'What was expected there.', 'nothing said of it'),
    found: about(z.string().optional(), 'What was found.', 'entry 63'),
    size: about(z.int().optional(), 'On `other_history`: the entries of the log here.', 165),
  }),
  'Problem',
  'An error: RFC 9457 problem details with a short code in `error`.',
);

export const noReportProblem: z.ZodType<object> = named(
  z.looseObject({
    ...members,
    void: about(
      reportAnswer.optional().meta({ 'x-assay-basis': 'folded' }),
      'On `no_report` of a period that is void: the signed report that says so.',
    ),
  }),
  'NoReportProblem',
  'No report: nothing is signed for the period, or it is void, and then the signed void is inside.',
);

/** A problem that stands in for a body of its route, and so has that body's members beside its own. */
export function mergedProblem(
  shape: z.core.$ZodLooseShape,
  id: string,
  description: string,
): z.ZodType<object> {
  return named(z.looseObject({ ...shape, ...members }), id, description);
}
