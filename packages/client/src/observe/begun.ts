import { type Bound, split } from "@tollgate/contract/Operation"
import { isByModel } from "@tollgate/contract/price/Price"
import { object, text } from "../events/Event.ts"
import type { Begun } from "./Observer.ts"
import type { Subject } from "../call/Watch.ts"

const modelOf = (operation: Bound, input: unknown): string | undefined => {
  const { body, path } = split(operation, input)
  return text(object(path)["model"]) ?? text(object(body)["model"])
}

/** Host and port only: an address may contain a user name, a password and a query. */
const serverOf = (origin: string): Begun["server"] => {
  const [, scheme = "", address, port] = /^(https?):\/\/(?:.*@)?(\[[^\]]*\]|[^:/?#@]+)(?::(\d+))?/i.exec(origin) ?? []
  if (address === undefined) return undefined
  return { address, port: Number(port ?? (scheme.toLowerCase() === "https" ? 443 : 80)) }
}

export const begunOf = ({ client, input, mode, operation }: Subject): Begun => ({
  operation: operation.id,
  mode,
  method: operation.method,
  protocol: isByModel(operation.price) ? operation.family : undefined,
  model: modelOf(operation, input),
  server: serverOf(client.origin)
})
