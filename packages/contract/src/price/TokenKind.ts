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

/** A new kind is an entry here and in `eachKind`: charges, estimates, words and the configuration file follow. */
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

export const totalTokens = (usage: TokenUsage): number => {
  let sum = 0
  for (const kind of kindNames) sum += usage[kind]
  return sum
}

/** Tokens of a kind that may have a rate of their own. */
interface Detail {
  readonly of: TokenKind
  readonly title: string
  readonly words: string
  /** Providers charge these like the others of their kind, unless a rate says otherwise. */
  readonly isUsuallyAlike: boolean
}

/** What is told apart within the kinds: by lifetime in a cache, and by what the tokens stand for. A new one is an entry here. */
export const details = {
  cacheWriteLong: {
    of: "cacheWrite",
    title: "Long cache write",
    words: "tokens written to a cache for long",
    isUsuallyAlike: false
  },
  audioInput: { of: "input", title: "Audio input", words: "tokens of audio in the input", isUsuallyAlike: false },
  audioOutput: { of: "output", title: "Audio output", words: "tokens of audio in the output", isUsuallyAlike: false },
  audioCacheRead: {
    of: "cacheRead",
    title: "Audio cache read",
    words: "tokens of audio read from a cache",
    isUsuallyAlike: true
  },
  imageInput: { of: "input", title: "Image input", words: "tokens of images in the input", isUsuallyAlike: true },
  imageOutput: { of: "output", title: "Image output", words: "tokens of images in the output", isUsuallyAlike: false },
  imageCacheRead: {
    of: "cacheRead",
    title: "Image cache read",
    words: "tokens of images read from a cache",
    isUsuallyAlike: true
  },
  videoInput: { of: "input", title: "Video input", words: "tokens of video in the input", isUsuallyAlike: true }
} as const satisfies Record<string, Detail>

export type DetailKind = keyof typeof details

export const detailNames = Object.keys(details) as ReadonlyArray<DetailKind>

/** How many of the tokens of a kind are of each detail. The kind's own count includes them. */
export type TokenDetails = Readonly<Partial<Record<DetailKind, number>>>

/** What one run of a model used, as its upstream reports it. */
export interface Used {
  readonly usage: TokenUsage
  readonly details?: TokenDetails
  /** The tier that served it. Missing: the usual one, or none is reported. */
  readonly tier?: string
  readonly speed?: string
  readonly region?: string
  /** How often tools of the upstream ran, by name. */
  readonly uses?: Readonly<Record<string, number>>
}

/** Another run within the same call, such as a compaction or an adviser. */
export interface Part extends Used {
  readonly model: string
}

/** The tokens of the call and of all its parts. */
export const usageOfAll = (usage: TokenUsage, parts: ReadonlyArray<Part> | undefined): TokenUsage => {
  if (parts === undefined) return usage
  const sum: Record<keyof TokenUsage, number> = { ...noTokens }
  for (const kind of kindNames) {
    sum[kind] = parts.reduce((total, part) => total + part.usage[kind], usage[kind])
  }
  return sum
}
