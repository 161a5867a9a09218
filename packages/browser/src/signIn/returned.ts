import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"

/** What the server adds to the address that it sends the user back to. */
const parameters = ["state", "code", "iss", "error", "error_description", "error_uri", "session_state"]

export interface Returned {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly iss: string | undefined
  readonly error: string | undefined
  /** As it can be handed on to another page. */
  readonly search: string
}

/** Where one is there twice nothing is taken: who knows which of them the server meant. */
export const parse = (search: string): Returned => {
  const all = new URLSearchParams(search)
  const isClear = parameters.every((name) => all.getAll(name).length <= 1)
  const one = (name: string) => (isClear ? (all.get(name) ?? undefined) : undefined)
  return { state: one("state"), code: one("code"), iss: one("iss"), error: one("error"), search }
}

const isAnswer = (address: URL, redirectUri: URL): boolean =>
  address.origin === redirectUri.origin &&
  address.pathname === redirectUri.pathname &&
  address.searchParams.has("state") &&
  (address.searchParams.has("code") || address.searchParams.has("error"))

/** What the page was sent back with, if it was. The address bar shows it no more, nor does a reload send it again. */
export const takeReturned = (page: Page, { redirectUri }: Options): Returned | undefined => {
  const address = new URL(page.address())
  if (!URL.canParse(redirectUri) || !isAnswer(address, new URL(redirectUri))) return undefined
  const returned = parse(address.search)
  for (const name of parameters) address.searchParams.delete(name)
  page.rename(address.href)
  return returned
}
