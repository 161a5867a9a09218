import { html } from "@tollgate/gateway/html"
import { consoleFile, type ConsoleFile } from "./ConsoleFile.ts"

export interface About {
  /** The operator's name for the service. */
  readonly name: string
  /** The address that callers use. Its path is put before the paths of the console. */
  readonly baseUrl: string
  /** Whether people can sign in at the built-in authorization server. */
  readonly hasSignIn: boolean
}

/** The page with what it needs to know before anybody is signed in. `session/gateway.ts` of the console reads it. */
export const consoleIndex = (file: ConsoleFile, { baseUrl, hasSignIn, name }: About): ConsoleFile => {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "")
  const about = JSON.stringify({ name, prefix, authorizationServer: hasSignIn ? baseUrl : null })
  const text = new TextDecoder()
    .decode(file.bytes)
    .replaceAll('="./assets/', () => `="${html`${prefix}`}/assets/`)
    .replaceAll('="/docs"', () => `="${html`${prefix}`}/docs"`)
    .replace(/<title>.*?<\/title>/, () => `${html`<title>${name}</title><meta name="tollgate" content="${about}" />`}`)
  return consoleFile(new TextEncoder().encode(text), file.contentType)
}
