import { z } from 'zod';
import { HOST_PATTERN } from './source-hosts.ts';

/** A host in a config, as `HOST_PATTERN` has it. */
export const hostField: z.ZodType<string> = z
  .string()
  .regex(HOST_PATTERN, 'a host such as example.org or example.org:8443, in small letters')
  .refine(
    (text) => URL.canParse(text.startsWith('http://') ? text : `https://${text}`),
    'a host that can be asked',
  );
