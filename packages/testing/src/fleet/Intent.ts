import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import { pick, type Random } from "./seeded.ts"

/** What a caller wants done once, however often it asks. */
export interface Intent {
  readonly id: string
  readonly kind: "echo" | "rerank" | "chat" | "stream" | "task"
  readonly key: string
  readonly idempotencyKey: string | undefined
  /** Without a key, the caller counts its attempts as the SDKs of OpenAI and Anthropic do, and repeats by itself. */
  readonly countsAttempts: boolean
  readonly path: string
  readonly body: string
  /** The caller leaves after so many milliseconds. */
  readonly leavesAfter: number | undefined
}

const kinds = ["echo", "rerank", "chat", "chat", "stream", "stream", "task"] as const

const pathOf = {
  echo: "/apis/v1/echo",
  rerank: "/v1/rerank",
  chat: "/v1/chat/completions",
  stream: "/v1/chat/completions",
  task: videoCreate.path ?? ""
}

const bodyOf = (kind: Intent["kind"], text: string): object => {
  if (kind === "echo") return { text }
  if (kind === "rerank") return { query: text, documents: ["a river", "a mountain"] }
  if (kind === "task") return { model: "m", input: { prompt: text } }
  const messages = [{ role: "user", content: text }]
  return { model: "m", max_tokens: 200, messages, ...(kind === "stream" ? { stream: true } : {}) }
}

export const makeIntent = (n: number, kind: Intent["kind"], key: string, words: string): Intent => ({
  id: `intent-${n}`,
  kind,
  key,
  idempotencyKey: undefined,
  countsAttempts: false,
  path: pathOf[kind],
  body: JSON.stringify(bodyOf(kind, `intent-${n} ${words}`)),
  leavesAfter: undefined
})

/** One of the mixed operations. */
export const randomIntent = (random: Random, n: number, keys: ReadonlyArray<string>): Intent => {
  const kind = pick(random, kinds)
  const isSlow = random() < 0.25
  const wait = Math.floor(random() * (kind === "task" ? 1_500 : isSlow ? 600 : 40))
  const chance = random()
  const end = kind === "task" ? chance < 0.15 && "fail" : kind !== "stream" && chance < 0.03 && "error"
  const tokens = 20 + Math.floor(random() * 200)
  const words = `tokens=${tokens} wait=${wait}${end === false ? "" : ` end=${end}`}`
  const hasKey = random() < 0.65
  return {
    ...makeIntent(n, kind, pick(random, keys), words),
    idempotencyKey: hasKey ? `key-of-intent-${n}` : undefined,
    countsAttempts: !hasKey && random() < 0.6,
    leavesAfter: random() < 0.07 ? Math.floor(random() * 80) : undefined
  }
}
