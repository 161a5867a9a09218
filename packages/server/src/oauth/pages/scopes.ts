interface Words {
  readonly title: string
  readonly more?: string
}

const words: Readonly<Record<string, Words>> = {
  use: {
    title: "Call the operations of this gateway",
    more: "Each call is paid from the account’s balance, up to the limit below."
  },
  usage: { title: "See what the account has used and spent" },
  openid: { title: "Know which account you signed in to" },
  offline_access: { title: "Stay connected while you are away" }
}

/** What a scope allows, in plain words. */
export const scopeWords = (scope: string): Words =>
  (Object.hasOwn(words, scope) ? words[scope] : undefined) ?? { title: scope }

/** Whether these scopes allow what can cost something. */
export const canSpend = (scopes: ReadonlyArray<string>): boolean => scopes.includes("use")
