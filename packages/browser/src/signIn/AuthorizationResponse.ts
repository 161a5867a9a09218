import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"

/** The parameters that the server adds to `redirectUri`. */
const parameters = ["state", "code", "iss", "error", "error_description", "error_uri", "session_state"]

export interface AuthorizationResponse {
  readonly state: string | undefined
  readonly code: string | undefined
  readonly iss: string | undefined
  readonly error: string | undefined
  /** The whole query string, to pass to another page. */
  readonly search: string
}

/** If a parameter appears twice, no parameter is used. */
export const parse = (search: string): AuthorizationResponse => {
  const all = new URLSearchParams(search)
  const isUnambiguous = parameters.every((name) => all.getAll(name).length <= 1)
  const one = (name: string) => (isUnambiguous ? (all.get(name) ?? undefined) : undefined)
  return { state: one("state"), code: one("code"), iss: one("iss"), error: one("error"), search }
}

const isAnswer = (address: URL, redirectUri: URL): boolean =>
  address.origin === redirectUri.origin &&
  address.pathname === redirectUri.pathname &&
  address.searchParams.has("state") &&
  (address.searchParams.has("code") || address.searchParams.has("error"))

/** Reads the response from the page's address and removes it there, so that a reload does not send it again. */
export const takeAuthorizationResponse = (page: Page, { redirectUri }: Options): AuthorizationResponse | undefined => {
  const address = new URL(page.address())
  if (!URL.canParse(redirectUri) || !isAnswer(address, new URL(redirectUri))) return undefined
  const response = parse(address.search)
  for (const name of parameters) address.searchParams.delete(name)
  page.replaceAddress(address.href)
  return response
}
