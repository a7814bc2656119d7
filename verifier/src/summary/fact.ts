/** A name and its text, such as a row of a table. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  /** Whether nobody may rely on it as it is. */
  readonly isDoubtful: boolean;
  /** Whether only a reader who wants all of it needs it. */
  readonly isDetail: boolean;
}

export function fact(
  name: string,
  text: string,
  { isDoubtful = false, isDetail = false }: Partial<Omit<Fact, 'name' | 'text'>> = {},
): Fact {
  return { name, text, isDoubtful, isDetail };
}
