import { type EndpointGroup, nosniff } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { limitPage } from "./limitedPages.ts"

const start = (name: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${name}</title>
<h1>${name}</h1>
<p>This is a metered API gateway. Programs call it with a key: <code>Authorization: Bearer …</code>.</p>
<p>The console is not built, so it is not here: in a checkout, <code>node apps/console/build.ts</code> builds it for the next start.</p>
<ul>
<li><a href="docs">docs</a>: every operation with its price, its limits and examples</li>
<li><a href="api/contracts/version">api/contracts/version</a>: the version of its interface; <code>api/contracts/source?hash=…&amp;bundled=1</code> has the OpenAPI document of that hash</li>
<li><code>mcp</code>: the tool server for agents</li>
</ul>
</html>
`

const headers = {
  ...nosniff,
  "cache-control": "no-cache",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

/**
 * The page for a browser that opens the address of a gateway without its console, limited by address. `name`: the operator's name for the
 * service, of letters and digits.
 */
export const openPages = (name: string): EndpointGroup.EndpointGroup => {
  const page = HttpServerResponse.text(start(name), { contentType: "text/html; charset=utf-8", headers })
  const limited = limitPage("this page")
  return {
    paths: ["/"],
    answer: (request) => {
      const { method, url } = request
      if (method !== "GET" && method !== "HEAD") return undefined
      return url === "/" ? limited(request, Effect.succeed(page)) : undefined
    }
  }
}
