import * as Redacted from "effect/Redacted"
import type { Decoded } from "../Exchange.ts"
import type { Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { Protocol } from "./Protocol.ts"
import type { Target } from "./Route.ts"

/** `https://host/base` and `/v1/x` are at `https://host`, under `/base/v1/x`. */
export const originAndPath = (baseUrl: string, path: string): Pick<Outgoing, "origin" | "path"> => {
  const at = baseUrl.indexOf("/", baseUrl.indexOf("://") + 3)
  return at === -1 ? { origin: baseUrl, path } : { origin: baseUrl.slice(0, at), path: baseUrl.slice(at) + path }
}

/** What is sent: the protocol's message, with what the provider wants of every call. */
export const outgoing = (exchange: Decoded, { model, path, provider }: Target, protocol: Protocol): Outgoing => {
  const message = protocol.request(exchange, {
    ...(model === undefined ? {} : { model }),
    ...(path === undefined ? {} : { path })
  })
  const headers: Record<string, string> = { ...message.headers, ...provider.headers }
  const { credential } = provider
  if (credential !== undefined) headers[credential.header.toLowerCase()] = Redacted.value(credential.value)
  if (exchange.linkedUserHeaders !== undefined) Object.assign(headers, exchange.linkedUserHeaders)
  for (const name of provider.forwardedHeaders) {
    const value = exchange.request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return {
    method: exchange.operation.method,
    ...originAndPath(provider.baseUrl, message.path),
    headers,
    body: message.body,
    deadlineMillis: provider.deadlineMillis,
    idleMillis: provider.idleMillis,
    maxBytes: provider.answerBytes,
    private: provider.private,
    isStreamed: (head) => head.status >= 200 && head.status < 300 && protocol.isStreamed(exchange, head)
  }
}
