import { describe, expect, it } from "@effect/vitest"
import {
  createSignIn,
  PageUnfit,
  ReturnInvalid,
  ServerUnreachable,
  ServerUnusable,
  SignedOut,
  SignInAbandoned,
  SignInDeclined
} from "@tollgate/browser/signIn"
import { createClient } from "@tollgate/browser"
import type { SignIn } from "@tollgate/browser/effect"
import type * as Effect from "effect/Effect"
import { afterEach, expectTypeOf, vi } from "vitest"
import { options, redirectUri } from "./scripted.ts"

afterEach(() => void vi.unstubAllGlobals())

type Auth = SignIn

const answerErrors = [SignInDeclined, ReturnInvalid, ServerUnusable, ServerUnreachable] as const
const signInErrors = [...answerErrors, SignInAbandoned, PageUnfit] as const
const credentialErrors = [SignedOut, ServerUnusable, ServerUnreachable] as const
type Instance<A extends ReadonlyArray<abstract new (...args: never) => unknown>> = InstanceType<A[number]>

describe("@tollgate/browser/signIn", () => {
  it("the type of each effect lists its errors", () => {
    expectTypeOf<Effect.Error<Auth["signIn"]>>().toEqualTypeOf<Instance<typeof signInErrors>>()
    expectTypeOf<Effect.Error<Auth["signInByPopup"]>>().toEqualTypeOf<Instance<typeof signInErrors>>()
    expectTypeOf<Effect.Error<Auth["completeSignIn"]>>().toEqualTypeOf<Instance<typeof answerErrors>>()
    expectTypeOf<Effect.Error<Auth["credential"]>>().toEqualTypeOf<Instance<typeof credentialErrors>>()
    expectTypeOf<Effect.Error<Auth["signOut"]>>().toEqualTypeOf<never>()
  })

  it("exactly one option sets the authorization server", () => {
    const client = { clientId: "the-page", redirectUri }
    expectTypeOf(createSignIn).toBeCallableWith({ ...client, resource: "https://gateway.example" })
    // @ts-expect-error no option sets the server
    void (() => createSignIn(client))
    const two = { ...options, authorizationServer: { issuer: "", authorizationEndpoint: "", tokenEndpoint: "" } }
    // @ts-expect-error two options set the server
    void (() => createSignIn(two))
  })

  it("works without a page, as in server-side rendering, and nobody is signed in there", async () => {
    const auth = createSignIn(options)
    expect(auth.isSignedIn()).toBe(false)
    const client = createClient({ baseUrl: "http://127.0.0.1:1", credential: auth.credential })
    const failure: unknown = await client.rerank({ query: "q", documents: ["d"] }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ _tag: "CredentialUnavailable", cause: { _tag: "SignedOut", why: "absent" } })
    await client.close()
  })

  it("promises reject with the same errors", async () => {
    vi.stubGlobal("location", { href: redirectUri })
    vi.stubGlobal("window", { isSecureContext: false })
    const { completeSignIn, signIn, signInByPopup } = createSignIn(options)
    await expect(signIn()).rejects.toBeInstanceOf(PageUnfit)
    await expect(signInByPopup()).rejects.toBeInstanceOf(PageUnfit)
    expect(await completeSignIn()).toBe(undefined)
  })
})
