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

/** The scopes that a client can ask for. */
export const allScopes: ReadonlyArray<string> = Object.keys(words)

/** The known scopes among those that were asked for, each once. A client could make any other say anything. */
export const knownScopes = (asked: string): ReadonlyArray<KnownScope> => [...new Set(asked.split(" "))].filter(isKnown)

/** What a scope allows, in plain words. */
export const scopeWords = (scope: KnownScope): Words => words[scope]

/** Whether these scopes allow what can cost something. */
export const canSpend = (scopes: ReadonlyArray<KnownScope>): boolean => scopes.includes("use")
