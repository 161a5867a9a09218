/** A kind of tokens that has a rate of its own. */
interface Kind {
  /** The heading of its rates in a table. */
  readonly title: string
  readonly words: string
  /** Whether it is part of the prompt, and counts towards its length. */
  readonly isPrompt: boolean
  /** Whether its rate is that of input if the operator sets none. */
  readonly isLikeInput: boolean
}

/**
 * The kinds of tokens that rates and usage tell apart. A new kind is an entry here and in `eachKind`: charges, estimates, words
 * and the configuration file follow.
 */
export const kinds = {
  input: { title: "Input", words: "input tokens", isPrompt: true, isLikeInput: false },
  output: { title: "Output", words: "output tokens", isPrompt: false, isLikeInput: false },
  cacheRead: { title: "Cache read", words: "tokens read from a cache", isPrompt: true, isLikeInput: true },
  cacheWrite: { title: "Cache write", words: "tokens written to a cache", isPrompt: true, isLikeInput: true }
} as const satisfies Record<string, Kind>

export type TokenKind = keyof typeof kinds

export const eachKind = <A>(of: (kind: TokenKind) => A): Record<TokenKind, A> => ({
  input: of("input"),
  output: of("output"),
  cacheRead: of("cacheRead"),
  cacheWrite: of("cacheWrite")
})

export const kindNames: ReadonlyArray<TokenKind> = Object.values(eachKind((kind) => kind))
export const promptKinds = kindNames.filter((kind) => kinds[kind].isPrompt)

/** The tokens of a call, of each kind. */
export type TokenUsage = Readonly<Record<TokenKind, number>>

export const noTokens: TokenUsage = eachKind(() => 0)

/** The tokens of every kind. */
export const totalTokens = (usage: TokenUsage): number => {
  let sum = 0
  for (const kind of kindNames) sum += usage[kind]
  return sum
}
