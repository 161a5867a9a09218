import { createClient } from "@tollgate/client/promises/createClient"
import { perform, type Settings } from "./perform.ts"

/** Set by the test that bundles this. */
declare const SETTINGS: Settings

const question = { query: "longest river", documents: ["A mountain.", "The longest river."] } as const
const messages = [{ role: "user" as const, content: "Why do rivers bend, and where?" }]

/** One for all requests, as most Workers have it. */
const client = createClient(SETTINGS)

const discovering = createClient({ ...SETTINGS, discover: true })

const count = (ok: boolean): number => (ok ? 1 : 0)

const call = async () => count((await client.rerank(question)).results.length > 0)
const chat = async () => count("choices" in (await client.chatCompletions({ model: "sandbox", messages })))
const stream = async () =>
  count((await client.chatCompletionsStream({ model: "sandbox", messages }).text()).length > 20)

/** An operation whose path the gateway's contract tells. */
const search = async () => count("model" in Object(await discovering.deepResearch({ model: "sandbox", messages })))

const eight = async (make: () => Promise<number>): Promise<number> => {
  const all = await Promise.all(Array.from({ length: 8 }, make))
  return all.reduce((sum, one) => sum + one)
}

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  "/perform": () => perform(createClient, SETTINGS),
  "/call": call,
  "/chat": chat,
  "/search": search,
  "/stream": stream,
  "/streams": () => eight(stream)
}

const describeError = (error: unknown) =>
  error instanceof Error ? { failed: error.message } : { failed: String(error) }

export default {
  fetch: async ({ url }: { readonly url: string }) => {
    const result = await programs[new URL(url).pathname]?.().catch(describeError)
    return new Response(typeof result === "string" ? result : JSON.stringify(result))
  }
}
