import { EndpointGroup, nosniff } from "@tollgate/gateway"
import { html } from "@tollgate/gateway/html"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type ConsoleFile, consoleFile } from "./files.ts"
import { consoleSegments } from "./consoleSegments.ts"
import { limitPage } from "./limitedPages.ts"

interface About {
  /** The operator's name for the service. */
  readonly name: string
  /** The address that callers use. Its path is put before the paths of the console. */
  readonly baseUrl: string
  /** Whether people can sign in at the built-in authorization server. */
  readonly hasSignIn: boolean
  /** The host at which operators sign in. */
  readonly operatorProvider?: string | undefined
}

/** The page with what it needs to know before anybody is signed in. `session/gateway.ts` of the console reads it. */
const consoleIndex = (file: ConsoleFile, { baseUrl, hasSignIn, name, operatorProvider }: About): ConsoleFile => {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "")
  const about = JSON.stringify({ name, prefix, authorizationServer: hasSignIn ? baseUrl : null, operatorProvider })
  const text = new TextDecoder()
    .decode(file.bytes)
    .replaceAll('="./assets/', () => `="${html`${prefix}`}/assets/`)
    .replaceAll('="/docs"', () => `="${html`${prefix}`}/docs"`)
    .replace(/<title>.*?<\/title>/, () => `${html`<title>${name}</title><meta name="tollgate" content="${about}" />`}`)
  return consoleFile(new TextEncoder().encode(text), file.contentType)
}

/** Only this gateway's files load, none inline, no text becomes code. Results may hold images of elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: https:",
  "media-src 'self' https:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

const pageHeaders = {
  ...nosniff,
  "cache-control": "no-cache",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

/** The names of these files change with their content. */
const assetHeaders = { ...nosniff, "cache-control": "public, max-age=31536000, immutable" }

const send = (
  request: HttpServerRequest,
  { contentType, document }: ConsoleFile,
  common: Readonly<Record<string, string>>
) =>
  Effect.map(document.choose(request.headers), ({ bytes, headers: chosen }) => {
    const headers = { ...common, ...chosen }
    return bytes === undefined
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.uint8Array(bytes, { contentType, headers })
  })

const assets = "/assets/"

/** One visit takes about thirty files, all from memory, and many people can share an address. */
const limits = { page: { burst: 200, perMinute: 400 }, files: { burst: 3_000, perMinute: 6_000 } }

/** The console at `/`, limited by address. Nothing if it is not built, as in a checkout. */
export const consolePages = (
  files: ReadonlyMap<string, ConsoleFile>,
  about: About
): ReadonlyArray<EndpointGroup.EndpointGroup> => {
  const built = files.get("/index.html")
  if (built === undefined) return []
  const index = consoleIndex(built, about)
  const limitedPage = limitPage("the console", limits.page)
  const limitedFile = limitPage("files of the console", limits.files)
  const endpoints: EndpointGroup.EndpointGroup = {
    paths: ["/", `${assets}*`, ...[...consoleSegments].flatMap((segment) => EndpointGroup.withAllBelow(`/${segment}`))],
    answer: (request, path) => {
      if (request.method !== "GET" && request.method !== "HEAD") return undefined
      if (!path.startsWith(assets)) return limitedPage(request, send(request, index, pageHeaders))
      const file = files.get(path)
      return file === undefined ? undefined : limitedFile(request, send(request, file, assetHeaders))
    }
  }
  return [endpoints]
}
