/** One comparison of the table. */
export type Row =
  | {
      readonly what: string;
      readonly unit: string;
      readonly ours: number;
      readonly peer: string;
      readonly theirs: number;
      /** Ours over theirs. */
      readonly ratio: number;
      /** The ratio to reach; null for a row that is for information. */
      readonly goal: number | null;
    }
  | { readonly what: string; readonly peer: string; readonly skipped: string };
