import type { Options } from "../src/signIn/Options.ts"
import { makeSignIn } from "../src/signIn/makeSignIn.ts"
import type { Page } from "../src/signIn/Page.ts"
import * as Effect from "effect/Effect"

export const issuer = "https://issuer.example"
export const gateway = "https://gateway.example"
export const redirectUri = "https://app.example/callback"
export const options = { issuer, clientId: "the-page", redirectUri, scopes: ["use"] } as const satisfies Options

export interface Asked {
  readonly url: string
  readonly init: RequestInit
  readonly form: URLSearchParams
}

/** `undefined` leaves the answer to the standard server. */
export type Reply = (asked: Asked) => Response | Promise<Response> | undefined

export const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize?tenant=1`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true
}

export const access = (count: number) => `c4n4ry-access-${count}`
export const refresh = (count: number) => `c4n4ry-refresh-${count}`

export const grant = (count: number, rest: object = {}) =>
  Response.json({
    access_token: access(count),
    refresh_token: refresh(count),
    token_type: "Bearer",
    expires_in: 3_600,
    ...rest
  })

export const html = () => new Response("<!doctype html><p>c4n4ry", { headers: { "content-type": "text/html" } })

type Channel = ReturnType<Page["channel"]>

/** A BroadcastChannel: the others of the same name receive a message after 20 ms. */
export const bus = () => {
  const all = new Map<string, Set<Channel>>()
  return (name: string): Channel => {
    const named = all.get(name) ?? new Set()
    all.set(name, named)
    const channel: Channel = {
      onmessage: null,
      close: () => void named.delete(channel),
      postMessage: (data: unknown) => {
        for (const other of named) {
          if (other === channel) continue
          const hear = () => other.onmessage?.call(other as BroadcastChannel, new MessageEvent("message", { data }))
          setTimeout(hear, 20)
        }
      }
    }
    named.add(channel)
    return channel
  }
}

export const storageOf = (items: Map<string, string>) => ({
  getItem: (name: string) => items.get(name) ?? null,
  setItem: (name: string, value: string) => void items.set(name, value),
  removeItem: (name: string) => void items.delete(name)
})

/** A browser tab and its servers. `reply` answers first, then a standard server. */
export const scripted = (reply: Reply = () => undefined, more: Partial<Page> = {}) => {
  const asked: Array<Asked> = []
  const items = new Map<string, string>()
  let address = "https://app.example/start?tab=2#here"
  let left: string | undefined
  let grants = 0

  const standard = ({ url }: Asked): Response => {
    if (url === `${issuer}/.well-known/oauth-authorization-server`) return Response.json(metadata)
    if (url === metadata.token_endpoint) return grant(++grants)
    if (url === metadata.revocation_endpoint) return new Response(null)
    return new Response("Not Found", { status: 404 })
  }

  const page: Page = {
    fetch: async (url, init) => {
      const { body } = init
      const request = { url, init, form: body instanceof URLSearchParams ? body : new URLSearchParams() }
      asked.push(request)
      return (await reply(request)) ?? standard(request)
    },
    isSecure: () => true,
    address: () => address,
    replaceAddress: (next) => (address = next),
    navigate: (next) =>
      Effect.sync(() => {
        left = next
      }),
    storage: () => storageOf(items),
    popup: () => null,
    close: () => false,
    channel: bus(),
    locks: () => undefined,
    ...more
  }

  return {
    page,
    items,
    asked,
    to: (url: string) => asked.filter((request) => request.url === url),
    address: () => address,
    open: (next: string) => (address = next),
    left: () => new URL(left ?? "about:blank")
  }
}

export type Tab = ReturnType<typeof scripted>

/** Starts a sign-in and returns the address that the page navigated to. */
export const go = Effect.fnUntraced(function* (tab: Tab, settings: Options = options) {
  yield* Effect.flip(makeSignIn(tab.page, settings).signIn)
  return tab.left()
})

/** The address that the server sends the user back to. */
export const back = (left: URL, answer: Record<string, string | undefined> = {}): string => {
  const query = { code: "c4n4ry-code", state: left.searchParams.get("state") ?? "", iss: issuer, ...answer }
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

/** Signs in with a redirect; the page reloads in between. */
export const signedIn = Effect.fnUntraced(function* (tab: Tab, settings: Options = options) {
  tab.open(back(yield* go(tab, settings)))
  const auth = makeSignIn(tab.page, settings)
  const completed = yield* auth.completeSignIn
  return { ...auth, completed }
})
