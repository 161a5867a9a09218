import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { Client, createClient, type Options, rerank } from "@tollgate/client"
import * as FetchCarrier from "@tollgate/client/FetchCarrier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { version } from "../src/options/environment.ts"
import { json, question, ranking } from "./scripted.ts"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A `fetch` that answers, and the requests it got. */
const recorded = () => {
  const sent: Array<Sent> = []
  const fetch = async (url: string, { headers }: Pick<Sent, "headers">) => {
    sent.push({ url, headers })
    return new Response(JSON.stringify(ranking), { headers: json })
  }
  return { fetch, sent }
}

describe("without options", () => {
  it("credential and address come from the environment", async () => {
    vi.stubEnv("TOLLGATE_KEY", "tg_from_environment")
    vi.stubEnv("TOLLGATE_BASE_URL", "https://gateway.example/tenant")
    const { fetch, sent } = recorded()
    await createClient({ fetch }).rerank(question)
    expect(sent[0]?.url).toBe("https://gateway.example/tenant/v1/rerank")
    expect(sent[0]?.headers["authorization"]).toBe("Bearer tg_from_environment")
    vi.stubGlobal("fetch", fetch)
    await createClient().rerank(question)
    expect(sent).toHaveLength(2)
  })

  it("options win over the environment, and an empty variable counts as missing", async () => {
    vi.stubEnv("TOLLGATE_KEY", "tg_from_environment")
    vi.stubEnv("TOLLGATE_BASE_URL", "")
    const { fetch, sent } = recorded()
    await createClient({ fetch, credential: "tg_own" }).rerank(question)
    expect(sent[0]?.url).toBe("http://127.0.0.1:8787/v1/rerank")
    expect(sent[0]?.headers["authorization"]).toBe("Bearer tg_own")
  })

  it("Deno is asked only what it may tell", async () => {
    vi.stubEnv("TOLLGATE_KEY", "tg_from_environment")
    const permissions = (state: string) => ({ permissions: { querySync: () => ({ state }) } })
    vi.stubGlobal("Deno", permissions("prompt"))
    expect(() => createClient()).toThrow("No credential")
    vi.stubGlobal("Deno", permissions("granted"))
    expect(() => createClient()).not.toThrow()
  })

  it("a page has no environment", () => {
    vi.stubEnv("TOLLGATE_KEY", "tg_from_environment")
    vi.stubGlobal("document", {})
    expect(() => createClient()).toThrow("No credential")
  })
})

const missing = "No credential: pass `credential` or set TOLLGATE_KEY"
const unusable = "The credential has a line break or another character that a header cannot have"

describe.each<readonly [string, Options["credential"], string]>([
  ["is missing", undefined, missing],
  ["is empty", "", missing],
  ["ends with a line break", "tg_secret\n", unusable],
  ["has a letter that no header has", "tg_sécret", unusable],
  ["is redacted and has a line break", Redacted.make("tg_secret\r\nx: y"), unusable]
])("a credential that %s", (_, credential, message) => {
  const options: Options = credential === undefined ? {} : { credential }

  it("is refused when a client is made, in one sentence that does not show it", () => {
    expect(() => createClient(options)).toThrow(new TypeError(message))
  })

  it.effect("fails an effect's calls with the same sentence", () =>
    Effect.gen(function* () {
      const { fetch, sent } = recorded()
      const layer = Client.layer(options).pipe(Layer.provide(FetchCarrier.layerWith({ fetch })))
      const error = yield* Effect.flip(Effect.provide(rerank(question), layer))
      expect(error).toMatchObject({ _tag: "CredentialUnavailable", message, outcome: "not executed" })
      expect(sent).toEqual([])
    })
  )
})

it("a credential that a function returns is checked as well", async () => {
  const { fetch, sent } = recorded()
  const error: unknown = await createClient({ fetch, credential: async () => "tg_secret\n" })
    .rerank(question)
    .catch((error: unknown) => error)
  expect(error).toMatchObject({ _tag: "CredentialUnavailable", message: unusable })
  expect(sent).toEqual([])
})

describe("the user agent", () => {
  it("names the client's version and the runtime's", async () => {
    const { fetch, sent } = recorded()
    await createClient({ fetch, credential: "tg_own" }).rerank(question)
    expect(sent[0]?.headers["user-agent"]).toBe(`tollgate-client/${version} node/${process.versions.node}`)
  })

  it("can be replaced", async () => {
    const { fetch, sent } = recorded()
    await createClient({ fetch, credential: "tg_own", headers: { "User-Agent": "mine" } }).rerank(question)
    expect(sent[0]?.headers["user-agent"]).toBe("mine")
  })

  it("is left to the browser in a page", async () => {
    vi.stubGlobal("document", {})
    const { fetch, sent } = recorded()
    await createClient({ fetch, credential: "tg_own" }).rerank(question)
    expect(sent[0]?.headers).not.toHaveProperty("user-agent")
  })
})
