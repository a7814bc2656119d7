import { literal, object } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';
import { pageText } from '../page-text.ts';
import { ReadStopped } from '../value.ts';

export interface Utf8Step {
  readonly op: 'utf8';
}

/** Turns one page of bytes into text. A byte order mark is dropped; bytes that are not UTF-8 are malformed. */
export const utf8: Operation<Utf8Step> = {
  op: 'utf8',
  parse: object<Utf8Step>({ op: literal('utf8') }),
  run(_step, input) {
    const { pages } = take('utf8', input, 'pages');
    const [page] = pages;
    if (page === undefined || pages.length !== 1) {
      throw new ReadStopped('malformed', `utf8 takes one page, not ${pages.length}`);
    }
    return { type: 'text', text: pageText(page) };
  },
};
