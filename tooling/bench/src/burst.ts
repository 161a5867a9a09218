import { createClient, type PromiseClient } from "@tollgate/client/promises/createClient"
import type { ChatCompletionsInput, Pacing } from "@tollgate/client"
import { conversation } from "./conversation.ts"
import { key, question } from "./question.ts"

const tiers = ["Free", "Growth"] as const
const kinds = ["rerank", "chat", "stream"] as const
const clients = ["knows nothing", "knows the tier"] as const

interface Burst {
  readonly tier: (typeof tiers)[number]
  readonly kind: (typeof kinds)[number]
  readonly client: (typeof clients)[number]
}

/** Each on a key of its own, whose limits nobody has used. */
export const bursts: ReadonlyArray<Burst & { readonly key: string }> = tiers.flatMap((tier) =>
  kinds.flatMap((kind) =>
    clients.map((client) => ({ tier, kind, client, key: `${tier} ${kind} ${client}`.replaceAll(" ", "-") }))
  )
)

const size = 75

const chat = JSON.parse(conversation) as Omit<ChatCompletionsInput, "stream">
const calls: Readonly<Record<Burst["kind"], (client: PromiseClient) => Promise<unknown>>> = {
  rerank: (client) => client.rerank(JSON.parse(question)),
  chat: (client) => client.chatCompletions(chat),
  stream: (client) => client.chatCompletionsStream(chat).text()
}

/** Makes 75 calls at once, and counts what the gateway refuses and what the caller sees fail. */
const run = async ({ client: knows, key, kind, tier }: (typeof bursts)[number], baseUrl: string) => {
  let refused = 0
  const counting: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init)
    if (answer.status === 429) refused++
    return answer
  }
  const pace: Pacing = knows === "knows the tier" ? { tier } : {}
  const client = createClient({ credential: key, baseUrl, pace, fetch: counting })
  const startedAt = performance.now()
  const results = await Promise.allSettled(Array.from({ length: size }, () => calls[kind](client)))
  const millis = Math.round(performance.now() - startedAt)
  await client.close()
  return { refused, failed: results.filter(({ status }) => status === "rejected").length, millis }
}

/** `baseUrls`: a gateway for each kind of call. */
export const runBursts = async (baseUrls: Readonly<Record<Burst["kind"], string>>): Promise<void> => {
  const measured = new Map<string, Awaited<ReturnType<typeof run>>>()
  const measure = async (burst: (typeof bursts)[number]) =>
    void measured.set(burst.key, await run(burst, baseUrls[burst.kind]))
  // Loads the code here and in the gateways, on a key without limits.
  for (const kind of kinds) await run({ tier: "Growth", kind, client: "knows nothing", key }, baseUrls[kind])
  for (const burst of bursts) if (burst.tier === "Growth") await measure(burst)
  // These mostly wait for the limit of 60 a minute.
  await Promise.all(bursts.filter(({ tier }) => tier === "Free").map(measure))
  console.log(`${size} calls at once on a new key; the ideal is a client that knows the key's tier`)
  console.table(
    bursts
      .filter(({ client }) => client === "knows nothing")
      .map(({ key, kind, tier }) => {
        const { failed, millis, refused } = measured.get(key)!
        const ideal = measured.get(key.replace("knows-nothing", "knows-the-tier"))!
        return { tier, kind, "429s": refused, failures: failed, ms: millis, "ideal ms": ideal.millis }
      })
  )
  console.log("target: no 429, no failure, and little more time than the ideal")
}
