import { untrustedText } from "@tollgate/gateway/html"

export interface Client {
  readonly id: string
  /** As it calls itself. */
  readonly name: string | undefined
  /** Whether it is the gateway's own console. All others anybody can register, under any name. */
  readonly isOwn: boolean
}

/** The host that publishes the client's metadata, if its id is their address. Only that host can use the id. */
export const hostOf = ({ id }: Pick<Client, "id">): string | undefined => {
  const url = id.startsWith("https://") ? URL.parse(id) : null
  return url?.host
}

export const nameOf = (client: Pick<Client, "id" | "name">): string => {
  const name = untrustedText(client.name ?? "")
  return name === "" ? (hostOf(client) ?? "An app without a name") : name
}

export interface Destination {
  readonly shown: string
  readonly kind: "web" | "this device"
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Where a redirect address leads. Hosts are in ASCII, so that no letter can look like another. */
export const destinationOf = (redirectUri: string): Destination => {
  const url = URL.parse(redirectUri)
  if (url === null) return { shown: untrustedText(redirectUri), kind: "web" }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { shown: `${url.protocol}//${url.host}`, kind: "this device" }
  return { shown: url.host, kind: loopback.test(url.hostname) ? "this device" : "web" }
}

interface Words {
  readonly title: string
  readonly more?: string
}

const words = {
  use: {
    title: "Call the operations of this gateway",
    more: "Each call is paid from the account’s balance, up to the limit below."
  },
  usage: { title: "See what the account has used and spent" },
  grants: { title: "See and revoke grants" },
  openid: { title: "Know which account you signed in to" },
  offline_access: { title: "Stay connected while you are away" }
} satisfies Readonly<Record<string, Words>>

export type KnownScope = keyof typeof words

const isKnown = (scope: string): scope is KnownScope => Object.hasOwn(words, scope)

export const allScopes: ReadonlyArray<string> = Object.keys(words)

/** The known scopes among those that were asked for, each once. A client could make any other say anything. */
export const knownScopes = (asked: string): ReadonlyArray<KnownScope> => [...new Set(asked.split(" "))].filter(isKnown)

export const scopeWords = (scope: KnownScope): Words => words[scope]

/** Whether these scopes allow what can cost something. */
export const canSpend = (scopes: ReadonlyArray<KnownScope>): boolean => scopes.includes("use")
