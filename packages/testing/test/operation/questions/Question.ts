/** What somebody asks, and the operations that answer it. Names in braces are the configuration's. */
export type Question = readonly [query: string, answers: ReadonlyArray<string>]
