import { encode } from "@tollgate/contract/errors/encode"
import { AddressLimit, type Face, nosniff } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"

interface Options {
  /** The operator's name for the service: letters and digits. */
  readonly name: string
  /** Whether the list of grants is served here. */
  readonly hasGrants: boolean
}

const limit = { burst: 60, perMinute: 120 }

const start = ({ hasGrants, name }: Options): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${name}</title>
<h1>${name}</h1>
<p>This is a metered API gateway. Programs call it with a key: <code>Authorization: Bearer …</code>.</p>
<ul>
<li><a href="api/contracts/version">api/contracts/version</a>: the version of its interface; <code>api/contracts/source?hash=…&amp;bundled=1</code> has the OpenAPI document of that hash</li>
<li><code>mcp</code>: the tool server for agents</li>${
  hasGrants
    ? `
<li><a href="account/grants">account/grants</a>: the agents and pages that may spend for you</li>`
    : ""
}
</ul>
</html>
`

const headers = {
  ...nosniff,
  "cache-control": "public, max-age=300",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

const tooMany = (retryAfter: number) => {
  const message = "Too many requests for this page came from this address; slow down."
  const { body, headers, status } = encode("data", { code: "rate_limit_exceeded", message, retryAfter })
  return HttpServerResponse.jsonUnsafe(body, { status, headers: { ...nosniff, ...headers } })
}

const healthy = Effect.succeed(HttpServerResponse.text("ok", { headers: { ...nosniff, "cache-control": "no-store" } }))

/** What anybody may ask: the page for a browser that opens the address, limited by address, and whether the gateway serves. */
export const openPages = (options: Options): Face.Face => {
  const page = HttpServerResponse.text(start(options), { contentType: "text/html; charset=utf-8", headers })
  const addresses = new AddressLimit(limit)
  return ({ method, remoteAddress, url }) => {
    if (method !== "GET" && method !== "HEAD") return undefined
    if (url === "/healthz") return healthy
    if (url !== "/") return undefined
    return Effect.clockWith((clock) => {
      const wait = addresses.take(Option.getOrUndefined(remoteAddress), clock.currentTimeMillisUnsafe())
      return Effect.succeed(wait > 0 ? tooMany(wait) : page)
    })
  }
}
