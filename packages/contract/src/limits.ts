// A constant for each group, so that a page has only those of the operations that it calls.

/** Limits besides the key's requests per minute. `rpm` and `tasks` are limits per key for the group alone. */
export interface LimitGroup {
  readonly id: string
  readonly rpm?: number | "upstream"
  readonly tokens: boolean
  readonly concurrency: boolean
  readonly tasks?: number
}

const group = <const Id extends string>(id: Id, rest: Partial<LimitGroup> = {}): LimitGroup & { readonly id: Id } => ({
  tokens: false,
  concurrency: false,
  ...rest,
  id
})

export const standard = /* @__PURE__ */ group("standard")
export const inference = /* @__PURE__ */ group("inference", { rpm: "upstream", tokens: true, concurrency: true })
/** It costs nothing, and an upstream carries it out. */
export const countTokens = /* @__PURE__ */ group("count_tokens", { rpm: 100, concurrency: true })
export const generateContent = /* @__PURE__ */ group("generate_content", { rpm: 30, tokens: true, concurrency: true })
export const deepResearch = /* @__PURE__ */ group("deep_research", { rpm: 5, tokens: true, concurrency: true })
export const image = /* @__PURE__ */ group("image", { rpm: 30, tokens: true })
export const video = /* @__PURE__ */ group("video", { concurrency: true, tasks: 3 })
