import { kindNames, noTokens, type TokenDetails, type TokenUsage } from "./TokenKind.ts"

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
