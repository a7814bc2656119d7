import type { Option } from './command.ts';

/** The text of a template. A line end in it is a space. */
function textOf(strings: TemplateStringsArray, values: readonly (string | number)[]): string {
  return String.raw({ raw: strings }, ...values)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** An option without a value, from its text in the help. */
export function flag(
  strings: TemplateStringsArray,
  ...values: readonly (string | number)[]
): { readonly about: string } {
  return { about: textOf(strings, values) };
}

/**
 * An option with a value, whose name in the help is `value`: `option('FILE', { required: true })` and then its
 * text.
 */
export function option<const C extends Omit<Option, 'about' | 'value'> = object>(
  value: string,
  config?: C,
): (
  strings: TemplateStringsArray,
  ...values: readonly (string | number)[]
) => C & { readonly value: string; readonly about: string } {
  return (strings, ...values) => ({
    ...(config as C),
    value,
    about: textOf(strings, values),
  });
}
