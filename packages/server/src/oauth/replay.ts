import { IncomingMessage } from "node:http"

/**
 * The same request with its body read already, as if it had come directly to this base URL. A caller's own `Host` and
 * `X-Forwarded-*` have no effect on addresses that the authorization server makes.
 */
export const replay = (source: IncomingMessage, url: string, body: Uint8Array, baseUrl: URL): IncomingMessage => {
  const req = new IncomingMessage(source.socket)
  const { "transfer-encoding": _, "x-forwarded-for": __, ...headers } = source.headers
  req.method = source.method ?? "GET"
  req.url = url
  req.httpVersion = source.httpVersion
  req.httpVersionMajor = source.httpVersionMajor
  req.httpVersionMinor = source.httpVersionMinor
  req.headers = {
    ...headers,
    ...(body.length > 0 ? { "content-length": String(body.length) } : {}),
    host: baseUrl.host,
    "x-forwarded-host": baseUrl.host,
    "x-forwarded-proto": baseUrl.protocol.slice(0, -1)
  }
  const prefix = baseUrl.pathname.replace(/\/$/, "")
  if (prefix !== "") Object.assign(req, { originalUrl: prefix + url })
  req.complete = true
  if (body.length > 0) req.push(body)
  req.push(null)
  return req
}
