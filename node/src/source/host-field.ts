import { z } from 'zod';
import { HOST_PATTERN } from './source-hosts.ts';

/** A host in a configuration, in the form of `HOST_PATTERN`. */
export const hostField: z.ZodType<string> = z
  .string()
  .regex(HOST_PATTERN, 'a host such as example.org or example.org:8443, in lower case')
  .refine(
    (text) => URL.canParse(text.startsWith('http://') ? text : `https://${text}`),
    'a host that can be asked',
  );
