/** What the page knows of its gateway before anybody is signed in. */
export interface Gateway {
  readonly name: string
  /** The path before every path, if the gateway's address has one: `/gateway`. */
  readonly prefix: string
  /** The built-in authorization server, if there is one. */
  readonly authorizationServer: string | null
  /** The host of the OpenID provider at which operators sign in. */
  readonly operatorProvider?: string
}

const unknown: Gateway = { name: "Tollgate", prefix: "", authorizationServer: null }

/** The gateway writes it into the page (`consoleIndex.ts`). Vite's own server does not. */
const read = (): Gateway => {
  const content = document.querySelector<HTMLMetaElement>('meta[name="tollgate"]')?.content
  return content === undefined ? unknown : { ...unknown, ...(JSON.parse(content) as Partial<Gateway>) }
}

export const gateway = read()

/** The gateway's address, as this page reaches it. */
export const baseUrl = `${location.origin}${gateway.prefix}`

/** A page of the gateway outside the console: `/docs`. */
export const outside = (path: string): string => `${gateway.prefix}${path}`
