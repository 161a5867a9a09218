import { describe, expect, it } from "@effect/vitest"
import { CredentialUnavailable, type Options } from "@tollgate/client"
import { createClient } from "@tollgate/client/promises/createClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterEach, vi } from "vitest"
import { credential, json, question, ranking } from "./scripted.ts"

afterEach(() => void vi.unstubAllGlobals())

/** Replaces `fetch` with one that accepts a single credential. Returns the credentials sent. */
const calls = (accepted = credential) => {
  const sent: Array<string | null> = []
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    const given = new Headers(init.headers).get("authorization")
    sent.push(given)
    return given === `Bearer ${accepted}`
      ? new Response(JSON.stringify(ranking), { headers: json })
      : new Response(`{"error":{"code":"invalid_credential"}}`, { status: 401, headers: json })
  })
  return sent
}

const baseUrl = "http://gateway.invalid"

describe("the credential", () => {
  it.each<[string, Options]>([
    ["a string", { credential }],
    ["redacted", { credential: Redacted.make(credential) }],
    ["an effect", { credential: Effect.succeed(credential) }],
    ["a function", { credential: () => credential }],
    ["an async function", { credential: async () => credential }],
    ["a function that returns it redacted", { credential: () => Redacted.make(credential) }]
  ])("is %s", async (_, who) => {
    const sent = calls()
    const client = createClient({ ...who, baseUrl })
    await client.rerank(question)
    expect(sent).toEqual([`Bearer ${credential}`])
    await client.close()
  })

  it("is requested again after a 401", async () => {
    const sent = calls("new")
    const tokens = ["old", "new"].values()
    const client = createClient({ credential: async () => tokens.next().value ?? "", baseUrl })
    await client.rerank(question)
    expect(sent).toEqual(["Bearer old", "Bearer new"])
    await client.close()
  })

  it.each([
    ["rejects", () => Promise.reject(new Error("signed out"))],
    [
      "throws",
      () => {
        throw new Error("signed out")
      }
    ]
  ])("is unavailable if the function %s", async (_, credential: () => Promise<string>) => {
    const sent = calls()
    const client = createClient({ credential, baseUrl })
    const error: unknown = await client.rerank(question).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(CredentialUnavailable)
    expect(error).toMatchObject({ cause: { message: "signed out" } })
    expect(sent).toEqual([])
    await client.close()
  })

  it("is missing: the client throws, and says which option to set", () => {
    const none: ReadonlyArray<unknown> = [{}, { credential: undefined }, { credential: null }, { credential: "" }]
    for (const who of none) expect(() => createClient(who as Options)).toThrow("No credential")
  })
})
